package sqlmodel

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/schema"
)

var (
	visibleCases = flag.Int("visible.cases", 400, "how many programs that look at what they write to compare with a server")
	visibleSeed  = flag.Uint64("visible.seed", seed, "the seed of these")
)

// visibleCase is a function whose statements look at the rows that they write themselves: in subqueries, in functions of
// each volatility, in triggers, and in WITH queries.
type visibleCase struct {
	rng   *rand.Rand
	ddl   []string
	funcs int
	kind  string
}

func (c *visibleCase) add(format string, args ...any) {
	c.ddl = append(c.ddl, fmt.Sprintf(format, args...)+";")
}

func (c *visibleCase) pick(list ...string) string { return list[c.rng.IntN(len(list))] }

// volatility is one of a function; IMMUTABLE ones that read tables are not modelled, and may be stale on a server.
func (c *visibleCase) volatility() string { return c.pick("", " VOLATILE", " STABLE") }

// look is an expression that counts rows or adds numbers of a table.
func (c *visibleCase) look() string {
	return "(SELECT " + c.pick("count(*)::int", "coalesce(sum(n), 0)::int", "coalesce(max(k), 0)") + " FROM " + c.pick("v", "v", "w") + ")"
}

// function makes a function that gives an integer, and gives its name. depth bounds the calls in it.
func (c *visibleCase) function(depth int, writes bool) string {
	c.funcs++
	name := "f" + strconv.Itoa(c.funcs)
	result := c.look()
	if depth > 0 && c.rng.IntN(2) == 0 {
		result = c.function(depth-1, writes && c.rng.IntN(2) == 0)
		if c.rng.IntN(2) == 0 {
			result += " * 10 + " + c.look()
		}
	}
	write := ""
	if writes {
		write = c.pick("INSERT INTO w SELECT coalesce(max(k), 0) + 1, 7 FROM w; ", "UPDATE v SET n = n + 1; ", "UPDATE w SET n = n + 1; ",
			"DELETE FROM w WHERE k = (SELECT min(k) FROM w); ", "PERFORM 1 FROM v ORDER BY k FOR UPDATE; ")
	}
	if c.rng.IntN(2) == 0 {
		c.add("CREATE FUNCTION %s() RETURNS int LANGUAGE sql%s AS $f$ %sSELECT %s $f$", name, c.volatility(), strings.Replace(write, "PERFORM", "SELECT", 1), result)
	} else {
		c.add("CREATE FUNCTION %s() RETURNS int LANGUAGE plpgsql%s AS $f$ BEGIN %sRETURN %s; END $f$", name, c.volatility(), write, result)
	}
	return name + "()"
}

// expr is an integer that depends on what is visible.
func (c *visibleCase) expr() string {
	switch c.rng.IntN(6) {
	case 0, 1:
		return c.look()
	case 2, 3:
		return c.function(0, false)
	case 4:
		return c.function(1, false)
	}
	return c.function(c.rng.IntN(2), true)
}

// trigger makes a trigger of v.
func (c *visibleCase) trigger() {
	when, level, event := c.pick("BEFORE", "AFTER"), c.pick("ROW", "STATEMENT"), c.pick("INSERT", "UPDATE", "DELETE", "INSERT OR UPDATE")
	body := c.pick("INSERT INTO seen VALUES ("+c.look()+"); ", "INSERT INTO seen VALUES ("+c.function(0, false)+"); ",
		"IF "+c.look()+" > 3 THEN RAISE EXCEPTION 'many'; END IF; ")
	if level == "ROW" && event != "DELETE" && when == "BEFORE" && c.rng.IntN(2) == 0 {
		body = "NEW.n := " + c.look() + "; "
	}
	result := "NULL"
	if when == "BEFORE" && level == "ROW" {
		result = "NEW"
		if event == "DELETE" {
			result = "OLD"
		}
	}
	c.funcs++
	c.add("CREATE FUNCTION t%d() RETURNS trigger LANGUAGE plpgsql%s AS $f$ BEGIN %sRETURN %s; END $f$", c.funcs, c.volatility(), body, result)
	c.add("CREATE TRIGGER t%d %s %s ON v FOR EACH %s EXECUTE FUNCTION t%[1]d()", c.funcs, when, event, level)
}

// statement is one that gives numbers as rows of one column, or none.
func (c *visibleCase) statement() string {
	returning := ""
	if c.rng.IntN(2) == 0 {
		returning = " RETURNING " + c.pick("n", "k", c.expr(), "n + "+c.expr())
	}
	c.kind = c.pick("insert", "insert rows", "insert select", "update", "delete", "select", "merge", "upsert", "with", "with")
	switch c.kind {
	case "insert":
		return "INSERT INTO v VALUES (50, " + c.expr() + ")" + returning
	case "insert rows":
		return "INSERT INTO v VALUES (50, " + c.expr() + "), (51, " + c.expr() + ")" + returning
	case "insert select":
		return "INSERT INTO v SELECT k + 50, " + c.pick("n", c.expr()) + " FROM " + c.pick("v", "w") + returning
	case "update":
		return "UPDATE v SET n = " + c.pick("n + ", "") + c.expr() + c.pick("", " WHERE k = 1", " WHERE n < "+c.expr()) + returning
	case "delete":
		return "DELETE FROM v WHERE " + c.pick("k = 1", "n < "+c.expr(), "k <= 2") + returning
	case "select":
		return "SELECT " + c.expr() + " + 100 * " + c.expr() + c.pick("", " FROM w", " WHERE "+c.expr()+" > 0")
	case "merge":
		return "MERGE INTO v USING w ON v.k = w.k WHEN MATCHED THEN UPDATE SET n = " + c.pick("w.n", c.expr()) + " WHEN NOT MATCHED THEN INSERT VALUES (w.k, " + c.pick("w.n", c.expr()) + ")"
	case "upsert":
		return "INSERT INTO v VALUES (" + c.pick("1", "50") + ", " + c.expr() + ") ON CONFLICT (k) DO UPDATE SET n = " + c.pick("excluded.n", "v.n + "+c.expr()) + returning
	}
	return c.with()
}

// with is a statement with WITH queries that write.
func (c *visibleCase) with() string {
	part := func() string {
		return c.pick(
			"INSERT INTO v VALUES (50, "+c.pick("5", c.look())+") ON CONFLICT DO NOTHING RETURNING k, n",
			"INSERT INTO w VALUES (60, "+c.look()+") RETURNING k, n",
			"UPDATE v SET n = n + 1 WHERE k = 1 RETURNING k, n",
			"UPDATE w SET n = "+c.look()+" RETURNING k, n",
			"DELETE FROM v WHERE k = 1 RETURNING k, n",
			"DELETE FROM w RETURNING k, n",
			"UPDATE v SET n = n + 10 WHERE k IN (SELECT k FROM w) RETURNING k, n")
	}
	parts := "p AS (" + part() + ")"
	if c.rng.IntN(3) == 0 {
		parts += ", q AS (" + part() + ")"
	}
	return "WITH " + parts + " " + c.pick(
		"SELECT n FROM p",
		"SELECT "+c.look()+" + 100 * (SELECT count(*)::int FROM p)",
		"SELECT n FROM p UNION ALL SELECT n FROM v WHERE k = 1",
		"SELECT v.n FROM v JOIN p ON v.k = p.k",
		"SELECT n FROM p UNION ALL SELECT n FROM w",
		"INSERT INTO seen SELECT n FROM p",
		"INSERT INTO v SELECT 70, 7 WHERE NOT EXISTS (SELECT 1 FROM p)",
		"INSERT INTO w SELECT k + 80, n FROM p",
		"UPDATE v SET n = n + 100 WHERE k = 1",
		"UPDATE w SET n = p.n FROM p WHERE w.k = p.k",
		"DELETE FROM v WHERE k = 1",
		"DELETE FROM seen WHERE n IN (SELECT n FROM p)",
		"INSERT INTO seen VALUES ("+c.look()+")",
		"SELECT "+c.function(0, false))
}

// newVisibleCase makes a case: the function run, whose rows are numbers.
func newVisibleCase(rng *rand.Rand) *visibleCase {
	c := &visibleCase{rng: rng}
	c.add("CREATE TABLE v (k int PRIMARY KEY, n int NOT NULL)")
	c.add("CREATE TABLE w (k int PRIMARY KEY, n int NOT NULL)")
	c.add("CREATE TABLE seen (n int)")
	for range rng.IntN(3) {
		c.trigger()
	}
	stmt := c.statement()
	rows := strings.Contains(stmt, "RETURNING") && !strings.HasPrefix(stmt, "WITH") || strings.HasPrefix(stmt, "SELECT") ||
		strings.HasPrefix(stmt, "WITH") && strings.Contains(stmt[strings.LastIndex(stmt, ") ")-1:], "SELECT") && !strings.Contains(stmt, ") INSERT")
	language := "sql"
	body := stmt
	if strings.HasPrefix(stmt, "WITH") {
		main := stmt[mainOf(stmt):]
		rows = strings.HasPrefix(main, "SELECT")
	}
	if rng.IntN(2) == 0 {
		language, body = "plpgsql", "BEGIN "+stmt+"; END"
		if rows {
			body = "BEGIN RETURN QUERY " + stmt + "; END"
		}
	}
	result := "void"
	if rows {
		result = "SETOF int"
	}
	c.add("CREATE FUNCTION run() RETURNS %s LANGUAGE %s AS $f$ %s $f$", result, language, body)
	return c
}

// mainOf gives where the main statement behind WITH begins.
func mainOf(stmt string) int {
	depth := 0
	for i := len("WITH "); i < len(stmt); i++ {
		switch stmt[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && !strings.HasPrefix(stmt[i+1:], ",") && strings.HasPrefix(stmt[i+1:], " ") {
				return i + 2
			}
		}
	}
	return len(stmt)
}

// visibleRows are initial rows of v and w.
var visibleRows = [][2][][2]int{
	{{{1, 1}, {2, 5}}, {{1, 3}}},
	{{}, {{1, 1}, {4, 2}}},
	{{{1, 0}, {50, 2}}, {}},
}

// onServer runs the case, and gives what it returns with the rows that it leaves, or the error.
func (c *visibleCase) onServer(t *testing.T, conn *pgconn.PgConn, rows [2][][2]int) (string, error) {
	ctx := context.Background()
	query := func(sql string) ([]string, error) {
		results, err := conn.Exec(ctx, sql).ReadAll()
		if err != nil {
			return nil, err
		}
		var out []string
		for _, row := range results[len(results)-1].Rows {
			var vals []string
			for _, v := range row {
				vals = append(vals, string(v))
			}
			out = append(out, strings.Join(vals, ","))
		}
		return out, nil
	}
	must := func(sql string) []string {
		out, err := query(sql)
		if err != nil {
			t.Fatalf("%v\nin: %s", err, sql)
		}
		return out
	}
	must("BEGIN")
	defer must("ROLLBACK")
	if _, err := query(strings.Join(c.ddl, "\n")); err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(c.ddl, "\n"))
	}
	must("ALTER TABLE v DISABLE TRIGGER ALL")
	for i, table := range []string{"v", "w"} {
		for _, r := range rows[i] {
			must(fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", table, r[0], r[1]))
		}
	}
	must("ALTER TABLE v ENABLE TRIGGER ALL")
	out, err := query("SELECT * FROM run()")
	if err != nil {
		var e *pgconn.PgError
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		return "", err
	}
	sort.Strings(out)
	if !strings.Contains(c.ddl[len(c.ddl)-1], "SETOF") {
		out = nil
	}
	return visibleOutcome(out, must("SELECT k, n FROM v ORDER BY k"), must("SELECT k, n FROM w ORDER BY k"), must("SELECT n FROM seen")), nil
}

func visibleOutcome(out, v, w, seen []string) string {
	sort.Strings(out)
	sort.Strings(seen)
	return fmt.Sprintf("gives %v\nv %v\nw %v\nseen %v", out, v, w, seen)
}

// outcomes gives those of the interpreter, without the runs that fail.
func (c *visibleCase) outcomes(prog *ir.Program, rows [2][][2]int) []string {
	tables := make([][][]ir.Value, len(prog.Tables))
	for i, name := range []string{"v", "w"} {
		for _, r := range rows[i] {
			k := slices.IndexFunc(prog.Tables, func(t *ir.Table) bool { return t.Name == name })
			tables[k] = append(tables[k], []ir.Value{ir.Int(int64(r[0])), ir.Int(int64(r[1]))})
		}
	}
	db := interp.NewDB(prog, tables)
	machine := interp.NewMachine(prog, engine.Postgres())
	machine.Trace = true
	var all []string
	for _, run := range machine.Runs(&interp.Instance{Txn: prog.Txns[0], ID: 1}, db, nil, true) {
		why := run.Blocked
		if why == "" {
			_, why = machine.Commit(run, db, nil)
		}
		if why != "" {
			continue
		}
		var out []string
		for _, step := range run.Steps {
			for _, row := range step.Emitted {
				out = append(out, spelled(row))
			}
		}
		list := func(name string) []string {
			var out []string
			i := slices.IndexFunc(prog.Tables, func(t *ir.Table) bool { return t.Name == name })
			for _, row := range run.After.Rows(i) {
				if prog.Tables[i].Rowid {
					row = row[1:]
				}
				out = append(out, spelled(row))
			}
			sort.Slice(out, func(a, b int) bool {
				x, _, _ := strings.Cut(out[a], ",")
				y, _, _ := strings.Cut(out[b], ",")
				m, _ := strconv.Atoi(x)
				n, _ := strconv.Atoi(y)
				return m < n
			})
			return out
		}
		all = append(all, visibleOutcome(out, list("v"), list("w"), list("seen")))
	}
	return schema.Distinct(all)
}

func spelled(row []ir.Value) string {
	var vals []string
	for _, v := range row {
		switch v.Kind {
		case ir.KindInt:
			vals = append(vals, strconv.FormatInt(v.I, 10))
		case ir.KindNull:
			vals = append(vals, "")
		default:
			vals = append(vals, v.S)
		}
	}
	return strings.Join(vals, ",")
}

// TestVisibilityOnServer compares what random statements see of their own writes, in subqueries, functions, triggers and
// WITH queries, with a server.
func TestVisibilityOnServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t)).PgConn()
	cases, exact, failing := *visibleCases, 0, 0
	if testing.Short() {
		cases = min(cases, 60)
	}
	kinds, unmodelledKinds := map[string]int{}, map[string]int{}
	for i := range cases {
		c := newVisibleCase(rand.New(rand.NewPCG(*visibleSeed, uint64(i))))
		text := strings.Join(c.ddl, "\n")
		prog, err := Parse([]File{{Name: "case.sql", Text: text + "\n"}}, Options{Txns: []string{"run"}})
		if err != nil {
			t.Errorf("case %d: %v\n%s", i, err, text)
			continue
		}
		reason := ""
		ir.Walk(prog.Txns[0].Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				reason = u.Reason
			}
		})
		if reason != "" {
			unmodelledKinds[c.kind]++
			continue
		}
		exact++
		kinds[c.kind]++
		for _, rows := range visibleRows {
			want, err := c.onServer(t, conn, rows)
			got := c.outcomes(prog, rows)
			if err != nil {
				failing++
				if len(got) > 0 {
					t.Errorf("case %d (%s), rows %v: the server refuses (%v)\ninterpreter:\n%s\n%s\n%s", i, c.kind, rows, err, strings.Join(got, "\n--- or\n"), text, prog.Txns[0])
				}
				continue
			}
			if !slices.Contains(got, want) {
				t.Errorf("case %d (%s), rows %v: server:\n%s\ninterpreter:\n%s\n%s\n%s", i, c.kind, rows, want, strings.Join(got, "\n--- or\n"), text, prog.Txns[0])
			}
		}
	}
	t.Logf("seed %d: %d cases, of which %d are modelled: %v, and not: %v; %d runs fail", *visibleSeed, cases, exact, kinds, unmodelledKinds, failing)
	if exact < cases/4 {
		t.Errorf("only %d cases of %d are modelled", exact, cases)
	}
}
