package sqlmodel

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/sql/schema"
)

const diffSchema = `CREATE TABLE a (k int PRIMARY KEY, x int, y int NOT NULL, s text, b boolean NOT NULL);
CREATE TABLE b (k int PRIMARY KEY, a int REFERENCES a, t text);
CREATE FUNCTION bump(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  UPDATE a SET y = y + 1 WHERE x = p;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
`

// TestProgramsOnServer runs client programs on a real server and, translated, in
// the interpreter, on random rows and inputs: what the program sees and the rows
// afterwards must be the same.
func TestProgramsOnServer(t *testing.T) {
	server := pgtest.Open(t)
	dsn := server.Database(t)
	server.Exec(t, dsn, diffSchema)
	programs := diffPrograms()
	rng := rand.New(rand.NewPCG(seed, 4))
	generated := 60
	runs := 12
	if testing.Short() {
		generated, runs = 15, 4
	}
	for range generated {
		programs = append(programs, (&programGen{rng: rng}).program("random"))
	}
	d := &differ{t: t, rng: rng, conn: server.Conn(t, dsn)}
	files := []File{{Name: "schema.sql", Text: diffSchema}}
	exact, commits := 0, 0
	for _, txn := range programs {
		var err error
		if d.l, err = read(schema.Input{Named: files, IsProgram: true, Program: []*client.Txn{txn}}); err != nil {
			t.Fatal(err)
		}
		if d.prog, err = Client(t.Context(), files, []*client.Txn{txn}, Options{}); err != nil {
			t.Fatal(err)
		}
		modelled := true
		ir.Walk(d.prog.Txns[0].Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				modelled = false
				if txn.Name != "random" {
					t.Errorf("%s: %s is not modelled", txn.Name, u.Reason)
				}
			}
		})
		if !modelled {
			continue
		}
		exact++
		d.machine = interp.NewMachine(d.prog, engine.Postgres())
		d.machine.Trace = true
		d.commits = 0
		for range runs {
			d.program(txn)
		}
		commits += d.commits
		if d.commits == 0 && txn.Name != "random" && !testing.Short() {
			t.Errorf("%s never commits: its test says nothing", txn.Name)
		}
	}
	t.Logf("seed %d: %d programs of %d are modelled, %d runs, of which %d commit", seed, exact, len(programs), d.runs, commits)
	if exact < len(programs)/2 {
		t.Errorf("only %d programs of %d are modelled", exact, len(programs))
	}
}

// program runs a program once on both.
func (d *differ) program(txn *client.Txn) {
	d.fillPair(4, false)
	inputs := map[string]any{}
	in := &interp.Instance{Txn: d.prog.Txns[0], ID: 1}
	for _, v := range txn.Vars {
		if !v.Input {
			continue
		}
		var x any
		var val ir.Value
		t := d.prog.Txns[0].Params[len(in.Params)].Type
		switch n := d.rng.IntN(4); {
		case v.Nullable && d.rng.IntN(4) == 0:
			val = ir.Null
		case v.Kind == client.Int:
			x, val = int64(n), ir.Int(int64(n))
		case v.Kind == client.Bool:
			x, val = n%2 == 0, ir.Bool(n%2 == 0)
		case t.Kind == ir.KindInt:
			x, val = strconv.Itoa(n), ir.Int(int64(n))
		default:
			s := []string{"", "a", "B", "abc"}[n]
			x, val = s, ir.Text(s)
		}
		inputs[v.Name] = x
		in.Params = append(in.Params, val)
	}
	d.exec("BEGIN ISOLATION LEVEL REPEATABLE READ")
	r := &programRun{d: d, txn: txn, vars: map[string]any{}}
	for _, v := range txn.Vars {
		switch {
		case v.Input:
			r.vars[v.Name] = inputs[v.Name]
		case v.Nullable || v.Kind == client.Any:
			r.vars[v.Name] = nil
		default:
			r.vars[v.Name] = map[client.Kind]any{client.Int: int64(0), client.Bool: false, client.Text: ""}[v.Kind]
		}
	}
	end := r.list(txn.Body)
	if end.kind != failed && end.kind != rolledBack { // as at a commit
		if _, err := d.conn.Exec(context.Background(), "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
			end = signal{kind: failed, label: err.Error()}
		}
	}
	commits := end.kind != failed && end.kind != rolledBack
	want := "no commit: " + end.label
	if commits {
		want = d.normal(txn.Name, r.emitted, d.database())
	}
	d.exec("ROLLBACK")
	d.runs++
	var got []string
	for run := range d.choices(in, d.state, false) {
		why := run.Blocked
		if why == "" {
			_, why = d.machine.Commit(run, d.state, nil)
		}
		if why != "" {
			if !commits {
				return
			}
			got = append(got, "blocked: "+why)
			continue
		}
		outcome := d.outcome(run)
		if outcome == want {
			d.commits++
			return
		}
		got = append(got, outcome)
	}
	d.t.Errorf("seed %d: %s\ninputs %v\nserver:\n%s\ninterpreter:\n%s\nrows:\n%s\n%s", seed, txn, inputs, want,
		strings.Join(got, "\n--- or\n"), d.dump(d.state), d.prog.Txns[0])
}

// programRun is a run of a client program on the server: an interpreter for what
// package client says.
type programRun struct {
	d       *differ
	txn     *client.Txn
	vars    map[string]any // int64, bool, string or nil
	emitted []string
	rounds  int
}

// signal says how statements end.
type signal struct {
	kind  signalKind
	label string
}

type signalKind uint8

const (
	goesOn signalKind = iota
	breaks
	continues
	committed
	rolledBack
	failed
)

func (r *programRun) list(list []client.Stmt) signal {
	for _, s := range list {
		if end := r.stmt(s); end.kind != goesOn {
			return end
		}
	}
	return signal{}
}

// round runs the body of a loop; out says that the loop ends with end.
func (r *programRun) round(label string, list []client.Stmt) (out bool, end signal) {
	if r.rounds++; r.rounds > 1000 {
		r.d.t.Fatal("the program does not end")
	}
	s := r.list(list)
	own := s.label == "" || s.label == label
	switch {
	case s.kind == breaks && own:
		return true, signal{}
	case s.kind == goesOn, s.kind == continues && own:
		return false, signal{}
	}
	return true, s
}

func (r *programRun) stmt(s client.Stmt) signal {
	switch s := s.(type) {
	case *client.Query:
		return r.query(s)
	case *client.ForRows:
		res, end := r.send(s.Query)
		if end.kind != goesOn {
			return end
		}
		for _, row := range res.Rows {
			r.take(s.Query, res, row)
			if out, end := r.round(s.Label, s.Body); out {
				return end
			}
		}
	case *client.Assign:
		r.vars[s.Var] = r.eval(s.Expr)
	case *client.If:
		if r.eval(s.Cond) == true {
			return r.list(s.Then)
		}
		return r.list(s.Else)
	case *client.Loop:
		for {
			if out, end := r.round(s.Label, s.Body); out {
				return end
			}
		}
	case *client.Block:
		end := r.list(s.Body)
		if end.kind == breaks && end.label == s.Label {
			return signal{}
		}
		return end
	case *client.Break:
		return signal{breaks, s.Label}
	case *client.Continue:
		return signal{continues, s.Label}
	case *client.Commit:
		return signal{kind: committed}
	case *client.Rollback:
		return signal{kind: rolledBack, label: "the program rolls back"}
	case *client.Emit:
		var vals []string
		for _, e := range s.Exprs {
			vals = append(vals, r.text(r.eval(e)))
		}
		r.emitted = append(r.emitted, strings.Join(vals, ", "))
	case *client.Savepoint:
		return r.run("SAVEPOINT " + s.Name)
	case *client.RollbackTo:
		return r.run("ROLLBACK TO " + s.Name)
	default:
		r.d.t.Fatalf("the test does not run %T", s)
	}
	return signal{}
}

func (r *programRun) run(sql string) signal {
	if _, err := r.d.conn.Exec(context.Background(), sql); err != nil {
		return signal{failed, err.Error()}
	}
	return signal{}
}

// text spells a value as differ.outcome does.
func (r *programRun) text(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	r.d.t.Fatalf("the test has no value %v", v)
	return ""
}

var parameterForms = regexp.MustCompile(`\?|@[a-z]+`)

// send runs a statement with its parameters, all of them as text, so that the
// server finds their types.
func (r *programRun) send(q *client.Query) (*pgconn.Result, signal) {
	var vals [][]byte
	add := func(e client.Expr) {
		if v := r.eval(e); v == nil {
			vals = append(vals, nil)
		} else {
			vals = append(vals, []byte(r.text(v)))
		}
	}
	for _, e := range q.Args {
		add(e)
	}
	n := 0
	sql := parameterForms.ReplaceAllStringFunc(q.SQL, func(form string) string {
		if form == "?" {
			n++
			return "$" + strconv.Itoa(n)
		}
		for _, a := range q.Named {
			if "@"+a.Name == form {
				add(a.Expr)
				return "$" + strconv.Itoa(len(vals))
			}
		}
		r.d.t.Fatalf("no parameter %s", form)
		return ""
	})
	if len(vals) == 0 { // there may be several statements
		all, err := r.d.conn.PgConn().Exec(context.Background(), sql).ReadAll()
		if err != nil {
			return nil, signal{failed, err.Error()}
		}
		return all[len(all)-1], signal{}
	}
	res := r.d.conn.PgConn().ExecParams(context.Background(), sql, vals, nil, nil, nil).Read()
	if res.Err != nil {
		return nil, signal{failed, res.Err.Error()}
	}
	return res, signal{}
}

func (r *programRun) query(q *client.Query) signal {
	res, end := r.send(q)
	if end.kind != goesOn {
		return end
	}
	if q.Returned {
		for _, row := range res.Rows {
			var vals []string
			for _, v := range row {
				if v == nil {
					vals = append(vals, "null")
				} else {
					vals = append(vals, r.d.plain(string(v)))
				}
			}
			r.emitted = append(r.emitted, strings.Join(vals, ", "))
		}
	}
	if q.Null != "" {
		r.vars[q.Null] = false
	}
	if len(res.Rows) > 0 {
		r.take(q, res, res.Rows[0])
	}
	if q.Found != "" {
		r.vars[q.Found] = len(res.Rows) > 0
	}
	if q.Count != "" {
		r.vars[q.Count] = res.CommandTag.RowsAffected()
	}
	return signal{}
}

// take puts a row into the variables: column by column, up to a NULL that does not
// fit.
func (r *programRun) take(q *client.Query, res *pgconn.Result, row [][]byte) {
	null := false
	put := func(name string, text []byte) {
		at := slices.IndexFunc(r.txn.Vars, func(v client.Var) bool { return v.Name == name })
		if null || at < 0 {
			return
		}
		switch v := r.txn.Vars[at]; {
		case text == nil && !v.Nullable && v.Kind != client.Any:
			null = true
		case text == nil:
			r.vars[name] = nil
		case v.Kind == client.Int:
			n, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				r.d.t.Fatal(err)
			}
			r.vars[name] = n
		case v.Kind == client.Bool:
			r.vars[name] = string(text) == "t"
		default:
			r.vars[name] = string(text)
		}
	}
	for i, f := range res.FieldDescriptions {
		if i < len(q.Into) {
			put(q.Into[i], row[i])
		}
		for _, a := range q.ByName {
			if f.Name == a.Name {
				put(schema.ResultName(a), row[i])
			}
		}
	}
	if q.Null != "" {
		r.vars[q.Null] = null
	}
}

// eval computes an expression.
func (r *programRun) eval(e client.Expr) any {
	switch e := e.(type) {
	case *client.VarExpr:
		return r.vars[e.Name]
	case *client.Const:
		switch e.Value.Kind {
		case ir.KindInt:
			return e.Value.I
		case ir.KindBool:
			return e.Value.IsTrue()
		case ir.KindText:
			return e.Value.S
		}
		return nil
	case *client.Op:
		a := r.eval(e.Args[0])
		switch e.Op {
		case "!":
			return a != true
		case "null":
			return a == nil
		case "&&":
			return a == true && r.eval(e.Args[1]) == true
		case "||":
			return a == true || r.eval(e.Args[1]) == true
		}
		if len(e.Args) == 1 {
			return -a.(int64)
		}
		b := r.eval(e.Args[1])
		switch e.Op {
		case "==":
			return a == b
		case "!=":
			return a != b
		}
		if s, ok := a.(string); ok {
			return s + b.(string)
		}
		x, y := a.(int64), b.(int64)
		switch e.Op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		case "<":
			return x < y
		case "<=":
			return x <= y
		case ">":
			return x > y
		case ">=":
			return x >= y
		}
	}
	r.d.t.Fatalf("the test does not compute %s", client.ExprString(e))
	return nil
}
