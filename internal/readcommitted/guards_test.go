package readcommitted_test

import (
	"strings"
	"testing"
)

// TestWrittenGuards: a row that each transaction writes before it reads others is a lock like one that
// SELECT … FOR UPDATE takes, if it is known to be there.
func TestWrittenGuards(t *testing.T) {
	const plain = "CREATE TABLE grp (id int PRIMARY KEY, n int NOT NULL, open boolean NOT NULL);\nCREATE TABLE job (id int PRIMARY KEY, grp int NOT NULL, st int NOT NULL);\n"
	const refers = "CREATE TABLE grp (id int PRIMARY KEY, n int NOT NULL, open boolean NOT NULL);\nCREATE TABLE job (id int PRIMARY KEY, grp int NOT NULL REFERENCES grp, st int NOT NULL);\n"
	const mayRefer = "CREATE TABLE grp (id int PRIMARY KEY, n int NOT NULL, open boolean NOT NULL, name int UNIQUE);\nCREATE TABLE job (id int PRIMARY KEY, grp int REFERENCES grp (name), st int NOT NULL);\n"
	const txns = `
		CREATE FUNCTION fin(g int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN
			GUARD
			UPDATE job SET st = 2 WHERE grp = g AND st = 1; END $$;
		CREATE FUNCTION start(j int, g int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN
			GUARD
			UPDATE job SET st = 1 WHERE id = j AND grp = g; END $$;
		`
	const found = " IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF;"
	for _, tc := range []struct {
		name, tables, guard, more string
		want                      bool
	}{
		{"an UPDATE that finds the row", plain, "UPDATE grp SET n = n + 1 WHERE id = g;" + found, "", true},
		{"an UPDATE that changes nothing", plain, "UPDATE grp SET n = n WHERE id = g;" + found, "", true},
		{"what it returns", plain, "UPDATE grp SET n = n WHERE id = g RETURNING id INTO x; IF x IS NULL THEN RAISE EXCEPTION 'no'; END IF;", "", true},
		{"how many rows it changes", plain, "UPDATE grp SET n = n WHERE id = g; GET DIAGNOSTICS x = ROW_COUNT; IF x = 0 THEN RAISE EXCEPTION 'no'; END IF;", "", true},
		{"FOR NO KEY UPDATE", plain, "PERFORM 1 FROM grp WHERE id = g FOR NO KEY UPDATE;" + found, "", true},
		{"an insertion or an UPDATE", plain, "INSERT INTO grp VALUES (g, 0, true) ON CONFLICT (id) DO UPDATE SET n = grp.n + 1;", "", true},
		{"FOR KEY SHARE", plain, "PERFORM 1 FROM grp WHERE id = g FOR KEY SHARE;" + found, "", false},
		{"FOR SHARE", plain, "PERFORM 1 FROM grp WHERE id = g FOR SHARE;" + found, "", false},
		{"the row may be absent", plain, "UPDATE grp SET n = n + 1 WHERE id = g;", "", false},
		{"the row is that of a parent", refers, "UPDATE grp SET n = n + 1 WHERE id = g;", "", true},
		{"a parent that may come later", refers, "UPDATE grp SET n = n + 1 WHERE id = g;", "CREATE FUNCTION founds(g int) RETURNS void LANGUAGE sql AS 'INSERT INTO grp VALUES (g, 0, true)';", false},
		{"a parent by a key that changes", mayRefer, "UPDATE grp SET n = n + 1 WHERE name = g;", "CREATE FUNCTION names(g int, k int) RETURNS void LANGUAGE sql AS 'UPDATE grp SET name = k WHERE id = g';", false},
		{"a parent by a key that stays", mayRefer, "UPDATE grp SET n = n + 1 WHERE name = g;", "", true},
		{"a row that may not match", plain, "UPDATE grp SET n = n + 1 WHERE id = g AND open;", "CREATE FUNCTION shuts(g int) RETURNS void LANGUAGE sql AS 'UPDATE grp SET open = false WHERE id = g';", false},
		{"a row that may not match, and is found", plain, "UPDATE grp SET n = n + 1 WHERE id = g AND open;" + found, "CREATE FUNCTION shuts(g int) RETURNS void LANGUAGE sql AS 'UPDATE grp SET open = false WHERE id = g';", true},
		{"another row", plain, "UPDATE grp SET n = n + 1 WHERE id = g + 1;" + found, "", true},
		{"another row in one of them", plain, "UPDATE grp SET n = n + 1 WHERE id = g;" + found, "CREATE FUNCTION other(j int, g int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE grp SET n = n + 1 WHERE id = g + 1; UPDATE job SET st = 1 WHERE id = j AND grp = g; END $$;", false},
		{"one that takes no guard", plain, "UPDATE grp SET n = n + 1 WHERE id = g;" + found, "CREATE FUNCTION other(j int) RETURNS void LANGUAGE sql AS 'UPDATE job SET st = 1 WHERE id = j';", false},
		{"a row that goes", plain, "UPDATE grp SET n = n + 1 WHERE id = g;" + found, "CREATE FUNCTION ends(g int) RETURNS void LANGUAGE sql AS 'DELETE FROM grp WHERE id = g';", true},
	} {
		p := program(t, tc.name, tc.tables+strings.ReplaceAll(txns, "GUARD", tc.guard)+tc.more)
		wantAtomic(t, tc.name, p, "fin", tc.want)
	}
}
