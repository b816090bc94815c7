package goprogram

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/gogen"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pgtest"
)

var (
	genSeeds = flag.Uint64("gogen.seeds", 1, "how many random modules to run")
	genFirst = flag.Uint64("gogen.first", 1, "the seed of the first")
	genFuncs = flag.Int("gogen.funcs", 40, "how many functions a module has")
	genRuns  = flag.Int("gogen.runs", 6, "how often each function is run")
	genKeep  = flag.String("gogen.keep", "", "a folder to write the modules to")
)

// TestGoOnServer runs random functions in Go on a real server. What each does must be
// among the outcomes of its template, with the same parameters and rows; and what it
// returns must follow from what the template shows.
func TestGoOnServer(t *testing.T) {
	server := pgtest.Open(t)
	goMeanings()
	total := &tally{reasons: map[string]int{}}
	if testing.Short() {
		*genFuncs, *genRuns = min(*genFuncs, 15), min(*genRuns, 3)
	}
	for seed := *genFirst; seed < *genFirst+*genSeeds; seed++ {
		m := gogen.New(rand.New(rand.NewPCG(seed, 7)), gogen.Options{Funcs: *genFuncs, Stmts: 10})
		compareModule(t, server, m, seed, *genRuns, total)
	}
	t.Logf("seeds %d to %d: %s", *genFirst, *genFirst+*genSeeds-1, total)
	if total.commits == 0 || total.exact < total.runs/3 {
		t.Errorf("the test says little: %s", total)
	}
}

// goMeanings gives functions that mean nothing to the solver the meaning that they have
// in Go, so that the interpreter computes them.
func goMeanings() {
	ints := func(name string, f func(x, y int64) int64) {
		ir.Functions["client "+name] = &ir.Function{Name: "client " + name, Params: []ir.Kind{ir.KindInt, ir.KindInt}, Result: ir.KindInt, Strict: true,
			Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) { return ir.Int(f(a[0].I, a[1].I)), nil }}
	}
	ints("&", func(x, y int64) int64 { return x & y })
	ints("|", func(x, y int64) int64 { return x | y })
	ints("^", func(x, y int64) int64 { return x ^ y })
	ints("&^", func(x, y int64) int64 { return x &^ y })
	ints("<<", func(x, y int64) int64 { return x << y })
	ints(">>", func(x, y int64) int64 { return x >> y })
	texts := func(name string, kind ir.Kind, f func(x ir.Value) string) {
		ir.Functions["client "+name] = &ir.Function{Name: "client " + name, Params: []ir.Kind{kind}, Result: ir.KindText, Strict: true,
			Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) { return ir.Text(f(a[0])), nil }}
	}
	texts("format %d", ir.KindInt, func(x ir.Value) string { return strconv.FormatInt(x.I, 10) })
	texts("format %v", ir.KindNull, func(x ir.Value) string {
		switch x.Kind {
		case ir.KindBool:
			return strconv.FormatBool(x.IsTrue())
		case ir.KindText:
			return x.S
		}
		return strconv.FormatInt(x.I, 10)
	})
	for name, f := range map[string]func(x, y string) bool{"<": func(x, y string) bool { return x < y }, ">=": func(x, y string) bool { return x >= y }} {
		ir.Functions["client "+name] = &ir.Function{Name: "client " + name, Params: []ir.Kind{ir.KindText, ir.KindText}, Result: ir.KindBool, Strict: true,
			Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) { return ir.Bool(f(a[0].S, a[1].S)), nil }}
	}
}

// TestGoCasesOnServer is TestGoOnServer for functions that were wrong once, with those
// that were right beside them: all of their outcomes are known.
func TestGoCasesOnServer(t *testing.T) {
	server := pgtest.Open(t)
	goMeanings()
	text, err := os.ReadFile(filepath.Join("testdata", "server", "cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := gogen.Of(string(text))
	if err != nil {
		t.Fatal(err)
	}
	total := &tally{reasons: map[string]int{}}
	compareModule(t, server, m, 0, 25, total)
	if total.commits < total.runs/3 {
		t.Errorf("few of the runs commit: %s", total)
	}
	t.Log(total)
}

// tally counts what was compared.
type tally struct {
	funcs, runs, commits int
	// exact runs have one outcome; some have several, and open ones depend on
	// values of which nothing is known, so that their outcome may be among theirs.
	exact, some, open int
	unmodelled        int
	// panics are runs that panic where the template commits.
	panics  int
	faults  int
	reasons map[string]int
}

func (c *tally) String() string {
	s := fmt.Sprintf("%d functions, %d runs, of which %d commit; %d exact, %d with several outcomes, %d with open ones, %d not modelled, %d that panic, %d wrong",
		c.funcs, c.runs, c.commits, c.exact, c.some, c.open, c.unmodelled, c.panics, c.faults)
	names := slices.Collect(maps.Keys(c.reasons))
	slices.SortFunc(names, func(a, b string) int { return c.reasons[b] - c.reasons[a] })
	for _, n := range names[:min(len(names), 40)] {
		s += fmt.Sprintf("\n%6d %s", c.reasons[n], n)
	}
	return s
}

// rowsQuery gives all rows as JSON.
const rowsQuery = `SELECT json_build_array(
(SELECT coalesce(json_agg(json_build_array(k, x, y, s)), '[]') FROM a),
(SELECT coalesce(json_agg(json_build_array(k, a, t, n)), '[]') FROM b),
(SELECT coalesce(json_agg(json_build_array(i, j, v)), '[]') FROM c))`

// moduleFiles writes a module to a folder, which becomes one with the dependencies of
// this project if it has no go.mod.
func moduleFiles(t *testing.T, dir string, m *gogen.Module) {
	t.Helper()
	files := maps.Clone(m.Files)
	if _, own := files["go.mod"]; !own {
		for _, name := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(filepath.Join("..", "..", name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(text)
		}
		_, rest, _ := strings.Cut(files["go.mod"], "\n")
		files["go.mod"] = "module gen.test\n" + rest
	}
	files["schema.sql"] = gogen.Schema
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// plan is a run with what the model needs of it.
type plan struct {
	run  gogen.Run
	args map[string]ir.Value
	rows [][][]ir.Value
}

// compareLibrary compares a module that needs a library with PostgreSQL, with seed, and skips the test where the library cannot be
// had.
func compareLibrary(t *testing.T, server *pgtest.Server, m *gogen.Module, library string, seed uint64) {
	t.Helper()
	dir := t.TempDir()
	moduleFiles(t, dir, m)
	get := exec.Command("go", "mod", "download")
	get.Dir, get.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := get.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %s cannot be downloaded: %v\n%s", library, err, out)
	}
	total := &tally{reasons: map[string]int{}}
	compareModule(t, server, m, seed, 20, total)
	if total.commits < total.runs/3 || total.exact < total.runs*2/3 {
		t.Errorf("the test says little: %s", total)
	}
	t.Log(total)
}

// compareModule runs each function of a module on the server and in the interpreter.
func compareModule(t *testing.T, server *pgtest.Server, m *gogen.Module, seed uint64, times int, total *tally) {
	dir := t.TempDir()
	if *genKeep != "" {
		dir = filepath.Join(*genKeep, fmt.Sprint(seed))
	}
	moduleFiles(t, dir, m)
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	build := exec.Command("go", "build", "-o", "gen", ".")
	build.Dir, build.Env = dir, env
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	prog := template(t, dir, env)
	rng := rand.New(rand.NewPCG(seed, 8))
	var plans []plan
	var runs []gogen.Run
	for _, f := range m.Funcs {
		for i := range times {
			p := plan{run: gogen.Run{Func: f.Name}}
			if i > 0 && rng.IntN(3) == 0 { // some parameters meet several states
				old := plans[len(plans)-1]
				p.run.Args, p.args = old.run.Args, old.args
			} else {
				p.arguments(rng, f)
			}
			p.state(rng)
			plans, runs = append(plans, p), append(runs, p.run)
		}
	}
	dsn := server.Database(t)
	server.Exec(t, dsn, gogen.Schema)
	outcomes := runModule(t, filepath.Join(dir, "gen"), dsn, runs)
	j := &judge{t: t, seed: seed, prog: prog, machine: interp.NewMachine(prog, engine.Postgres()), total: total,
		ends: map[ir.Pos]bool{}, results: map[string]string{}}
	for _, n := range prog.Notes {
		if strings.HasPrefix(n.Text, "no commit of this transaction was found") {
			j.ends[n.Pos] = true
		}
	}
	total.funcs += len(m.Funcs)
	for i, p := range plans {
		j.f = m.Funcs[i/times]
		j.judge(&p, &outcomes[i])
	}
}

// template gives the program that is made of a module.
func template(t *testing.T, dir string, env []string) *ir.Program {
	t.Helper()
	found, err := analyzer.Load(t.Context(), []string{"./txns"}, analyzer.Options{Dir: dir, Env: env})
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	source, err := Open(t.Context(), found, Options{Schema: []string{filepath.Join(dir, "schema.sql")}})
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	prog, err := source.Program(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return prog
}

// runModule runs the command of a module.
func runModule(t *testing.T, program, dsn string, runs []gogen.Run) []gogen.Outcome {
	t.Helper()
	in, err := json.Marshal(map[string]any{"DSN": dsn, "Rows": rowsQuery, "Runs": runs})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Stdin = bytes.NewReader(in)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var out []gogen.Outcome
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// arguments draws arguments for a function.
func (p *plan) arguments(rng *rand.Rand, f *gogen.Func) {
	p.args = map[string]ir.Value{}
	for _, param := range f.Params {
		var v any
		n := int64(rng.IntN(7) - 2)
		if rng.IntN(12) == 0 {
			n = int64(rng.IntN(600) - 200)
		}
		switch param.Kind {
		case "int":
			v, p.args[param.Name] = n, ir.Int(n)
		case "*int":
			if v, p.args[param.Name] = n, ir.Int(n); rng.IntN(3) == 0 {
				v, p.args[param.Name] = nil, ir.Null
			}
		case "bool":
			v, p.args[param.Name] = n > 1, ir.Bool(n > 1)
		case "string":
			s := randomText(rng)
			v, p.args[param.Name] = s, ir.Text(s)
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		p.run.Args = append(p.run.Args, text)
	}
}

func randomText(rng *rand.Rand) string { return []string{"", "a", "b", "bb", "abc"}[rng.IntN(5)] }

// state draws rows.
func (p *plan) state(rng *rand.Rand) {
	num := func() ir.Value { return ir.Int(int64(rng.IntN(8) - 2)) }
	orNull := func(v ir.Value) ir.Value {
		if rng.IntN(4) == 0 {
			return ir.Null
		}
		return v
	}
	p.rows = make([][][]ir.Value, 3)
	for k := range int64(5) {
		if rng.IntN(2) == 0 {
			p.rows[0] = append(p.rows[0], []ir.Value{ir.Int(k), orNull(num()), num(), orNull(ir.Text(randomText(rng)))})
		}
	}
	for k := range int64(4) {
		if rng.IntN(2) > 0 {
			continue
		}
		parent := ir.Null
		if n := len(p.rows[0]); n > 0 {
			parent = orNull(p.rows[0][rng.IntN(n)][0])
		}
		p.rows[1] = append(p.rows[1], []ir.Value{ir.Int(k), parent, ir.Text(randomText(rng)), num()})
	}
	for i := range int64(3) {
		for k := range int64(3) {
			if rng.IntN(3) == 0 {
				p.rows[2] = append(p.rows[2], []ir.Value{ir.Int(i), ir.Int(k), num()})
			}
		}
	}
	var b strings.Builder
	b.WriteString("DELETE FROM c; DELETE FROM b; DELETE FROM a")
	for i, name := range []string{"a", "b", "c"} {
		for _, row := range p.rows[i] {
			var vals []string
			for _, v := range row {
				vals = append(vals, literal(v))
			}
			fmt.Fprintf(&b, "; INSERT INTO %s VALUES (%s)", name, strings.Join(vals, ", "))
		}
	}
	p.run.Reset = b.String()
}

func literal(v ir.Value) string {
	switch v.Kind {
	case ir.KindNull:
		return "NULL"
	case ir.KindText:
		return "'" + v.S + "'"
	}
	return fmt.Sprint(v.I)
}

// judge compares runs with templates.
type judge struct {
	t       *testing.T
	seed    uint64
	prog    *ir.Program
	machine *interp.Machine
	total   *tally
	ends    map[ir.Pos]bool // transactions that are taken to commit wherever they end
	f       *gogen.Func
	faulty  *gogen.Func // the last one that a fault was found in
	// results are what functions returned, by their arguments and the outputs.
	results map[string]string
}

// database makes the state with rows of a, b and c.
func (j *judge) database(rows [][][]ir.Value) *interp.DB {
	all := make([][][]ir.Value, len(j.prog.Tables))
	for i, name := range []string{"a", "b", "c"} {
		all[j.prog.TableIndex(j.prog.Table(name))] = rows[i]
	}
	return interp.NewDB(j.prog, all)
}

// after reads the rows that the server had in the end.
func (j *judge) after(text json.RawMessage) *interp.DB {
	var raw [][][]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil {
		j.t.Fatal(err)
	}
	rows := make([][][]ir.Value, len(raw))
	for i, tab := range raw {
		for _, row := range tab {
			var vals []ir.Value
			for _, v := range row {
				switch v := v.(type) {
				case nil:
					vals = append(vals, ir.Null)
				case string:
					vals = append(vals, ir.Text(v))
				case json.Number:
					n, err := v.Int64()
					if err != nil {
						j.t.Fatal(err)
					}
					vals = append(vals, ir.Int(n))
				}
			}
			rows[i] = append(rows[i], vals)
		}
	}
	return j.database(rows)
}

// rows gives all rows as text, as the query rowsQuery does.
func (j *judge) rows(db *interp.DB) string {
	var all []string
	for _, name := range []string{"a", "b", "c"} {
		var rows []string
		for _, row := range db.Rows(j.prog.TableIndex(j.prog.Table(name))) {
			var vals []string
			for _, v := range row {
				vals = append(vals, strings.ReplaceAll(literal(v), "NULL", "null"))
			}
			rows = append(rows, "["+strings.Join(vals, ",")+"]")
		}
		all = append(all, "["+strings.Join(rows, ",")+"]")
	}
	return strings.ReplaceAll("["+strings.Join(all, ",")+"]", "'", "\"")
}

// rolledBack is the outcome of a run that does not commit.
const rolledBack = "rolled back"

// judge compares a run.
func (j *judge) judge(p *plan, o *gogen.Outcome) {
	j.total.runs++
	txn := j.prog.Txn(j.f.Name)
	if txn == nil {
		j.t.Errorf("seed %d: there is no template for\n%s", j.seed, j.f.Text)
		return
	}
	want := rolledBack
	if o.Commits > 0 {
		j.total.commits++
		want = j.after(o.Rows).String()
	}
	s := &search{judge: j, txn: txn, plan: p, db: j.database(p.rows), want: want}
	s.run()
	for _, why := range s.why {
		j.total.reasons[why]++
	}
	switch {
	case s.unmodelled:
		j.total.unmodelled++
	case s.match == nil && j.ends[txn.Pos]:
		j.total.runs--
	case s.match == nil && o.Panic && strings.Contains(o.Err, "runtime error"):
		j.total.panics++
	case s.match == nil && len(s.why) == 0:
		j.fault(p, o, s, "the outcome is not among those of the template")
	case len(s.why) > 0:
		j.total.open++
	case len(s.seen) > 1:
		j.total.some++
	default:
		j.total.exact++
		j.returned(p, o, s)
	}
}

// returned makes sure that what a function returns follows from its outputs.
func (j *judge) returned(p *plan, o *gogen.Outcome, s *search) {
	if o.Commits == 0 || o.Panic {
		return
	}
	key := j.f.Name
	for _, a := range p.run.Args {
		key += " " + string(a)
	}
	key += " " + s.match.Outputs
	got := o.Result + " " + o.Err
	if old, known := j.results[key]; known && old != got {
		j.fault(p, o, s, "with the same outputs it returned "+old)
	}
	j.results[key] = got
}

func (j *judge) fault(p *plan, o *gogen.Outcome, s *search, what string) {
	j.total.faults++
	if j.faulty == j.f { // once is enough
		return
	}
	j.faulty = j.f
	outcomes := slices.Sorted(maps.Keys(s.seen))
	for i, x := range outcomes {
		outcomes[i] = s.seen[x]
	}
	j.t.Errorf("seed %d: %s: %s\narguments %s\n%s\nserver: commits %d, result %s, error %q\n%s\nmodel: %v\n%s\n%s\n%s", j.seed, j.f.Name, what, p.run.Args, p.run.Reset,
		o.Commits, o.Result, o.Err, o.Rows, s.blocked, strings.Join(outcomes, "\nor\n"), j.f.Text, s.txn)
}

// search goes through the runs of a template.
type search struct {
	*judge
	txn  *ir.Txn
	plan *plan
	db   *interp.DB
	want string

	seen       map[string]string // outcomes, as text for people
	blocked    []string
	match      *interp.Run
	unmodelled bool
	// why are the reasons why there may be other outcomes.
	why []string
	// chosen are the values taken for what is not known, in the order in which
	// they were asked for.
	chosen []*choice
}

// choice is a value that is not known: candidates[at].
type choice struct {
	site       *ir.Havoc
	n          int
	candidates []ir.Value
	at         int
}

// maxTries bounds the values that are tried for one run.
const maxTries = 400

func (s *search) run() {
	s.seen = map[string]string{}
	in := &interp.Instance{Txn: s.txn, ID: 1, Havoc: s.havoc}
	for _, p := range s.txn.Params {
		v, known := s.plan.args[p.Name]
		if !known {
			s.reason("parameter " + p.Name)
			v = p.Type.Zero()
		}
		in.Params = append(in.Params, v)
	}
	for _, name := range opaqueCalls(s.txn) {
		s.reason("call " + name)
	}
	for range maxTries {
		for _, run := range s.machine.Runs(in, s.db, nil, true) {
			s.take(run)
		}
		if s.match != nil && len(s.why) > 0 || s.unmodelled || !s.next() {
			return
		}
	}
	s.reason("many values")
}

// take takes note of a run.
func (s *search) take(run *interp.Run) {
	s.unmodelled = s.unmodelled || run.Unmodelled != nil
	why := run.Blocked
	outcome, text := rolledBack, rolledBack
	if why == "" {
		db, broken := s.machine.Commit(run, s.db, nil)
		if why = broken; why == "" {
			outcome, text = db.String(), s.rows(db)
		}
	}
	if why == "integer overflow" {
		s.reason(why)
	}
	if why != "" && !slices.Contains(s.blocked, why) {
		s.blocked = append(s.blocked, why)
	}
	s.seen[outcome] = text
	if outcome == s.want {
		s.match = run
	}
}

func (s *search) reason(why string) {
	if !slices.Contains(s.why, why) {
		s.why = append(s.why, why)
	}
}

// havoc gives a value for one that is not known.
func (s *search) havoc(site *ir.Havoc, n int) (ir.Value, bool) {
	for _, c := range s.chosen {
		if c.site == site && c.n == n {
			return c.candidates[c.at], true
		}
	}
	t, _ := s.txn.LocalType(site.Var)
	c := &choice{site: site, n: n}
	switch t.Kind {
	case ir.KindBool:
		c.candidates = []ir.Value{ir.Bool(false), ir.Bool(true)}
	case ir.KindInt:
		for _, i := range []int64{0, 1, 2, 3, -1, 4, 5, 6, -2} {
			c.candidates = append(c.candidates, ir.Int(i))
		}
	case ir.KindText:
		for _, x := range []string{"", "a", "b", "bb", "abc", "0"} {
			c.candidates = append(c.candidates, ir.Text(x))
		}
	default:
		c.candidates = []ir.Value{t.Zero()}
	}
	if t.Kind != ir.KindBool {
		s.reason("havoc " + strings.TrimRight(site.Var, "_0123456789") + " " + t.String())
	}
	if !site.NotNull {
		c.candidates = append(c.candidates, ir.Null)
	}
	s.chosen = append(s.chosen, c)
	return c.candidates[0], true
}

// next goes to the next values.
func (s *search) next() bool {
	for i := len(s.chosen) - 1; i >= 0; i-- {
		if c := s.chosen[i]; c.at+1 < len(c.candidates) {
			c.at++
			s.chosen = s.chosen[:i+1]
			return true
		}
	}
	return false
}

// opaqueCalls are the functions without a meaning that a template applies.
func opaqueCalls(txn *ir.Txn) []string {
	var out []string
	ir.Walk(txn.Body, func(st ir.Stmt) {
		for _, e := range ir.Exprs(st) {
			ir.WalkExpr(e, func(e ir.Expr) {
				if c, ok := e.(*ir.Call); ok && c.Def == nil && ir.Functions[c.Name] == nil && !slices.Contains(out, c.Name) {
					out = append(out, c.Name)
				}
			})
		}
	})
	return out
}
