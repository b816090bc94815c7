package sqlmodel

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/schema"
)

var (
	rowLockCases = flag.Int("rowlocks.cases", 400, "how many statements TestRowLocks makes")
	rowLockFirst = flag.Uint64("rowlocks.first", 1, "the seed of the first one")
)

// TestRowLocks makes statements with row locks in all places, and asks a real server
// which rows it has locked in which mode: at least those that the translated transaction
// locks in the interpreter, and at most those and the ones that it says may be locked. The
// n-th statement depends on the number n alone, and so does the way in which the server
// joins.
func TestRowLocks(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, lockSchema+refusedFunction)
	s := &statements{differ: differ{t: t, conn: server.Conn(t, dsn), other: server.Conn(t, dsn)}}
	count := map[string]int{}
	for n := range uint64(*rowLockCases) {
		count[rowLocksOf(s, *rowLockFirst+n)]++
	}
	t.Logf("seeds %d to %d: %v", *rowLockFirst, *rowLockFirst+uint64(*rowLockCases)-1, count)
	known, open := count["exact"]+count["refused"], count["bounded"]
	if known < open {
		t.Errorf("of %d statements it is known exactly which rows are locked, and of %d not", known, open)
	}
}

// TestRowLocksOfQueries does the same for some queries in FROM, of which it is known that
// their locks are exact, or that they are not.
func TestRowLocksOfQueries(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, lockSchema+refusedFunction)
	s := &statements{differ: differ{t: t, conn: server.Conn(t, dsn), other: server.Conn(t, dsn)}}
	for _, c := range []struct{ query, want string }{
		{"SELECT k FROM (SELECT k, x FROM a FOR UPDATE) s WHERE s.x = 10", "exact"},
		{"SELECT k FROM (SELECT k, x FROM a FOR UPDATE) s ORDER BY x, k LIMIT 1", "bounded"},
		{"SELECT k FROM (SELECT k, x FROM a ORDER BY k FOR UPDATE) s OFFSET 1", "bounded"},
		{"PERFORM k FROM (SELECT k, x FROM a FOR UPDATE) s ORDER BY x, k", "exact"},
		{"PERFORM k FROM (SELECT k, x FROM a FOR UPDATE) s ORDER BY x, k LIMIT 2", "bounded"},
		{"WITH w AS MATERIALIZED (SELECT k, x FROM a FOR UPDATE) SELECT k FROM w WHERE x = 10", "exact"},
		{"WITH w AS MATERIALIZED (SELECT k, x FROM a FOR UPDATE) SELECT k FROM w WHERE x = 10 AND x = 20", "bounded"},
		{"WITH w AS MATERIALIZED (SELECT k, x FROM a FOR UPDATE) SELECT k FROM w WHERE x = 10 AND k = 1", "exact"},
		{"SELECT s.k FROM b, LATERAL (SELECT a.k FROM a WHERE a.x = b.x ORDER BY a.k LIMIT 1 FOR UPDATE) s", "bounded"},
		{"SELECT s.k FROM b, LATERAL (SELECT a.k FROM a WHERE a.x = 10 ORDER BY a.k LIMIT 1 FOR UPDATE) s", "bounded"},
		{"IF NOT EXISTS (SELECT k FROM a ORDER BY x DESC, k DESC FOR UPDATE) THEN RETURN 0; END IF", "exact"},
		{"IF EXISTS (SELECT k FROM a WHERE x = 10 ORDER BY k DESC FOR UPDATE) THEN RETURN 0; END IF", "exact"},
	} {
		fn := "CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql AS $$ " + c.query + " $$"
		if strings.HasPrefix(c.query, "PERFORM") || strings.HasPrefix(c.query, "IF") {
			fn = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN " + c.query + "; RETURN 1; END $$"
		}
		if got := s.rowLocksIn(fn, "RESET ALL", fn); got != c.want {
			t.Errorf("the locks of %s are %s, want %s", c.query, got, c.want)
		}
	}
}

// refusedFunction gives the number of the weakest lock on a row that cannot be had, or 0.
const refusedFunction = `
CREATE FUNCTION refused(t text, k int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE modes text[] := '{KEY SHARE, SHARE, NO KEY UPDATE, UPDATE}';
BEGIN
  EXECUTE format('SELECT 1 FROM %I WHERE k = $1 FOR UPDATE NOWAIT', t) USING k;
  RETURN 0;
EXCEPTION WHEN lock_not_available THEN
  FOR i IN 1 .. 4 LOOP
    BEGIN
      EXECUTE format('SELECT 1 FROM %I WHERE k = $1 FOR %s NOWAIT', t, modes[i]) USING k;
    EXCEPTION WHEN lock_not_available THEN
      RETURN i;
    END;
  END LOOP;
  RETURN 0;
END $$;
`

// lockSchema has three tables of one shape, views over them, and functions.
const lockSchema = `
CREATE TABLE a (k int PRIMARY KEY, x int, y int);
CREATE TABLE b (k int PRIMARY KEY, x int, y int);
CREATE TABLE c (k int PRIMARY KEY, x int, y int);
CREATE TABLE d (k int PRIMARY KEY, x int, y int UNIQUE);
INSERT INTO d (k, x, y) VALUES (1, 10, 1), (2, 20, 2), (3, 10, 3);
CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF old.x = 10 THEN RETURN NULL; ELSIF TG_OP = ''DELETE'' THEN RETURN old; END IF; RETURN new; END';
CREATE TRIGGER guard BEFORE UPDATE OR DELETE ON d FOR EACH ROW EXECUTE FUNCTION guard();
INSERT INTO a (k, x, y) VALUES (1, 10, 1), (2, 20, 1), (3, 10, 2), (4, NULL, 2);
INSERT INTO b (k, x, y) VALUES (1, 10, 1), (2, 20, 2), (5, 30, 3);
INSERT INTO c (k, x, y) VALUES (2, 20, 1), (3, 10, 5);
CREATE VIEW v_plain AS SELECT k, x, y FROM a WHERE y = 1;
CREATE VIEW v_nested AS SELECT k, x, y FROM v_plain WHERE x > 5;
CREATE VIEW v_sorted AS SELECT k, x, y FROM b ORDER BY k;
CREATE VIEW v_first AS SELECT k, x, y FROM a ORDER BY k LIMIT 2;
CREATE VIEW v_locks AS SELECT k, x, y FROM b WHERE x > 10 FOR UPDATE;
CREATE VIEW v_join AS SELECT a.k, b.x, a.y FROM a JOIN b ON b.k = a.k;
CREATE VIEW v_left AS SELECT c.k, c.x, a.y FROM c LEFT JOIN a ON a.k = c.k AND a.y = 1;
CREATE VIEW v_exists AS SELECT k, x, y FROM c WHERE EXISTS (SELECT 1 FROM a WHERE a.k = c.k);
CREATE VIEW v_union AS SELECT k, x, y FROM a UNION ALL SELECT k, x, y FROM b;
CREATE FUNCTION f_locks(i int) RETURNS SETOF a LANGUAGE sql AS 'SELECT k, x, y FROM a WHERE x = i FOR NO KEY UPDATE';
CREATE FUNCTION f_reads(i int) RETURNS SETOF a LANGUAGE sql STABLE AS 'SELECT k, x, y FROM a WHERE x = i';
CREATE FUNCTION f_one(i int) RETURNS int LANGUAGE plpgsql AS 'DECLARE v int; BEGIN SELECT y INTO v FROM c WHERE k = i FOR SHARE; RETURN v; END';
`

// rowLocksOf compares one statement, and says how well its locks are known.
func rowLocksOf(s *statements, seed uint64) string {
	g := &lockGenerator{r: rand.New(rand.NewPCG(seed, 7))}
	fn := g.function()
	return s.rowLocksIn(fn, g.planner(), fmt.Sprintf("seed %d\n%s", seed, fn))
}

// rowLocksIn compares the locks of a function f, and says how well they are known.
func (s *statements) rowLocksIn(fn, planner, where string) string {
	files := []File{{Name: "f.sql", Text: lockSchema + fn}}
	refused := s.runLocking(fn, planner)
	defer s.exec("DROP FUNCTION IF EXISTS f")
	defer s.exec("ROLLBACK")
	opt := Options{Txns: []string{"f"}}
	l, err := read(opt.input(files))
	if err == nil {
		s.prog, err = Parse(files, opt)
	}
	if fault := (*ir.Error)(nil); errors.As(err, &fault) {
		if refused == nil {
			s.t.Errorf("%s\nthe server runs it, but it is no input: %v", where, err)
		}
		return "refused"
	} else if err != nil {
		s.t.Fatalf("%s\n%v", where, err)
	}
	s.l, s.base = l, nil
	for _, tab := range l.Order {
		s.base = append(s.base, s.rowsOf(tab))
	}
	s.machine = interp.NewMachine(s.prog, engine.Postgres())
	db := interp.NewDB(s.prog, s.base)
	held := s.heldLocks()
	var tried []string
	result := ""
	for _, run := range s.machine.Runs(s.instance("f", 1), db, nil, true) {
		why := ""
		result, why = s.judgeLocks(run, held, refused)
		if why == "" {
			return result
		}
		tried = append(tried, why)
	}
	s.t.Errorf("%s\n%s\n%s", where, strings.Join(tried, "\n--- or\n"), s.prog.Txn("f"))
	return "wrong"
}

// runLocking declares a function and runs it in a transaction that stays open, with
// settings of the planner. It gives the error that the server refuses it with.
func (s *statements) runLocking(fn, planner string) error {
	s.exec("SET check_function_bodies = off")
	s.exec(fn)
	s.exec(planner)
	s.exec("BEGIN ISOLATION LEVEL REPEATABLE READ")
	_, err := s.rows("SELECT f()")
	if fault := (*pgconn.PgError)(nil); err != nil && !errors.As(err, &fault) {
		s.t.Fatal(err)
	}
	return err
}

// heldLocks gives the weakest lock on each row that another session cannot get.
func (s *statements) heldLocks() map[string]ir.LockMode {
	out := map[string]ir.LockMode{}
	rows, err := s.other.Query(context.Background(), `SELECT 'a(' || k || ')', refused('a', k) FROM a UNION ALL SELECT 'b(' || k || ')', refused('b', k) FROM b
		UNION ALL SELECT 'c(' || k || ')', refused('c', k) FROM c UNION ALL SELECT 'd(' || k || ')', refused('d', k) FROM d`)
	if err != nil {
		s.t.Fatal(err)
	}
	var name string
	var mode int
	if _, err := pgx.ForEachRow(rows, []any{&name, &mode}, func() error { out[name] = ir.LockMode(mode); return nil }); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// rowsOf gives the rows that lockSchema makes.
func (s *statements) rowsOf(tab *schema.Table) [][]ir.Value { return tab.IR.Rows }

// judgeLocks compares the locks of a run with those that are held. why says what is wrong.
func (s *statements) judgeLocks(run *interp.Run, held map[string]ir.LockMode, refused error) (result, why string) {
	switch {
	case run.Unmodelled != nil:
		return "unmodelled", ""
	case refused != nil:
		for _, d := range run.Dropped {
			if d.Stmt.Kind == ir.ByError {
				return "bounded", ""
			}
		}
		if run.Blocked == "" {
			return "", fmt.Sprintf("the server refuses it, but nothing says so: %v", refused)
		}
		return "refused", ""
	case run.Blocked != "":
		return "", "the server runs it, but it fails: " + run.Blocked
	}
	sure, may := s.rowLocks(run), s.droppedLocks(run)
	result = "exact"
	for i, tab := range s.l.Order {
		for _, row := range s.base[i] {
			name := tab.Name + "(" + s.keyText(tab.IR, row) + ")"
			free := held[name]
			if !between(sure[name], may[name], free) {
				why += fmt.Sprintf("locks %s %q, or %q if that may be, but on the server the weakest lock that others cannot get is %q\n", name, sure[name], may[name], free)
			}
			if may[name] > sure[name] {
				result = "bounded"
			}
		}
	}
	return result, why
}

// lockGenerator makes functions whose statements lock rows.
type lockGenerator struct {
	r     *rand.Rand
	names int
	ctes  []string
}

func (g *lockGenerator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *lockGenerator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *lockGenerator) alias() string {
	g.names++
	return fmt.Sprintf("t%d", g.names)
}

// planner gives settings that let the server join in other ways.
func (g *lockGenerator) planner() string {
	out := "RESET ALL"
	for _, name := range []string{"enable_hashjoin", "enable_nestloop", "enable_mergejoin", "enable_seqscan", "enable_material", "enable_memoize"} {
		if g.chance(25) {
			out += "; SET " + name + " = off"
		}
	}
	return out
}

// function gives a function f with a statement in one of the places in which one can be.
func (g *lockGenerator) function() string {
	body := func(vars, text string) string {
		return "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE v int; w int; r record; " + vars + " BEGIN " + text + " RETURN 1; END $$"
	}
	q := g.query(2, true)
	switch g.r.IntN(18) {
	case 0, 1, 2:
		return "CREATE FUNCTION f() RETURNS SETOF record LANGUAGE sql AS $$ " + q + " $$"
	case 3:
		return body("", "PERFORM * FROM ("+q+") z;")
	case 4:
		return body("", "SELECT z.k, z.x INTO v, w FROM ("+q+") z;")
	case 5:
		if strings.HasPrefix(q, "WITH") {
			return body("", "SELECT * INTO r FROM ("+q+") z;")
		}
		return body("", strings.Replace(q, " FROM", " INTO v FROM", 1)+";")
	case 6:
		return body("", "FOR r IN "+q+" LOOP v := r.k; END LOOP;")
	case 7:
		return body("", "FOR r IN "+q+" LOOP EXIT; END LOOP;")
	case 8:
		return body("cur CURSOR FOR "+q+";", "FOR r IN cur LOOP "+g.pick("EXIT;", "v := r.k;")+" END LOOP;")
	case 9:
		return "CREATE FUNCTION f() RETURNS TABLE (k int, x int, y int) LANGUAGE plpgsql AS $$ #variable_conflict use_column\nBEGIN RETURN QUERY " + q + "; END $$"
	case 10:
		return body("", g.pick("v := (SELECT k FROM ("+q+") z ORDER BY k LIMIT 1);", "v := count(*) FROM ("+q+") z;", "IF EXISTS ("+q+") THEN v := 1; END IF;",
			"v := cardinality(ARRAY(SELECT k FROM ("+q+") z));", "v := CASE WHEN EXISTS (SELECT 1 FROM a) THEN 1 ELSE (SELECT max(k) FROM ("+q+") z) END;",
			"v := coalesce((SELECT max(k) FROM ("+q+") z), (SELECT k FROM a WHERE k = 4 FOR UPDATE));", "v := f_one(2);"))
	case 11:
		return body("", "INSERT INTO c (k, x, y) SELECT z.k + 100, z.x, z.y FROM ("+q+") z ON CONFLICT (k) DO NOTHING;")
	case 12:
		return body("", "INSERT INTO c (k, x, y) SELECT k + 100, x, y FROM a WHERE x = 10 "+g.clause("a")+";")
	case 16:
		return body("", g.pick("UPDATE d SET x = 5", "UPDATE d SET y = 9", "UPDATE d SET y = y", "DELETE FROM d")+" WHERE "+g.pick("k = 1", "k = 2", "x = 10", "k < 3", "y = 3", "k = 2 AND x = 10")+";")
	case 17:
		return body("", "INSERT INTO "+g.pick("a", "d")+" (k, x, y) VALUES (1, 5, 7), ("+g.pick("2", "8")+", 6, 8) ON CONFLICT "+
			g.pick("DO NOTHING", "(k) DO NOTHING", "(k) DO UPDATE SET x = 7", "(k) DO UPDATE SET x = 7 WHERE excluded.x = 6", "(k) DO UPDATE SET y = 99 WHERE excluded.k > 1")+";")
	case 13:
		return body("", "UPDATE c SET y = c.y + 1 FROM "+g.item(1)+" s WHERE s.k = c.k"+g.pick("", " AND c.x = 20")+";")
	case 14:
		keys := "(SELECT z.k FROM (" + q + ") z)"
		return body("", "UPDATE c SET y = 9 WHERE k "+g.pick("IN "+keys, "= ANY "+keys, "= (SELECT min(z.k) FROM ("+q+") z)")+";")
	}
	return body("", "DELETE FROM c USING "+g.item(1)+" s WHERE s.k = c.k;")
}

// query gives a query with columns k, x and y; top says that it stands by itself.
func (g *lockGenerator) query(depth int, top bool) string {
	with := ""
	if depth > 0 && g.chance(30) {
		outer := g.ctes
		name := fmt.Sprintf("q%d", g.r.IntN(100))
		with = "WITH " + name + " AS " + g.pick("", "", "MATERIALIZED ", "NOT MATERIALIZED ") + "(" + g.query(depth-1, false) + ") "
		g.ctes = append(outer[:len(outer):len(outer)], name)
		defer func() { g.ctes = outer }()
	}
	if depth > 0 && g.chance(8) {
		return with + "SELECT k, x, y FROM (" + g.query(depth-1, false) + ") l " + g.pick("UNION", "UNION ALL", "EXCEPT", "INTERSECT") +
			" SELECT k, x, y FROM (" + g.query(depth-1, false) + ") r"
	}
	one := g.alias()
	from := g.item(depth) + " " + one
	list := []string{one}
	var conds []string
	if g.chance(35) {
		two := g.alias()
		switch g.r.IntN(4) {
		case 0:
			from += ", " + g.item(depth) + " " + two
			conds = append(conds, two+"."+g.pick("k", "y")+" = "+one+".k")
		case 1:
			from += " JOIN " + g.item(depth) + " " + two + " ON " + two + ".k = " + one + "." + g.pick("k", "y")
		case 2:
			from += " LEFT JOIN " + g.item(depth) + " " + two + " ON " + two + ".k = " + one + ".k"
		case 3:
			from += ", LATERAL (SELECT k, x, y FROM " + g.pick("a", "b", "c") + " z WHERE z.k = " + one + ".k " + g.maybeClause(30, "z") + ") " + two
		}
		list = append(list, two)
	}
	for g.chance(50) {
		conds = append(conds, g.condition(one, depth))
	}
	q := with + "SELECT " + one + ".k, " + one + ".x, " + list[len(list)-1] + ".y FROM " + from
	if len(conds) > 0 {
		q += " WHERE " + strings.Join(conds, " AND ")
	}
	grouped := g.chance(8)
	if grouped {
		q = strings.Replace(q, "SELECT ", "SELECT DISTINCT ", 1)
	}
	if g.chance(20) {
		q += " ORDER BY " + one + ".k"
		if g.chance(50) {
			q += " LIMIT " + g.pick("1", "2")
			if g.chance(30) {
				q += " OFFSET 1"
			}
		}
	} else if g.chance(8) {
		q += " LIMIT 1"
	}
	locks := 30
	if top {
		locks = 50
	}
	if grouped {
		locks = 10
	}
	return q + g.maybeClause(locks, list...)
}

// item gives something to stand in FROM, before its alias.
func (g *lockGenerator) item(depth int) string {
	if len(g.ctes) > 0 && g.chance(40) {
		return g.ctes[g.r.IntN(len(g.ctes))]
	}
	if depth > 0 && g.chance(35) {
		return "(" + g.query(depth-1, false) + ")"
	}
	if g.chance(30) {
		return g.pick("v_plain", "v_nested", "v_sorted", "v_first", "v_locks", "v_join", "v_left", "v_exists", "v_union",
			"f_locks(10)", "f_reads(10)", "(SELECT * FROM (VALUES (1, 10, 1), (2, 20, 2)) w (k, x, y))")
	}
	return g.pick("a", "b", "c")
}

func (g *lockGenerator) condition(t string, depth int) string {
	switch g.r.IntN(9) {
	case 0:
		return t + ".k = " + g.pick("1", "2", "7")
	case 1:
		return t + ".x > " + g.pick("5", "15")
	case 2:
		return t + ".y = " + g.pick("1", "2")
	case 3:
		return "(" + t + ".y = 2 OR " + t + ".x = 10)"
	case 4:
		return t + ".k IN (SELECT z.k FROM b z WHERE z.y < 3" + g.maybeClause(40, "z") + ")"
	case 5:
		return "EXISTS (SELECT 1 FROM c z WHERE " + g.pick("z.k = "+t+".k", "z.y = 5", "true") + g.maybeClause(40, "z") + ")"
	case 6:
		return t + ".k = (SELECT z.k FROM a z WHERE " + g.pick("z.k = 1", "z.x = 20", "z.k = "+t+".k") + g.maybeClause(40, "z") + ")"
	case 7:
		return t + ".k <= " + g.pick("2", "3")
	}
	return "coalesce(" + t + ".x, (SELECT z.y FROM c z WHERE z.k = 2" + g.maybeClause(40, "z") + ")) > 0"
}

func (g *lockGenerator) maybeClause(percent int, aliases ...string) string {
	if !g.chance(percent) {
		return ""
	}
	return " " + g.clause(aliases...)
}

// clause gives one or two locking clauses.
func (g *lockGenerator) clause(aliases ...string) string {
	out := "FOR " + g.pick("UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE")
	if g.chance(30) || len(aliases) > 1 && g.chance(50) {
		out += " OF " + g.pick(aliases...)
	}
	if g.chance(10) {
		out += " NOWAIT"
	}
	if g.chance(10) {
		out += " " + g.clause(aliases...)
	}
	return out
}
