package repair

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// program is one with these files, judged as robust check does.
func program(files []input.File) Program { return programAt(levels.AtSnapshot, files) }

func programAt(isolation string, files []input.File) Program {
	return Program{
		Files: files,
		Load: func(files []input.File) (*Model, error) {
			p, err := sqlmodel.Parse(files, sqlmodel.Options{})
			return &Model{Program: p}, err
		},
		Check: func(ctx context.Context, p *ir.Program, list map[string]string) (*report.Report, error) {
			named, err := levels.Named(p, list)
			if err != nil {
				return nil, err
			}
			return check.Check(ctx, p, check.Options{Levels: named, Engine: engine.Postgres(), Isolation: isolation, First: true, Helpers: 4, Window: 4, Questions: 2000, QueryLimit: 2_000_000})
		},
	}
}

// shipped is a program of testdata.
func shipped(t *testing.T, kind, name string) Program {
	t.Helper()
	files, err := input.Read(t.Context(), mustReader(t, testprog.Path(t, kind, name)), []string{testprog.Path(t, kind, name)}, 1<<20, "")
	if err != nil {
		t.Fatal(err)
	}
	return program(files)
}

func propose(t *testing.T, p Program) *Result {
	t.Helper()
	res, err := Propose(t.Context(), p, Limits{Want: 3, Checks: 40, Each: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// kinds are those of the changes of a repair, with the transactions that they change.
func kinds(r *Repair) string {
	var out []string
	for _, c := range r.Changes {
		who, _, _ := strings.Cut(c.Text, " ")
		out = append(out, string(c.Kind)+" "+who)
	}
	return strings.Join(out, ", ")
}

// TestPublished: what the literature proposes for these programs is among the repairs, and
// what it warns of is not.
func TestPublished(t *testing.T) {
	for _, tc := range []struct{ kind, name, want, refuted string }{
		{"apps", "smallbank", "for-share write_check", ""},
		{"apps", "smallbank-lock-bal", "for-share write_check", "for-update balance"},
		{"apps", "courseware", "promotion enroll_student", "for-update enroll_student"},
		{"apps", "courseware-lock", "foreign-key a", "for-update remove_course"},
		{"apps", "auction-nickname", "unique-constraint users", "for-update reg_user"},
		{"traps", "s2-lock", "for-share write_check", ""},
		{"traps", "s3-key", "for-share take", "for-update release"},
		{"traps", "s3-unique", "for-share sign_up", ""},
		{"traps", "s3-parent", "for-share drop_parent", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := shipped(t, tc.kind, tc.name)
			res := propose(t, p)
			var got, refuted []string
			for i := range res.Repairs {
				got = append(got, kinds(&res.Repairs[i]))
			}
			for i := range res.Refuted {
				refuted = append(refuted, kinds(&res.Refuted[i]))
			}
			if !slices.Contains(got, tc.want) {
				t.Errorf("the repairs are %q, want %q among them", got, tc.want)
			}
			if tc.refuted != "" && !slices.Contains(refuted, tc.refuted) {
				t.Errorf("refuted are %q, want %q among them", refuted, tc.refuted)
			}
			onServer(t, p, res)
		})
	}
}

// TestLevels: what is wrong at READ COMMITTED only is repaired there, with the lock that does not
// end in a deadlock of two who both hold it.
func TestLevels(t *testing.T) {
	const table = "CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, stock int NOT NULL);\n"
	function := func(body string) string {
		return "CREATE FUNCTION f(i int, k int, m text) RETURNS void LANGUAGE plpgsql AS $$ DECLARE s int; BEGIN\n  " + body + "\nEND $$;\n"
	}
	for _, tc := range []struct{ name, body, want string }{
		{"a lost update", "SELECT stock INTO s FROM item WHERE id = i;\n  UPDATE item SET stock = s - k WHERE id = i;", "for-update f"},
		{"a stale condition", "IF (SELECT stock FROM item WHERE id = i) >= k THEN UPDATE item SET stock = stock - k WHERE id = i; END IF;", "for-update f"},
		{"a lost update by the row's own key", "SELECT id, stock INTO k, s FROM item WHERE id = i;\n  UPDATE item SET stock = s - 1 WHERE id = k;", "for-update f"},
		{"a lost update by an upsert", "SELECT stock INTO s FROM item WHERE id = i;\n  IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF;\n  INSERT INTO item VALUES (i, m, s) ON CONFLICT (id) DO UPDATE SET stock = s - k;", "for-update f"},
		{"another row is written", "SELECT stock INTO s FROM item WHERE id = i;\n  UPDATE item SET stock = s - 1 WHERE id = k;", "for-share f"},
		{"an insert after a look", "IF NOT EXISTS (SELECT FROM item WHERE name = m) THEN INSERT INTO item VALUES (i, m, k); END IF;", "guard-row f"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := propose(t, programAt(levels.AtReadCommitted, []input.File{{Name: "a.sql", Text: table + function(tc.body)}}))
			if len(res.Repairs) == 0 || kinds(&res.Repairs[0]) != tc.want {
				t.Errorf("the repairs are %+v, want %s first", res.Repairs, tc.want)
			}
		})
	}
}

// TestTwoReads: a transaction needs a lock on each of two reads, although nothing is known of the second one
// once the first one has its lock.
func TestTwoReads(t *testing.T) {
	const text = `CREATE TABLE x (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE y (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE z (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION f(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE a int; b int; BEGIN
  SELECT v INTO a FROM x WHERE id = p;
  SELECT v INTO b FROM y WHERE id = q;
  IF a + b > 0 THEN UPDATE z SET v = a + b WHERE id = p; END IF;
END $$;
CREATE FUNCTION g(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  UPDATE x SET v = v + 1 WHERE id = p;
  UPDATE y SET v = v + 1 WHERE id = q;
  UPDATE z SET v = 0 WHERE id = p;
END $$;
`
	res := propose(t, programAt(levels.AtReadCommitted, []input.File{{Name: "a.sql", Text: text}}))
	if len(res.Repairs) == 0 || kinds(&res.Repairs[0]) != "for-share f, for-share f" {
		t.Errorf("the repairs are %+v, want two locks first", res.Repairs)
	}
}

// TestLockedTable: where one of two transactions locks a table, the other one may do so, too.
func TestLockedTable(t *testing.T) {
	const book = "SELECT count(*) INTO c FROM x WHERE room = r;\n  IF c < 2 THEN INSERT INTO x VALUES (p, r); END IF;\nEND $$;\n"
	const head = "(p int, r int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE c int; BEGIN\n  "
	const table = "CREATE TABLE x (id int PRIMARY KEY, room int NOT NULL);\n"
	for locks, want := range map[string]bool{"LOCK TABLE x IN SHARE ROW EXCLUSIVE MODE;\n  ": true, "": false} {
		p := programAt(levels.AtReadCommitted, []input.File{{Name: "a.sql", Text: table + "CREATE FUNCTION book" + head + locks + book + "CREATE FUNCTION quick" + head + book}})
		res, err := Propose(t.Context(), p, Limits{Want: 1, Checks: 12, Each: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		is := slices.ContainsFunc(res.Repairs, func(r Repair) bool { return kinds(&r) == "lock-table quick" })
		if is != want {
			t.Errorf("the repairs are %+v, want lock-table: %v", res.Repairs, want)
		}
	}
}
