package sqlmodel

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
)

// platform is what the cases of TestOutside name and do not declare.
const platform = `CREATE ROLE anon; CREATE SCHEMA auth; CREATE TABLE auth.users (id int PRIMARY KEY, email text UNIQUE);
CREATE SCHEMA store; CREATE TABLE store.objects (bucket text, path text, owner int, PRIMARY KEY (bucket, path));
CREATE TABLE nation (code text PRIMARY KEY, no int UNIQUE);`

// outsideCases declare p, the function bump, which is exact, and something that names what is not declared.
var outsideCases = []struct {
	name, sql string
	// anything are the functions that may do anything.
	anything []string
	// late says that the server accepts it without the platform, too.
	late bool
}{
	{"a body in PL/pgSQL that names a table of another schema", `CREATE FUNCTION f(k int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO p SELECT id, 0 FROM auth.users WHERE id = k; END $$`, []string{"f"}, true},
	{"a body in PL/pgSQL that writes a table of another schema", `CREATE FUNCTION f(k int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM auth.users WHERE id = k; END $$`, []string{"f"}, true},
	{"a body in PL/pgSQL that names a table that nobody declares", `CREATE FUNCTION f(k int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM nobody b WHERE b.id = k); END $$`, []string{"f"}, true},
	{"a row of another schema as a variable", `CREATE FUNCTION f(k int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r auth.users%ROWTYPE; BEGIN SELECT * INTO r FROM auth.users WHERE id = k; UPDATE p SET n = 1 WHERE id = r.id; END $$`, []string{"f"}, false},
	{"a column's type of another schema", `CREATE FUNCTION f(k auth.users.id%TYPE) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x auth.users.id%TYPE; BEGIN SELECT id INTO x FROM auth.users WHERE id = k; END $$`, []string{"f"}, false},
	{"a body in SQL", `CREATE FUNCTION f(k int) RETURNS int LANGUAGE sql AS $$ SELECT id FROM auth.users WHERE id = k $$`, []string{"f"}, false},
	{"a view", `CREATE VIEW v AS SELECT id FROM auth.users; CREATE FUNCTION f(k int) RETURNS int LANGUAGE sql AS $$ SELECT id FROM v WHERE id = k $$`, []string{"f"}, false},
	{"a function that calls one that reads such a table", `CREATE FUNCTION g(k int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN EXISTS (SELECT FROM auth.users WHERE id = k); END $$;
		CREATE FUNCTION f(k int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF g(k) THEN UPDATE p SET n = 0 WHERE id = k; END IF; END $$`, []string{"f", "g"}, true},
	{"a trigger", `CREATE FUNCTION made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO p VALUES (NEW.id, 0); RETURN NEW; END $$;
		CREATE TRIGGER t AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION made()`, nil, false},
	{"declarations", `ALTER TABLE auth.users ENABLE ROW LEVEL SECURITY; CREATE INDEX ON auth.users (email); ALTER TABLE auth.users ADD COLUMN x int;
		ALTER TABLE auth.users RENAME COLUMN x TO y; CREATE POLICY own ON store.objects FOR SELECT USING (bucket = 'a'); GRANT SELECT ON auth.users TO anon;
		COMMENT ON TABLE auth.users IS 'x'; INSERT INTO auth.users VALUES (1, 'a')`, nil, false},
	{"a foreign key", `CREATE TABLE c (id int PRIMARY KEY, u int NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE)`, nil, false},
	{"a foreign key without columns", `CREATE TABLE c (id int PRIMARY KEY, u int REFERENCES auth.users)`, nil, false},
	{"foreign keys to two keys", `CREATE TABLE c (id int PRIMARY KEY, u int REFERENCES auth.users, m text REFERENCES auth.users (email), b text, o text, FOREIGN KEY (b, o) REFERENCES store.objects)`, nil, false},
	{"foreign keys to a table of a file that is not given", `CREATE TABLE c (id int PRIMARY KEY, n text REFERENCES nation, m int REFERENCES nation (no) ON DELETE SET NULL)`, nil, false},
	{"a body that reads such a table", `CREATE TABLE c (id int PRIMARY KEY, n text REFERENCES nation); CREATE FUNCTION f(k text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN EXISTS (SELECT FROM nation WHERE code = k); END $$`, []string{"f"}, false},
	{"FOR UPDATE OF an alias", `CREATE FUNCTION g(k int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM p a1 WHERE a1.id = k FOR UPDATE OF a1; END $$`, nil, true},
	{"a temporary table", `CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE x (k int); PERFORM FROM x; END $$`, nil, true},
}

// TestOutside reads what names tables that no file declares: what a server accepts is read, what names such a table
// may do anything, and nothing else is taken to.
func TestOutside(t *testing.T) {
	const own = "CREATE TABLE p (id int PRIMARY KEY, n int NOT NULL);\nCREATE FUNCTION bump(k int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE p SET n = n + 1 WHERE id = k; END $$;\n"
	server := pgtest.Open(t)
	accepts := func(sql string) error {
		conn := server.Conn(t, server.Database(t)).PgConn()
		_, err := conn.Exec(context.Background(), "BEGIN; "+sql+"; ROLLBACK").ReadAll()
		return err
	}
	for _, c := range outsideCases {
		t.Run(c.name, func(t *testing.T) {
			if err := accepts(platform + own + c.sql); err != nil {
				t.Fatalf("the server refuses the case: %v", err)
			}
			if err := accepts(own + c.sql); (err == nil) != c.late {
				t.Errorf("without the platform the server says %v", err)
			}
			prog, err := Parse([]File{{Name: "case.sql", Text: own + c.sql + ";"}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, txn := range prog.Txns {
				all := false
				ir.Walk(txn.Body, func(s ir.Stmt) {
					u, ok := s.(*ir.Unmodelled)
					all = all || ok && u.Tables == nil
				})
				if all != slices.Contains(c.anything, txn.Name) {
					t.Errorf("%s may do anything: %v\n%s", txn.Name, all, prog)
				}
			}
		})
	}
}

// TestOutsideParent checks that a foreign key to a table that no file declares is the one to a table with its key
// alone, and that a server can make the schema that is kept for it.
func TestOutsideParent(t *testing.T) {
	const child = `CREATE TABLE c (id int PRIMARY KEY, u uuid NOT NULL REFERENCES auth.users (id), m varchar(20) REFERENCES auth.users (mail));
CREATE FUNCTION add(k int, u uuid, m text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO c VALUES (k, u, m); END $$;
CREATE FUNCTION move(k int, to_ uuid) RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE c SET u = to_ WHERE id = k; END $$;`
	parse := func(text string) *ir.Program {
		p, err := Parse([]File{{Name: "case.sql", Text: text}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	missing, declared := parse(child), parse("CREATE SCHEMA auth;\nCREATE TABLE auth.users (id uuid PRIMARY KEY, mail varchar(20) NOT NULL UNIQUE);\n"+child)
	for i, txn := range declared.Txns {
		if got, want := bodyOf(missing.Txns[i]), bodyOf(txn); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t)).PgConn()
	for _, d := range missing.Schema {
		if _, err := conn.Exec(context.Background(), d.Text).ReadAll(); err != nil {
			t.Errorf("%s: %v", d.Text, err)
		}
	}
}

// bodyOf prints the statements of a transaction.
func bodyOf(txn *ir.Txn) string {
	var out []string
	for _, s := range txn.Body {
		out = append(out, s.String())
	}
	return strings.Join(out, "\n")
}
