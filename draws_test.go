package robust_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestDraws: values of a sequence grow in the order in which transactions draw them, and not
// in that of the commits. A program that compares them by order is not proved, in whichever
// part of a statement it does so; where it only learns their order, the report says what it
// takes for granted. Numbers of a row that each transaction updates are not concerned.
func TestDraws(t *testing.T) {
	const drawn = `CREATE TABLE ev (id bigserial PRIMARY KEY, kind int NOT NULL, at timestamptz NOT NULL DEFAULT now());
CREATE FUNCTION post(q int) RETURNS void LANGUAGE sql AS $$ INSERT INTO ev (kind) VALUES (q) $$;
`
	const counted = `CREATE TABLE ev (id bigint PRIMARY KEY, kind int NOT NULL, at timestamptz);
CREATE TABLE counter (k int PRIMARY KEY, n bigint NOT NULL);
CREATE FUNCTION post(q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE v bigint; BEGIN
  UPDATE counter SET n = n + 1 WHERE k = 1 RETURNING n INTO v; INSERT INTO ev (id, kind) VALUES (v, q); END $$;
`
	const cursor = `CREATE TABLE cur (k int PRIMARY KEY, pos bigint NOT NULL);
CREATE FUNCTION poll() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE c bigint := 0; r record; p bigint; ids bigint[]; doc jsonb; BEGIN
`
	const moved = "\n  UPDATE cur SET pos = COALESCE((SELECT e.id FROM ev e WHERE e.kind = 7), 0) WHERE k = 1; RETURN c; END $$;"
	for _, tc := range []struct{ name, body string }{
		{"a query", "SELECT count(*) INTO c FROM ev, cur WHERE cur.k = 1 AND ev.id > cur.pos;"},
		{"BETWEEN", "SELECT count(*) INTO c FROM ev, cur WHERE cur.k = 1 AND ev.id BETWEEN cur.pos + 1 AND cur.pos + 100;"},
		{"a scalar subquery", "c := (SELECT count(*) FROM ev WHERE id > (SELECT pos FROM cur WHERE k = 1));"},
		{"an outer join", "SELECT count(e.id) INTO c FROM cur LEFT JOIN ev e ON e.id > cur.pos WHERE cur.k = 1;"},
		{"a group", "SELECT sum(n) INTO c FROM (SELECT kind, count(*) AS n FROM ev, cur WHERE cur.k = 1 AND ev.id > cur.pos GROUP BY kind) x;"},
		{"HAVING", "SELECT count(*) INTO c FROM (SELECT kind FROM ev GROUP BY kind HAVING min(id) > (SELECT pos FROM cur WHERE k = 1)) x;"},
		{"LATERAL", "SELECT x.n INTO c FROM cur, LATERAL (SELECT count(*) AS n FROM ev WHERE id > cur.pos) x WHERE cur.k = 1;"},
		{"a union", "SELECT count(*) INTO c FROM (SELECT id FROM ev UNION ALL SELECT pos FROM cur) u, cur WHERE u.id > cur.pos;"},
		{"a WITH query", "WITH fresh AS (SELECT DISTINCT id FROM ev) SELECT count(*) INTO c FROM fresh, cur WHERE fresh.id > cur.pos;"},
		{"an aggregate of a joined query", "SELECT max(id) INTO p FROM ev LEFT JOIN cur ON cur.k = ev.kind; IF p > (SELECT pos FROM cur WHERE k = 1) THEN c := 1; END IF;"},
		{"GREATEST", "SELECT count(*) INTO c FROM ev, cur WHERE cur.k = 1 AND GREATEST(ev.id, cur.pos) <> cur.pos;"},
		{"a row", "SELECT count(*) INTO c FROM ev, cur WHERE cur.k = 1 AND (ev.id, 0) > (cur.pos, 1);"},
		{"a range", "SELECT count(*) INTO c FROM ev, cur WHERE cur.k = 1 AND ev.id <@ int8range(cur.pos, NULL);"},
		{"a loop", "SELECT pos INTO p FROM cur WHERE k = 1; FOR r IN SELECT id FROM ev LOOP IF r.id > p THEN c := c + 1; END IF; END LOOP;"},
		{"a loop over joined rows", "FOR r IN SELECT e.id, cur.pos FROM cur LEFT JOIN ev e ON e.kind = cur.k LOOP IF r.id > r.pos THEN c := c + 1; END IF; END LOOP;"},
		{"a document", "SELECT count(*) INTO c FROM ev, cur WHERE cur.k = 1 AND (jsonb_build_object('id', ev.id, 'kind', kind)->>'id')::bigint > cur.pos;"},
		{"a document in a variable", "SELECT jsonb_build_object('pos', pos, 'k', k) INTO doc FROM cur WHERE k = 1; SELECT count(*) INTO c FROM ev WHERE id > (doc->>'pos')::bigint;"},
		{"an array", "ids := ARRAY(SELECT id FROM ev); SELECT pos INTO p FROM cur WHERE k = 1; SELECT count(*) INTO c FROM unnest(ids) u WHERE u > p;"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opt := robust.Options{Budget: robust.Budget{Questions: 20, Helpers: 1, MaxExecutions: 2000}}
			if rep := reportOf(t, drawn+cursor+tc.body+moved, opt); rep.Verdict == robust.Robust {
				t.Error("it is taken to be robust")
			}
			if rep := reportOf(t, counted+cursor+tc.body+moved, opt); rep.Open != nil && strings.Contains(rep.Open.Reason, "by their order") {
				t.Errorf("numbers of a row: %s", rep.Open.Reason)
			}
		})
	}
	for _, tc := range []struct {
		name, body string
		noted      bool
	}{
		{"ORDER BY", "SELECT id INTO c FROM ev ORDER BY id DESC LIMIT 1;", true},
		{"ORDER BY of a loop", "FOR r IN SELECT kind FROM ev ORDER BY id LOOP c := c * 2 + r.kind; END LOOP;", true},
		{"ORDER BY of joined rows", "SELECT x.kind INTO c FROM (SELECT ev.kind FROM cur LEFT JOIN ev ON ev.kind = cur.k ORDER BY ev.at LIMIT 1) x;", true},
		{"max", "SELECT max(id) INTO c FROM ev;", true},
		{"a window", "SELECT count(*) INTO c FROM (SELECT rank() OVER (ORDER BY id) AS n FROM ev) x WHERE n > 1;", true},
		{"the sign of a difference", "SELECT count(*) INTO c FROM ev a, ev b WHERE sign(a.id - b.id) = 1;", true},
		{"a time by which nothing is drawn", "IF EXISTS (SELECT FROM ev WHERE kind > 3 AND at >= current_date) THEN c := 1; END IF;", false},
		{"another column", "FOR r IN SELECT kind FROM ev ORDER BY kind LOOP c := c + r.kind; END LOOP; SELECT c + max(kind) INTO c FROM ev;", false},
		{"a number beside a time in a document", "SELECT jsonb_build_object('kind', kind, 'at', now()) AS d INTO r FROM ev WHERE id = 1; SELECT count(*) INTO c FROM ev a, ev b WHERE a.kind > b.kind AND r.d IS NULL;", false},
		{"equality", "SELECT count(*) INTO c FROM ev a LEFT JOIN ev b ON a.id = b.id;", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rep := reportOf(t, drawn+"CREATE TABLE cur (k int PRIMARY KEY);\nCREATE FUNCTION look() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE c bigint := 0; r record; BEGIN\n"+tc.body+" RETURN c; END $$;",
				robust.Options{Budget: robust.Budget{Questions: 20}})
			noted := slices.ContainsFunc(rep.Premises, func(n report.Note) bool { return strings.Contains(n.Text, "which transaction commits first") })
			if rep.Verdict != robust.Robust || noted != tc.noted {
				t.Errorf("%s, with %v", rep.Verdict, rep.Premises)
			}
		})
	}
}
