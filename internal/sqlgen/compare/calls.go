package compare

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/sqlgen"
)

// Tally counts what was compared.
type Tally struct {
	Apps, Txns, Runs int
	Results          map[Result]int
	Several, Opaque  int
	// Reasons counts invalid and unmodelled runs by reason.
	Reasons map[string]int
	// Productions counts, for each production, in how many transactions it occurs, and
	// in how many statements that are not modelled.
	Productions map[string]*Coverage
	Wrong       map[string]int
	Spent       time.Duration
}

// Coverage says how often a production was generated.
type Coverage struct{ Generated, Unmodelled int }

// NewTally makes an empty one.
func NewTally() *Tally {
	return &Tally{Results: map[Result]int{}, Reasons: map[string]int{}, Productions: map[string]*Coverage{}, Wrong: map[string]int{}}
}

// String is a summary, with the most frequent reasons.
func (t *Tally) String() string {
	var b strings.Builder
	rate := float64(t.Runs) / max(t.Spent.Seconds(), 0.001)
	fmt.Fprintf(&b, "%d applications, %d transactions, %d calls (%.0f/s):", t.Apps, t.Txns, t.Runs, rate)
	for r := Commits; r <= Wrong; r++ {
		fmt.Fprintf(&b, " %d %s,", t.Results[r], r)
	}
	fmt.Fprintf(&b, " %d with several outcomes, %d with unknown functions", t.Several, t.Opaque)
	write := func(title string, m map[string]int, most int) {
		names := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return m[b]*1000 - m[a]*1000 + strings.Compare(a, b) })
		for i, n := range names {
			if i == most {
				fmt.Fprintf(&b, "\n        … and %d more", len(names)-most)
				break
			}
			fmt.Fprintf(&b, "\n%8d %s%s", m[n], title, n)
		}
	}
	write("", t.Reasons, 40)
	write("WRONG ", t.Wrong, 60)
	return b.String()
}

// Table lists the productions with how often they were generated, and stood in a
// statement that is not modelled.
func (t *Tally) Table() string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(t.Productions)) {
		c := t.Productions[p]
		fmt.Fprintf(&b, "%-40s %8d %8d\n", p, c.Generated, c.Unmodelled)
	}
	return b.String()
}

func (t *Tally) production(p string) *Coverage {
	if t.Productions[p] == nil {
		t.Productions[p] = &Coverage{}
	}
	return t.Productions[p]
}

// Calls compares single calls.
type Calls struct {
	Server  *Server
	Options sqlgen.Options
	// States is how many states an application meets, Args with how many lists of
	// arguments each transaction is called on each.
	States, Args int
	Tally        *Tally
	// Report is told of what is wrong, made smaller. Each class is told of Each times.
	Report func(Case, Finding)
	Each   int
	// Undecided, if not nil, is told of errors of evaluation.
	Undecided func(seed uint64, f Finding)
	// Budget bounds the attempts to make a case smaller.
	Budget int
}

// Case is a call that something is wrong with.
type Case struct {
	Seed  uint64
	Decls *sqlgen.Node
	Txn   *sqlgen.Txn
	Rows  *sqlgen.Node
	Args  []*string
}

// String is the case as SQL text.
func (c *Case) String() string {
	return c.Decls.String() + c.Txn.Node.String() + ";\n" + c.Rows.String() + shown(c.Txn, c.Args) + ";\n"
}

// App compares the calls of one application.
func (c *Calls) App(seed uint64) error {
	start := time.Now()
	defer func() { c.Tally.Spent += time.Since(start) }()
	a := sqlgen.New(seed, c.Options)
	rng := rand.New(rand.NewPCG(seed, 12))
	c.Tally.Apps++
	if err := c.Server.reset(); err != nil {
		return err
	}
	c.keepDeclared(a)
	model, err := c.translate(a, rng)
	if err != nil {
		return err
	}
	if model == nil {
		return nil
	}
	on := &app{server: c.Server, model: model, rows: model.rowQueries()}
	c.count(a, model)
	for range c.States {
		rows := a.Rows(rng)
		switch err := on.load(rows); {
		case err == nil:
		case invalid(err): // a declaration was
			c.Tally.add(Finding{Result: Invalid, Class: err.Error()})
			continue
		default:
			c.wrong(Case{Seed: seed, Decls: a.Decls, Txn: a.Txns[0], Rows: rows, Args: a.Txns[0].Args(rng)}, Finding{Result: Wrong, Class: "state: " + err.Error()})
			continue
		}
		for _, t := range a.Txns {
			for range c.Args {
				args := t.Args(rng)
				f := on.compare(t, args)
				c.Tally.Runs++
				c.Tally.add(f)
				if f.Result == Undecided && c.Undecided != nil {
					c.Undecided(seed, Finding{f.Result, f.Class, t.Node.String() + ";\n" + f.Details, f.Several, f.Opaque})
				}
				if f.Result == Wrong {
					c.wrong(Case{seed, a.Decls, t, rows, args}, f)
					// What was made smaller has taken the database.
					if err := c.again(a, on, rows); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (t *Tally) add(f Finding) {
	t.Results[f.Result]++
	if f.Several {
		t.Several++
	}
	if f.Opaque {
		t.Opaque++
	}
	switch f.Result {
	case Invalid, Unmodelled, LeftOut, Undecided:
		t.Reasons[f.Result.String()+": "+reason(f.Class)]++
	}
}

var identifiers = regexp.MustCompile(`"[^"]*"|\b[rvwlitf]\d+(\.\w+)?|\d+`)

// reason leaves names out of a message.
func reason(s string) string { return identifiers.ReplaceAllString(s, "_") }

// keepDeclared declares an application, and leaves out of it what the server
// refuses.
func (c *Calls) keepDeclared(a *sqlgen.App) {
	var decls []*sqlgen.Node
	for _, d := range a.Decls.Kids {
		if err := c.Server.exec(d.String()); err != nil {
			c.Tally.Reasons["invalid declaration: "+reason(err.Error())]++
			continue
		}
		decls = append(decls, d)
	}
	a.Decls.Kids = decls
	var txns []*sqlgen.Txn
	for _, t := range a.Txns {
		c.Tally.Txns++
		if t.Kind != sqlgen.Script {
			if err := c.Server.exec(t.Node.String()); err != nil {
				c.Tally.Reasons["invalid transaction: "+reason(err.Error())]++
				continue
			}
		}
		txns = append(txns, t)
	}
	a.Txns = txns
	c.Server.sequences()
}

// translate reads the application. Transactions that the front end refuses are left
// out; they are findings if the server runs them.
func (c *Calls) translate(a *sqlgen.App, rng *rand.Rand) (*Model, error) {
	if len(a.Txns) == 0 {
		return nil, nil
	}
	m, err := Translate(c.Server.Link, a.Decls, a.Txns)
	if err == nil {
		return m, nil
	}
	var good []*sqlgen.Txn
	for _, t := range a.Txns {
		if _, err := Translate(c.Server.Link, a.Decls, []*sqlgen.Txn{t}); err == nil {
			good = append(good, t)
			continue
		}
		cs := Case{Seed: a.Seed, Decls: a.Decls, Txn: t, Rows: a.Rows(rng), Args: t.Args(rng)}
		f := c.check(cs)
		c.Tally.Runs++
		c.Tally.add(f)
		if f.Result == Wrong {
			c.wrong(cs, f)
		}
	}
	a.Txns = good
	if len(good) == 0 {
		return nil, nil
	}
	if m, err = Translate(c.Server.Link, a.Decls, good); err != nil {
		return nil, fmt.Errorf("each transaction can be read alone, but not all together: %w", err)
	}
	return m, c.redeclare(a.Decls, good)
}

func (c *Calls) redeclare(decls *sqlgen.Node, txns []*sqlgen.Txn) error {
	if err := c.Server.reset(); err != nil {
		return err
	}
	for _, d := range decls.Kids {
		if err := c.Server.exec(d.String()); err != nil {
			return err
		}
	}
	for _, t := range txns {
		if t.Kind != sqlgen.Script {
			if err := c.Server.exec(t.Node.String()); err != nil {
				return err
			}
		}
	}
	return c.Server.sequences()
}

// again makes the database what it was.
func (c *Calls) again(a *sqlgen.App, on *app, rows *sqlgen.Node) error {
	if err := c.redeclare(a.Decls, a.Txns); err != nil {
		return err
	}
	return on.load(rows)
}

// count notes the productions.
func (c *Calls) count(a *sqlgen.App, m *Model) {
	for _, d := range a.Decls.Kids {
		for p := range d.Productions() {
			c.Tally.production(p).Generated++
		}
	}
	for _, t := range a.Txns {
		for p := range t.Node.Productions() {
			c.Tally.production(p).Generated++
		}
	}
	for _, pos := range m.unmodelled() {
		for p := range m.statementAt(pos) {
			c.Tally.production(p).Unmodelled++
		}
	}
}

// check runs a case from the beginning.
func (c *Calls) check(cs Case) (f Finding) {
	if err := c.redeclare(cs.Decls, []*sqlgen.Txn{cs.Txn}); err != nil {
		return Finding{Result: Invalid, Class: err.Error()}
	}
	m, err := Translate(c.Server.Link, cs.Decls, []*sqlgen.Txn{cs.Txn})
	if err != nil {
		for _, r := range cs.Rows.Kids {
			c.Server.exec(r.String())
		}
		served := c.Server.serve(c.Server, cs.Txn, cs.Args, "").err
		if served != nil { // it is invalid, or the server did not come to what is
			return Finding{Result: Invalid, Class: fmt.Sprint(code(served), " ", served)}
		}
		if c.absent(err) {
			return Finding{Result: Invalid, Class: "a table that is not there"}
		}
		what := err.Error()
		if i := strings.LastIndex(what, fileName+":"); i >= 0 {
			_, what, _ = strings.Cut(what[i:], ": ")
		}
		said := "runs it"
		if served != nil {
			said = served.Error()
		}
		return Finding{Result: Wrong, Class: "refused: " + reason(what), Details: "the front end: " + err.Error() + "\nthe server: " + said + "\n"}
	}
	on := &app{server: c.Server, model: m, rows: m.rowQueries()}
	if err := on.load(cs.Rows); err != nil {
		return Finding{Result: Wrong, Class: "state: " + reason(err.Error())}
	}
	return on.compare(cs.Txn, cs.Args)
}

// absent reports whether the front end refuses a table that the server does not have
// either: a function that names it can be declared, and runs as long as it does not come
// to it.
func (c *Calls) absent(err error) bool {
	_, name, ok := strings.Cut(err.Error(), "there is no table ")
	if !ok {
		return false
	}
	err = c.Server.exec("SELECT 1 FROM " + name + " LIMIT 0")
	return err != nil && invalid(err)
}

// wrong makes a case smaller and reports it.
func (c *Calls) wrong(cs Case, f Finding) {
	class := reason(f.Class)
	c.Tally.Wrong[class]++
	if c.Tally.Wrong[class] > c.Each || c.Report == nil {
		return
	}
	cs.Decls, cs.Rows = cs.Decls.Clone(), cs.Rows.Clone()
	txn := *cs.Txn
	cs.Txn = &txn
	at := paramsAt(txn.Node, txn.ParamNode)
	txn.Node = txn.Node.Clone()
	if at != nil {
		txn.ParamNode = at(txn.Node)
	}
	keep := func() bool {
		g := c.check(cs)
		if g.Result != Wrong || reason(g.Class) != class {
			return false
		}
		f = g
		return true
	}
	if !keep() {
		f.Details += "(not found again from the beginning)\n"
		c.Report(cs, f)
		return
	}
	all := &sqlgen.Node{Kids: []*sqlgen.Node{cs.Rows, cs.Decls, txn.Node}}
	sqlgen.Shrink(all, c.Budget, keep)
	c.params(&cs, keep)
	keep()
	c.Report(cs, f)
}

// params leaves out parameters, with their arguments.
func (c *Calls) params(cs *Case, keep func() bool) {
	for i := len(cs.Txn.Params) - 1; i >= 0 && cs.Txn.ParamNode != nil; i-- {
		params, kids, args := cs.Txn.Params, cs.Txn.ParamNode.Kids, cs.Args
		cs.Txn.Params, cs.Args = slices.Delete(slices.Clone(params), i, i+1), slices.Delete(slices.Clone(args), i, i+1)
		cs.Txn.ParamNode.Kids = slices.Delete(slices.Clone(kids), i, i+1)
		if !keep() {
			cs.Txn.Params, cs.Txn.ParamNode.Kids, cs.Args = params, kids, args
		}
	}
}

// paramsAt gives the way from a piece to one inside of it.
func paramsAt(root, n *sqlgen.Node) func(*sqlgen.Node) *sqlgen.Node {
	if root == n {
		return func(r *sqlgen.Node) *sqlgen.Node { return r }
	}
	for i, k := range root.Kids {
		if next := paramsAt(k, n); next != nil {
			return func(r *sqlgen.Node) *sqlgen.Node { return next(r.Kids[i]) }
		}
	}
	return nil
}
