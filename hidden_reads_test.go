package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
)

// TestHiddenReads: a function that reads rows and may raise an error, called in any place of a statement or of a
// declaration, decides whether the transaction commits. Nothing is proved of a template that calls it, and
// inserts what it reads.
func TestHiddenReads(t *testing.T) {
	const schema = `CREATE TABLE member (id int PRIMARY KEY, team int NOT NULL);
CREATE TABLE other (id int PRIMARY KEY, n bigint, x int);
CREATE FUNCTION size(t int) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT count(*) FROM member WHERE team = t $$;
CREATE FUNCTION guard(t int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF (SELECT count(*) FROM member WHERE team = t) >= 2 THEN RAISE EXCEPTION 'full'; END IF; RETURN true; END $$;
CREATE DOMAIN small AS int CHECK (size(VALUE) < 2);
CREATE TYPE part AS (a int, s small);
CREATE TABLE parts (id int, p part);
CREATE TABLE lists (id int, l small[]);
CREATE FUNCTION same() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE FUNCTION guarded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM guard(1); RETURN NEW; END $$;
CREATE FUNCTION step(s int, v int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM guard(v); RETURN v; END $$;
`
	insert := "INSERT INTO other VALUES (i, 1, t);"
	for _, tc := range []struct{ name, declared, body string }{
		// Declarations.
		{"the condition of a trigger", "CREATE TRIGGER g BEFORE INSERT ON other FOR EACH ROW WHEN (guard(NEW.x)) EXECUTE FUNCTION same();", insert},
		{"a trigger of statements", "CREATE TRIGGER g AFTER INSERT ON other EXECUTE FUNCTION guarded();", insert},
		{"a trigger of a column", "CREATE TRIGGER g AFTER UPDATE OF x ON other FOR EACH ROW EXECUTE FUNCTION guarded();", "UPDATE other SET x = t WHERE id = i;"},
		{"an aggregate", "CREATE AGGREGATE a(int) (sfunc = step, stype = int, initcond = '0');", "PERFORM a(t);"},
		{"an operator", "CREATE FUNCTION o(a int, b int) RETURNS boolean LANGUAGE sql AS $$ SELECT guard(a) $$; CREATE OPERATOR ==== (leftarg = int, rightarg = int, function = o);", "PERFORM t ==== 1;"},
		{"the default of a column", "CREATE TABLE d (id int PRIMARY KEY, b boolean DEFAULT guard(1));", "INSERT INTO d (id) VALUES (i);"},
		{"a default that is set", "CREATE TABLE d (id int PRIMARY KEY, b boolean DEFAULT guard(1));", "UPDATE d SET b = DEFAULT WHERE id = i;"},
		{"the default of a key to nothing", "CREATE TABLE d (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY, d int DEFAULT (CASE WHEN guard(1) THEN NULL END) REFERENCES d ON DELETE SET DEFAULT);", "DELETE FROM d WHERE id = i;"},
		{"the default of a helper's parameter", "CREATE FUNCTION h(a int, b boolean DEFAULT guard(1)) RETURNS int LANGUAGE sql AS $$ SELECT a $$;", "PERFORM h(1);"},
		{"the condition of an index", "CREATE INDEX ON other (x) WHERE guard(x);", insert},
		{"an exclusion", "CREATE TABLE e (id int PRIMARY KEY, x int, EXCLUDE USING btree ((guard(x)::int + id) WITH =));", "INSERT INTO e VALUES (i, t);"},
		{"a policy", "ALTER TABLE other ENABLE ROW LEVEL SECURITY; ALTER TABLE other FORCE ROW LEVEL SECURITY; CREATE POLICY p ON other USING (true) WITH CHECK (guard(x));", insert},
		{"a generated column", "CREATE TABLE g (id int PRIMARY KEY, x int, b boolean GENERATED ALWAYS AS (guard(x)) STORED);", "INSERT INTO g VALUES (i, t);"},
		{"a view", "CREATE VIEW v AS SELECT id, guard(x) AS g FROM other;", "PERFORM g FROM v WHERE id = i;"},
		{"a rule", "CREATE RULE r AS ON INSERT TO other DO ALSO SELECT guard(NEW.x);", insert},
		{"a domain that a column gets", "CREATE TABLE d (id int PRIMARY KEY, t int); ALTER TABLE d ALTER COLUMN t TYPE small;", "INSERT INTO d VALUES (i, t);"},
		{"a table of a type", "CREATE TABLE typed OF part;", "INSERT INTO typed VALUES (i, t);"},
		{"a domain of a domain", "CREATE DOMAIN smaller AS small;", "PERFORM t::smaller;"},
		// Domains.
		{"a cast to a domain", "", "PERFORM t::small;"},
		{"a variable of a domain", "", "DECLARE s small; BEGIN s := t; END;"},
		{"a variable of the type of a column", "", "DECLARE p parts%ROWTYPE; BEGIN p.p := ROW(1, t); END;"},
		{"a domain in an array", "", "INSERT INTO lists VALUES (i, ARRAY[t]);"},
		{"a domain in a row", "", "INSERT INTO parts VALUES (i, ROW(1, t));"},
		{"a domain in a record of JSON", "", "PERFORM * FROM jsonb_populate_record(NULL::part, jsonb_build_object('s', t));"},
		{"a domain of a column of JSON", "", "PERFORM * FROM jsonb_to_record(jsonb_build_object('s', t)) AS r(s small);"},
		{"a domain in computed text", "", "EXECUTE 'SELECT $1::small' USING t;"},
		// Statements of PL/pgSQL.
		{"an argument of a cursor", "", "DECLARE c CURSOR (k bigint) FOR SELECT 1 WHERE k < 2; x int; BEGIN OPEN c(size(t)); FETCH c INTO x; IF x IS NULL THEN RETURN; END IF; END;"},
		{"a named argument of a cursor", "", "DECLARE c CURSOR (k bigint) FOR SELECT 1 WHERE k < 2; x int; BEGIN OPEN c(k := size(t)); FETCH NEXT FROM c INTO x; IF x IS NULL THEN RETURN; END IF; END;"},
		{"a number of rows to pass", "", "DECLARE c CURSOR FOR VALUES (1), (2); x int; BEGIN OPEN c; MOVE FORWARD size(t)::int FROM c; FETCH c INTO x; IF x IS NULL THEN RETURN; END IF; END;"},
		{"the end of a loop", "", "LOOP EXIT WHEN guard(t); END LOOP;"},
		{"a bound of a loop", "", "FOR k IN size(t)::int .. 1 LOOP INSERT INTO member VALUES (i, t); RETURN; END LOOP; RETURN;"},
		{"the step of a loop", "", "FOR k IN 1 .. 2 BY CASE WHEN guard(t) THEN 5 END LOOP NULL; END LOOP;"},
		{"an array to loop over", "", "DECLARE k int; BEGIN FOREACH k IN ARRAY (SELECT array_agg(id) FROM member WHERE team = t) LOOP RETURN; END LOOP; END;"},
		{"an assertion", "", "ASSERT size(t) < 2;"},
		{"a message", "", "RAISE NOTICE '%', guard(t);"},
		{"a subscript", "", "IF (ARRAY[1, 2])[size(t) + 1] IS NULL THEN RETURN; END IF;"},
		{"the end of a slice", "", "PERFORM (ARRAY[1, 2])[1:CASE WHEN guard(t) THEN 1 END];"},
		// Clauses.
		{"LIMIT without FROM", "", "INSERT INTO member SELECT i, t LIMIT (SELECT CASE WHEN count(*) < 2 THEN 1 ELSE 0 END FROM member WHERE team = t); RETURN;"},
		{"FETCH FIRST without FROM", "", "INSERT INTO member SELECT i, t FETCH FIRST (SELECT CASE WHEN count(*) < 2 THEN 1 ELSE 0 END FROM member WHERE team = t) ROWS ONLY; RETURN;"},
		{"LIMIT of aggregates", "", "INSERT INTO member SELECT i, max(t) LIMIT (SELECT CASE WHEN count(*) < 2 THEN 1 ELSE 0 END FROM member WHERE team = t); RETURN;"},
		{"OFFSET", "", "PERFORM 1 FROM member WHERE team = t OFFSET 1; IF FOUND THEN RETURN; END IF;"},
		{"the frame of a window", "", "DECLARE s bigint; BEGIN SELECT sum(x) OVER (ORDER BY x ROWS (SELECT count(*) FROM member WHERE team = t) PRECEDING) INTO s FROM other WHERE id = i; IF s = 5 THEN RETURN; END IF; END;"},
		{"a window", "", "PERFORM sum(CASE WHEN guard(t) THEN 1 END) OVER ();"},
		{"ORDER BY", "", "PERFORM 1 ORDER BY guard(t);"},
		{"FILTER", "", "PERFORM count(*) FILTER (WHERE guard(t));"},
		{"DISTINCT ON", "", "PERFORM DISTINCT ON (guard(t)) 1;"},
		{"GROUP BY", "", "PERFORM 1 GROUP BY guard(t);"},
		{"HAVING", "", "PERFORM 1 HAVING guard(t);"},
		{"a WITH query", "", "WITH w AS MATERIALIZED (SELECT guard(t) AS g) SELECT id INTO i FROM w, other WHERE g;"},
		{"LATERAL", "", "PERFORM 1 FROM (SELECT 1 AS a) s, LATERAL (SELECT guard(s.a)) z;"},
		{"the condition of a join", "", "PERFORM 1 FROM (SELECT 1 AS a) s JOIN (SELECT 2 AS b) z ON guard(t);"},
		{"TABLESAMPLE", "", "PERFORM 1 FROM member TABLESAMPLE BERNOULLI (CASE WHEN guard(t) THEN 100 END);"},
		{"a function in FROM", "", "PERFORM * FROM guard(t);"},
		{"VALUES", "", "PERFORM * FROM (VALUES (guard(t))) v;"},
		{"RETURNING", "", "INSERT INTO member VALUES (i, t) RETURNING guard(t)::int INTO i; RETURN;"},
		{"the condition of an upsert", "", "INSERT INTO other VALUES (i, 1, 1) ON CONFLICT (id) DO UPDATE SET x = 2 WHERE guard(t);"},
		{"the values of an upsert", "", "INSERT INTO other VALUES (i, 1, 1) ON CONFLICT (id) DO UPDATE SET n = size(t);"},
		{"UPDATE FROM", "", "UPDATE other SET x = 1 FROM (SELECT guard(t) AS g) s WHERE other.id = i AND s.g;"},
		{"DELETE USING", "", "DELETE FROM other USING (SELECT guard(t) AS g) s WHERE other.id = i AND s.g;"},
		{"the join of a MERGE", "", "MERGE INTO other o USING (SELECT i AS k) s ON o.id = s.k AND guard(t) WHEN MATCHED THEN UPDATE SET x = 3 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1, 1);"},
		{"a condition of a MERGE", "", "MERGE INTO other o USING (SELECT i AS k) s ON o.id = s.k WHEN MATCHED AND guard(t) THEN UPDATE SET x = 3;"},
		{"a temporary table", "", "CREATE TEMP TABLE w ON COMMIT DROP AS SELECT guard(t);"},
		// Functions of the system.
		{"XML", "", "PERFORM xmlelement(name a, guard(t));"},
		{"a time zone", "", "PERFORM now() AT TIME ZONE (CASE WHEN guard(t) THEN 'UTC' END);"},
		{"a setting", "", "PERFORM set_config('a.b', guard(t)::text, true);"},
		{"the number of an advisory lock", "", "PERFORM pg_advisory_xact_lock(CASE WHEN guard(t) THEN 1 END);"},
		{"the size of a table", "", "IF pg_relation_size('member') > 0 THEN RETURN; END IF;"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			proved := provedOf(t, schema+tc.declared+"\nCREATE FUNCTION join_team(i int, t int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"+
				tc.body+"\n  INSERT INTO member VALUES (i, t);\nEND $$;", 20, "join_team")
			if proved {
				t.Error("it is taken to be robust")
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		rep := reportOf(t, schema+"CREATE FUNCTION join_team(i int, t int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO member VALUES (i, t); END $$;", robust.Options{}, "join_team")
		if rep.Verdict != robust.Robust {
			t.Errorf("without a call the verdict is %s", rep.Verdict)
		}
	})
}
