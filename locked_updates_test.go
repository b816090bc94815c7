package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/report"
)

// TestLockedUpdates: an update of a row that the transaction has locked FOR UPDATE before keeps out those who
// refer to the row on an older snapshot, which an update alone does not. What is found is replayed.
func TestLockedUpdates(t *testing.T) {
	const schema = `CREATE TABLE orders (id int PRIMARY KEY, status text NOT NULL, n int NOT NULL);
CREATE TABLE lines (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders (id));
CREATE FUNCTION add_line(p_id int, p_order int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT FROM orders WHERE id = p_order AND status = 'open') THEN RAISE EXCEPTION 'not open'; END IF;
  INSERT INTO lines VALUES (p_id, p_order); END $$;
CREATE FUNCTION bill(p_order int) RETURNS TABLE (status text, lines bigint) LANGUAGE sql STABLE AS $$
  SELECT o.status, (SELECT count(*) FROM lines l WHERE l.order_id = o.id) FROM orders o WHERE o.id = p_order $$;
CREATE FUNCTION hold(o int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM orders WHERE id = o FOR UPDATE; END $$;
`
	const update = " UPDATE orders SET status = 'closed' WHERE id = p;"
	tally := &replaytest.Tally{}
	for _, tc := range []struct {
		name, body string
		want       report.Verdict
	}{
		{"FOR UPDATE", "PERFORM FROM orders WHERE id = p FOR UPDATE;" + update, robust.Robust},
		{"in a function", "PERFORM hold(p);" + update, robust.Robust},
		{"in a block", "BEGIN PERFORM FROM orders WHERE id = p FOR UPDATE; EXCEPTION WHEN division_by_zero THEN NULL; END;" + update, robust.Unknown},
		{"in the loop that updates", "FOR r IN SELECT id FROM orders WHERE n = p FOR UPDATE LOOP UPDATE orders SET status = 'closed' WHERE id = r.id; END LOOP;", robust.Robust},
		{"many rows", "PERFORM FROM orders WHERE n = p FOR UPDATE; UPDATE orders SET status = 'closed' WHERE n = p;", robust.Robust},
		{"between two updates", "UPDATE orders SET n = 1 WHERE id = p; PERFORM FROM orders WHERE id = p FOR UPDATE;" + update, robust.Robust},
		{"nothing", update, robust.NotRobust},
		{"FOR NO KEY UPDATE", "PERFORM FROM orders WHERE id = p FOR NO KEY UPDATE;" + update, robust.NotRobust},
		{"FOR SHARE", "PERFORM FROM orders WHERE id = p FOR SHARE;" + update, robust.NotRobust},
		{"behind the update", update + " PERFORM FROM orders WHERE id = p FOR UPDATE;", robust.NotRobust},
		{"another row", "PERFORM FROM orders WHERE id = p + 1 FOR UPDATE;" + update, robust.NotRobust},
		{"some rows", "PERFORM FROM orders WHERE id = p AND n > 3 FOR UPDATE;" + update, robust.NotRobust},
		{"another table", "PERFORM FROM lines WHERE id = p FOR UPDATE;" + update, robust.NotRobust},
		{"sometimes", "IF p > 3 THEN PERFORM FROM orders WHERE id = p FOR UPDATE; END IF;" + update, robust.NotRobust},
		{"in a block, behind another update", "BEGIN PERFORM FROM orders WHERE id = p FOR UPDATE; EXCEPTION WHEN division_by_zero THEN NULL; END;" + update + " END $$;\n" +
			"CREATE FUNCTION touch(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE orders SET n = n + 1 WHERE id = p;", robust.NotRobust},
		{"undone", "BEGIN PERFORM FROM orders WHERE id = p FOR UPDATE; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END;" + update, robust.NotRobust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			txns := []string{"add_line", "bill", "close_order"}
			if strings.Contains(tc.body, "touch") {
				txns = append(txns, "touch")
			}
			opt := robust.Options{}
			if tc.want == robust.Unknown {
				opt = robust.Options{Budget: robust.Budget{Questions: 100, Helpers: 1}}
			}
			rep := reportOf(t, schema+"CREATE FUNCTION close_order(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN "+tc.body+" END $$;", opt, txns...)
			if rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, but must be %s", rep.Verdict, tc.want)
			}
			tally.Report(t, rep, "")
		})
	}
}
