package robust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// ring is n transactions, each of which reads what the one before it writes: from a row of
// a table that they share, or from the row of a parameter in a table of its own.
func ring(n int, tables, script, locked bool) string {
	var b strings.Builder
	names := 1
	if tables {
		names = n
	}
	for i := range names {
		fmt.Fprintf(&b, "CREATE TABLE r%d (id int PRIMARY KEY, v int NOT NULL);\n", i)
	}
	lock := ""
	if locked {
		lock = " FOR UPDATE"
	}
	for i := range n {
		from, to := fmt.Sprintf("r0 %%s WHERE id = %d", i), fmt.Sprintf("r0 %%s WHERE id = %d", (i+1)%n)
		param := "p"
		if script {
			param = ":p"
		}
		if tables {
			from, to = fmt.Sprintf("r%d %%s WHERE id = %s", i, param), fmt.Sprintf("r%d %%s WHERE id = %s", (i+1)%n, param)
		}
		if script {
			fmt.Fprintf(&b, "-- name: t%d\nBEGIN;\nSELECT v FROM %s%s;\nUPDATE %s;\nCOMMIT;\n", i, fmt.Sprintf(from, ""), lock, fmt.Sprintf(to, "SET v = :x"))
			continue
		}
		fmt.Fprintf(&b, "CREATE FUNCTION t%d(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN\n  SELECT v INTO x FROM %s%s;\n  UPDATE %s;\nEND $$;\n",
			i, fmt.Sprintf(from, ""), lock, fmt.Sprintf(to, "SET v = x + 1"))
	}
	return b.String()
}

// TestRings: write skew over many transactions is found, in any number of tables, and
// excluded by locks on what is read.
func TestRings(t *testing.T) {
	for _, n := range []int{3, 5, 7, 10} {
		for _, tables := range []bool{false, true} {
			for _, script := range []bool{false, true} {
				if n > 5 && tables != script {
					continue // the shorter rings have every combination
				}
				t.Run(fmt.Sprintf("n=%d tables=%t script=%t", n, tables, script), func(t *testing.T) {
					rep := reportOf(t, ring(n, tables, script, false), robust.Options{})
					if rep.Verdict != robust.NotRobust || len(rep.Findings) != 1 || len(rep.Findings[0].Cycle) != n {
						t.Errorf("%s, want one finding of %d transactions: %+v", rep.Verdict, n, rep.Open)
					}
					if rep := reportOf(t, ring(n, tables, script, true), robust.Options{}); rep.Verdict != robust.Robust {
						t.Errorf("with locks: %s, want robust: %+v", rep.Verdict, rep.Open)
					}
				})
			}
		}
	}
}

// TestFields: a field of a document is compared with a text or a number, and set.
func TestFields(t *testing.T) {
	const schema = "CREATE TABLE doc (id int PRIMARY KEY, body jsonb NOT NULL);\n"
	for name, text := range map[string]string{
		"text": `CREATE FUNCTION publish(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE s text; BEGIN
  SELECT body ->> 'state' INTO s FROM doc WHERE id = q LOCK;
  IF s = 'draft' THEN UPDATE doc SET body = jsonb_set(body, '{state}', '"final"') WHERE id = p; END IF;
END $$;`,
		"number": `CREATE FUNCTION award(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  SELECT (body ->> 'points')::int INTO n FROM doc WHERE id = q LOCK;
  IF n > 40 THEN UPDATE doc SET body = jsonb_set(body, '{points}', '0') WHERE id = p; END IF;
END $$;`,
	} {
		for lock, want := range map[string]report.Verdict{"": robust.NotRobust, "FOR UPDATE": robust.Robust} {
			if rep := reportOf(t, schema+strings.ReplaceAll(text, "LOCK", lock), robust.Options{}); rep.Verdict != want {
				t.Errorf("%s %s: %s, want %s: %+v", name, lock, rep.Verdict, want, rep.Open)
			}
		}
	}
}
