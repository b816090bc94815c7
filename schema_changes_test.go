package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
)

// TestSchemaChanges: what a schema does to itself, in whatever way, takes effect or is known
// to be unread: no proof rests on a key that is gone, or passes over what refuses a row.
func TestSchemaChanges(t *testing.T) {
	const number = `CREATE FUNCTION f(w text) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  SELECT coalesce(max(no), 0) + 1 INTO n FROM inv; INSERT INTO inv (no, who) VALUES (n, w); END $$;`
	const leave = `CREATE TABLE docs (id int PRIMARY KEY, oncall boolean NOT NULL);
CREATE FUNCTION enough() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM docs WHERE oncall) < 2 THEN RAISE EXCEPTION 'too few'; END IF; RETURN NEW; END $$;
`
	const covered = `CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE v cover; BEGIN
  v := (SELECT count(*) FROM docs WHERE oncall); UPDATE docs SET oncall = false WHERE id = p; END $$;`
	for _, tc := range []struct {
		name, text string
		robust     bool
	}{
		{"a key", "CREATE TABLE inv (no int PRIMARY KEY, who text);" + number, true},
		{"a key that a DO block drops", "CREATE TABLE inv (no int PRIMARY KEY, who text); DO $d$ BEGIN ALTER TABLE inv DROP CONSTRAINT inv_pkey; END $d$;" + number, false},
		{"an index that computed text drops", "CREATE TABLE inv (no int, who text); CREATE UNIQUE INDEX k ON inv (no); DO $d$ BEGIN EXECUTE 'DROP INDEX k'; END $d$;" + number, false},
		{"an index that a function drops", "CREATE TABLE inv (no int, who text); CREATE UNIQUE INDEX k ON inv (no); CREATE FUNCTION m() RETURNS void LANGUAGE sql AS $$ DROP INDEX k $$; SELECT m();" + number, false},
		{"an index that a DO block makes", "CREATE TABLE inv (no int, who text); DO $d$ BEGIN CREATE UNIQUE INDEX k ON inv (no); END $d$;" + number, true},
		{"an index of which the name is taken", "CREATE TABLE inv (no int, who text); CREATE INDEX k ON inv (no); CREATE UNIQUE INDEX IF NOT EXISTS k ON inv (no);" + number, false},
		{"an index with the name of a table", "CREATE TABLE inv (no int, who text); CREATE TABLE k (a int); CREATE UNIQUE INDEX IF NOT EXISTS k ON inv (no);" + number, false},
		{"an index of which the name is free again", "CREATE TABLE inv (no int, who text); CREATE INDEX k ON inv (no); DROP INDEX k; CREATE UNIQUE INDEX IF NOT EXISTS k ON inv (no);" + number, true},
		{"a domain that is altered", leave + `CREATE DOMAIN cover AS int; ALTER DOMAIN cover ADD CHECK (VALUE >= 2);` + covered, false},
		{"a domain that loses its check", leave + `CREATE DOMAIN cover AS int CHECK (VALUE >= 2); ALTER DOMAIN cover DROP CONSTRAINT cover_check;` + covered, true},
		{"a domain that loses one of its checks", leave + `CREATE DOMAIN cover AS int CHECK (VALUE >= 2) CHECK (VALUE >= 1); ALTER DOMAIN cover DROP CONSTRAINT cover_check1;` + covered, false},
		{"a domain of which a check has another name", leave + `CREATE DOMAIN cover AS int CONSTRAINT c CHECK (VALUE >= 2); ALTER DOMAIN cover RENAME CONSTRAINT c TO d; ALTER DOMAIN cover DROP CONSTRAINT d;` + covered, true},
		{"a domain over an altered domain", leave + `CREATE DOMAIN base AS int; CREATE DOMAIN cover AS base; ALTER DOMAIN base ADD CONSTRAINT c CHECK (VALUE >= 2);` + covered, false},
		{"a domain that refuses NULL no longer", leave + `CREATE DOMAIN cover AS int NOT NULL; ALTER DOMAIN cover DROP NOT NULL;` + covered, true},
		{"a domain with a check that old values break", leave + `CREATE DOMAIN cover AS int; ALTER DOMAIN cover ADD CONSTRAINT c CHECK (VALUE >= 2) NOT VALID;` + covered, false},
		{"a field of a record of a domain", leave + `CREATE DOMAIN cover AS int CHECK (VALUE >= 2); CREATE TABLE c (v cover);
CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN SELECT v INTO r FROM c;
  r.v := (SELECT count(*) FROM docs WHERE oncall); UPDATE docs SET oncall = false WHERE id = p; END $$;`, false},
		{"an index that a function drops, called in a DO block", "CREATE TABLE inv (no int, who text); CREATE UNIQUE INDEX k ON inv (no); CREATE FUNCTION m() RETURNS void LANGUAGE sql AS $$ DROP INDEX k $$; DO $d$ BEGIN PERFORM m(); END $d$;" + number, false},
		{"an index that a function of a function drops", "CREATE TABLE inv (no int, who text); CREATE UNIQUE INDEX k ON inv (no); CREATE FUNCTION m() RETURNS void LANGUAGE sql AS $$ DROP INDEX k $$; CREATE FUNCTION n() RETURNS void LANGUAGE sql AS $$ SELECT m() $$; SELECT n();" + number, false},
		{"an index beside a DO block", "CREATE TABLE inv (no int, who text); CREATE UNIQUE INDEX k ON inv (no); CREATE FUNCTION m() RETURNS void LANGUAGE sql AS $$ SELECT 1 $$; DO $d$ BEGIN PERFORM m(); END $d$;" + number, true},
		{"a trigger on a partition", leave + `CREATE TABLE lg (s int) PARTITION BY LIST (s); CREATE TABLE lg1 PARTITION OF lg FOR VALUES IN (1);
CREATE TRIGGER t BEFORE INSERT ON lg1 FOR EACH ROW EXECUTE FUNCTION enough();
CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO lg VALUES (1); UPDATE docs SET oncall = false WHERE id = p; END $$;`, false},
		{"a cast by a function", leave + `CREATE TYPE a AS (x int); CREATE TYPE b AS (y int);
CREATE FUNCTION a_to_b(s a) RETURNS b LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM docs WHERE oncall) < 2 THEN RAISE EXCEPTION 'x'; END IF; RETURN ROW(1)::b; END $$;
CREATE CAST (a AS b) WITH FUNCTION a_to_b(a);
CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM ROW(1)::a::b; UPDATE docs SET oncall = false WHERE id = p; END $$;`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, tc.text, robust.Options{Budget: robust.Budget{Questions: 200, Helpers: 1}}, "f")
			if proved := rep.Verdict == robust.Robust; proved != tc.robust {
				t.Errorf("the verdict is %s: %+v", rep.Verdict, rep.Open)
			}
		})
	}
}
