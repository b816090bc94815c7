package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
)

// crowds are applications that count rows up to a number before they act; typ is the type of the
// second parameter.
var crowds = []struct{ name, schema, typ, function string }{
	{"a table without a key", "CREATE TABLE g (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);\nCREATE TABLE t (g int NOT NULL REFERENCES g, at timestamptz NOT NULL DEFAULT now());\n",
		"int",
		"IF (SELECT count(*) FROM t WHERE g = p AND at > '2001-01-01') >= 10 THEN RETURN false; END IF; INSERT INTO t (g) VALUES (p); RETURN true;"},
	{"at most", "CREATE TABLE g (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);\nCREATE TABLE t (g int REFERENCES g, q int, PRIMARY KEY (g, q));\n",
		"int",
		"IF (SELECT count(*) FROM t WHERE g = p) > 7 THEN RETURN false; END IF; INSERT INTO t VALUES (p, q); RETURN true;"},
	{"at least", "CREATE TABLE g (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);\nCREATE TABLE t (g int REFERENCES g, name text, active boolean NOT NULL, PRIMARY KEY (g, name));\n",
		"text",
		"IF (SELECT count(*) FROM t WHERE g = p AND active) <= 6 THEN RETURN false; END IF; UPDATE t SET active = false WHERE g = p AND name = q; RETURN true;"},
	{"groups", "CREATE TABLE g (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);\nCREATE TABLE t (id serial PRIMARY KEY, g int NOT NULL REFERENCES g, q int NOT NULL, UNIQUE (g, q));\n",
		"int",
		"IF EXISTS (SELECT g FROM t WHERE g = p GROUP BY g HAVING count(*) >= 12) THEN RETURN false; END IF; INSERT INTO t (g, q) VALUES (p, q); RETURN true;"},
	{"keys that all refer", "CREATE TABLE g (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);\nCREATE TABLE h (id int PRIMARY KEY, name text NOT NULL UNIQUE);\nCREATE TABLE t (g int REFERENCES g, h int REFERENCES h, PRIMARY KEY (g, h));\n",
		"int",
		"INSERT INTO t SELECT p, q WHERE (SELECT count(*) FROM t WHERE g = p) < 8; RETURN FOUND;"},
	{"a limit in a row", "CREATE TABLE g (id int PRIMARY KEY, n int NOT NULL DEFAULT 0, most int NOT NULL CHECK (most BETWEEN 6 AND 9));\nCREATE TABLE t (id serial PRIMARY KEY, g int NOT NULL REFERENCES g);\n",
		"int",
		"IF (SELECT count(*) FROM t WHERE g = p) >= (SELECT most FROM g WHERE id = p) THEN RETURN false; END IF; INSERT INTO t (g) VALUES (p); RETURN true;"},
}

// TestCrowds: rules about numbers of rows that do not come by chance are broken by two
// transactions that count the same rows, and not where both update a row that stands for them.
func TestCrowds(t *testing.T) {
	var replays replaytest.Tally
	for _, tc := range crowds {
		for _, protected := range []bool{false, true} {
			name, body, want := tc.name, tc.function, robust.NotRobust
			if protected {
				name, body, want = tc.name+", protected", "UPDATE g SET n = n + 1 WHERE id = p; "+tc.function, robust.Robust
			}
			t.Run(name, func(t *testing.T) {
				src := tc.schema + "CREATE FUNCTION act(p int, q " + tc.typ + ") RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN\n  " + body + "\nEND $$;\n"
				rep := reportOf(t, src, robust.Options{Budget: robust.Budget{Questions: 200}})
				if rep.Verdict != want {
					t.Errorf("%s, want %s: %+v", rep.Verdict, want, rep.Open)
				}
				replays.Report(t, rep, "")
			})
		}
	}
	t.Logf("replays: %s", &replays)
}
