package analyzer

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/comments"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// findings are what interpreting a function finds.
type findings struct {
	sites   []site
	autos   []*auto
	escaped []*ssa.Function
	// open says why the callers have to be looked at for the transactions, or
	// (text) for some statements; "" if they need not be.
	open, text string
	notes      []ir.Note
	// given are the places of the statements that come from the callers.
	given map[token.Pos]bool
	// kept are the prepared statements that it stores in memory, apart the functions
	// that it calls and that are not interpreted with it. looked says that it looks for
	// statements before they are known.
	kept   []keptStmt
	apart  map[*ssa.Function]bool
	looked bool
	// missed are functions that it may call through an interface, of which nothing more is known.
	missed map[*ssa.Function]bool
}

// site is where a transaction begins: the path there, and the functions on it.
type site struct {
	path  string
	funcs []*ssa.Function
}

// auto is a statement outside of any transaction that is known.
type auto struct {
	txn *client.Txn
	fn  *ssa.Function
	// sender is the function that gives it its text.
	sender *ssa.Function
	kind   handleKind
	// partial says that its text comes from the caller.
	partial bool
}

func newFindings() *findings {
	return &findings{apart: map[*ssa.Function]bool{}, missed: map[*ssa.Function]bool{}, given: map[token.Pos]bool{}}
}

// fromCaller takes note that the statement at a place comes from the caller.
func (f *findings) fromCaller(why string, at token.Pos) {
	f.text = cmp.Or(f.text, why)
	f.given[at] = true
}

type mark struct{ sites, autos, escaped, notes, kept int }

func (f *findings) mark() mark {
	return mark{len(f.sites), len(f.autos), len(f.escaped), len(f.notes), len(f.kept)}
}

func (f *findings) reset(m mark) {
	f.sites, f.autos, f.escaped, f.notes = f.sites[:m.sites], f.autos[:m.autos], f.escaped[:m.escaped], f.notes[:m.notes]
	f.kept = f.kept[:m.kept]
}

// made takes note of a function literal that uses the database.
func (in *interp) made(f *ssa.Function) {
	if in.trace == nil && f.Parent() != nil && in.p.matters(f) && !slices.Contains(in.p.literals, f) {
		in.p.literals = append(in.p.literals, f)
	}
}

// newSite takes note that a transaction begins.
func (in *interp) newSite(path string) {
	for _, s := range in.result.sites {
		if s.path == path {
			return
		}
	}
	s := site{path: path}
	for f := in.fr; f != nil; f = f.caller {
		s.funcs = append(s.funcs, f.fn)
	}
	in.result.sites = append(in.result.sites, s)
}

// callers says that the callers of the root have to be looked at.
func (in *interp) callers(why string) {
	if in.result.open == "" {
		in.result.open = why
	}
}

// escape takes note of functions that somebody else may call.
func (in *interp) escape(v value) {
	in.holds(v, func(w value) bool {
		if c, ok := w.(*closure); ok && c.fn != nil && c.fn.Parent() != nil && in.p.matters(c.fn) && !slices.Contains(in.result.escaped, c.fn) {
			in.result.escaped = append(in.result.escaped, c.fn)
		}
		return false
	})
}

// auto takes note of a statement outside of transactions, with its text.
func (in *interp) auto(r *rows, text string, args []value) {
	for _, a := range in.result.autos {
		if a.txn.Pos == r.pos && a.txn.Body[0].(*client.Query).SQL == text {
			return
		}
	}
	t := &client.Txn{Pos: r.pos, Auto: true}
	q := &client.Query{At: client.At{Pos: r.pos}, SQL: text, Open: r.query.Open, Returned: true}
	for i, e := range r.query.Args {
		if c, ok := e.(*client.Const); ok {
			q.Args = append(q.Args, c)
			continue
		}
		v := client.Var{Name: "arg" + itoa(i+1), Input: true, Nullable: true}
		if i < len(args) {
			v.Kind, v.Nullable = kindAndNull(unbox(args[i]))
			if x, ok := e.(*client.VarExpr); ok {
				w := in.variable(x.Name)
				v.Kind, v.Nullable, v.Fresh = w.Kind, w.Nullable, in.fresheds[x.Name]
				v.Name = w.Name
			}
		}
		for slices.ContainsFunc(t.Vars, func(w client.Var) bool { return w.Name == v.Name }) {
			v.Name += "x"
		}
		t.Vars = append(t.Vars, v)
		q.Args = append(q.Args, client.V(v.Name))
	}
	for _, a := range r.query.Named {
		v := client.Var{Name: a.Name, Input: true, Nullable: true}
		if !slices.Contains(t.Vars, v) {
			t.Vars = append(t.Vars, v)
		}
		q.Named = append(q.Named, client.Arg{Name: a.Name, Expr: client.V(a.Name)})
	}
	t.Body = []client.Stmt{q}
	kind := r.h.kind
	if kind == transaction { // one that nobody knows where it comes from
		kind = either
	}
	_, sender := in.sender()
	in.result.autos = append(in.result.autos, &auto{txn: t, fn: in.fr.fn, sender: sender, kind: kind})
}

func (in *interp) variable(name string) client.Var {
	for _, v := range slices.Backward(in.vars) { // what was made last is asked for most
		if v.Name == name {
			return v
		}
	}
	return client.Var{Name: name}
}

// Result is what is found in a program.
type Result struct {
	Txns  []*client.Txn
	Notes []ir.Note
	// Ignores are the findings that comments accept, Invariants facts about the
	// rows that they state, as SQL.
	Ignores    []*ir.Ignore
	Invariants []Invariant
	// Begins is the number of places where a transaction begins, Statements that
	// of the statements in Txns.
	Begins, Statements int
	// Models are the tables that GORM keeps structs in, in the order of their names.
	Models []Model
	noKeys bool // AutoMigrate makes no foreign keys
	prog   *program
	// Modules are the folders of the modules that were read, Files those that decide
	// what was read of them, in the order of their names: the Go files of the packages,
	// and the go.mod and go.sum of the modules. All are absolute.
	Modules, Files []string
	// Drivers are the databases whose drivers the packages import, in order.
	Drivers []Database
}

// Places gives the places in the source from which statements are sent, those
// whose statements are not known included.
func (r *Result) Places() []ir.Pos {
	var out []ir.Pos
	for _, t := range r.Txns {
		eachQuery(t.Body, func(s client.Stmt) {
			switch s := s.(type) {
			case *client.Query:
				out = append(out, s.Pos)
			case *client.ForRows:
				out = append(out, s.Query.Pos)
			case *client.Unknown:
				out = append(out, s.Pos)
			}
		})
	}
	slices.SortFunc(out, comparePos)
	return slices.Compact(out)
}

// Invariant is a stated fact about the rows.
type Invariant = comments.Invariant

// extraction is the work on the functions of a program: those that wait, and what
// was found in the others.
type extraction struct {
	p        *program
	results  map[*ssa.Function]*findings
	order    []*ssa.Function
	queue    []*ssa.Function
	queued   map[*ssa.Function]bool
	progress func(done, total int)
}

// extract finds the transactions of a program.
func (p *program) extract(ctx context.Context, progress func(done, total int)) (*Result, error) {
	x := &extraction{p: p, results: map[*ssa.Function]*findings{}, queued: map[*ssa.Function]bool{}, progress: progress}
	for _, f := range p.funcs {
		if p.relevant[f] || p.places.writers[f] {
			x.push(f)
		}
	}
	for _, pkg := range p.pkgs {
		if f := pkg.Func("init"); f != nil {
			for _, g := range f.AnonFuncs { // those of package variables: no function lets them escape
				if p.relevant[g] {
					x.push(g)
				}
			}
		}
	}
	if err := x.runAll(ctx); err != nil {
		return nil, err
	}
	p.gatherKept(x.results)
	for _, f := range x.order {
		if x.results[f].looked {
			x.push(f)
		}
	}
	if err := x.runAll(ctx); err != nil {
		return nil, err
	}
	return p.gather(ctx, x.order, x.results)
}

// push puts a function among those that wait.
func (x *extraction) push(f *ssa.Function) {
	if !x.queued[f] {
		x.queued[f] = true
		x.queue = append(x.queue, f)
	}
}

// runAll interprets the functions that wait, and the function literals that nobody calls
// where it is seen: those that are returned, or kept in memory.
func (x *extraction) runAll(ctx context.Context) error {
	for {
		if err := x.run(ctx); err != nil {
			return err
		}
		for _, f := range x.p.literals {
			if !x.p.ran[f] && x.results[f] == nil {
				x.push(f)
			}
		}
		if len(x.queue) == 0 {
			return nil
		}
	}
}

// run interprets the functions that wait, and those that have to be looked at
// because of them.
func (x *extraction) run(ctx context.Context) error {
	p := x.p
	for len(x.queue) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := x.queue[0]
		x.queue = x.queue[1:]
		x.queued[f] = false
		if x.results[f] == nil {
			x.order = append(x.order, f)
		}
		res, _ := p.interpret(f, "")
		x.results[f] = res
		p.textual[f] = res.given
		x.progress(len(x.order)-len(x.queue), len(x.order)+len(x.queue))
		if why := cmp.Or(res.open, res.text); why != "" && p.parametric[f] == "" {
			p.parametric[f] = why
			x.pushUsers(f)
		}
		for _, g := range res.escaped {
			if x.results[g] == nil {
				x.push(g)
			}
		}
	}
	return nil
}

// pushUsers puts those that mention a function, and the functions around them,
// among those that wait.
func (x *extraction) pushUsers(f *ssa.Function) {
	for _, u := range x.p.users[f] {
		if u.Parent() == nil || x.results[u] != nil {
			x.push(u)
		}
		for top := u; top != nil; top = top.Parent() {
			if top.Parent() == nil {
				x.push(top)
			}
		}
	}
}

// gather makes the transactions of what was found.
func (p *program) gather(ctx context.Context, order []*ssa.Function, results map[*ssa.Function]*findings) (*Result, error) {
	out := &Result{prog: p, Ignores: p.notes.Ignores, Invariants: p.notes.Invariants}
	slices.SortStableFunc(order, p.byPlace)
	names := map[string]int{}
	title := func(t *client.Txn, fn *ssa.Function) {
		t.Name = functionName(fn)
		if name := p.notes.Names[fn.Pos()]; name != "" {
			t.Name = name
		}
		if level := p.notes.Levels[fn.Pos()]; level != "" {
			t.Level = level
		}
		t.Mutexes = p.notes.Held(fn.Pos(), t.Pos)
		if names[t.Name]++; names[t.Name] > 1 {
			t.Name += "#" + itoa(names[t.Name])
		}
	}
	begins := map[string]bool{}
	seen := map[string]bool{}
	var migrations []*ssa.Function
	plain := p.plain(results)
	left := p.leftSites(order, results)
	for _, f := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		res := results[f]
		if p.isMigration(f) && len(res.sites)+len(res.autos) > 0 {
			migrations = append(migrations, f)
			continue
		}
		out.Notes = append(out.Notes, res.notes...)
		for _, s := range res.sites {
			at := s.path[strings.LastIndex(s.path, "> ")+1:]
			begins[strings.TrimSpace(at)] = true
			if !p.reported(f, s, results) && !left[s.path] {
				continue
			}
			found, t := p.interpret(f, s.path)
			if t == nil {
				continue
			}
			out.Notes = append(out.Notes, found.notes...)
			title(t, f)
			out.Txns = append(out.Txns, t)
		}
		for _, a := range res.autos {
			q := a.txn.Body[0].(*client.Query)
			key := a.txn.Pos.String() + q.SQL
			if seen[key] || a.partial && len(p.users[f]) > 0 || a.kind != database && !plain[a.fn] {
				continue
			}
			seen[key] = true
			a.txn.Level = p.level
			title(a.txn, outermost(a.sender))
			out.Txns = append(out.Txns, a.txn)
		}
	}
	if p.level != "" {
		out.Notes = append(out.Notes, ir.Note{Pos: p.position(p.levelAt), Text: "sessions are taken to have the isolation level " + strings.ToUpper(p.level) + " that is set here, where the code asks for no other one"})
	}
	if len(migrations) > 0 {
		out.Notes = append(out.Notes, p.migrationNote(migrations))
	}
	out.Begins = len(begins)
	out.Models, out.noKeys = p.sortedModels(), p.config.noKeys
	for _, t := range out.Txns {
		eachQuery(t.Body, func(client.Stmt) { out.Statements++ })
	}
	slices.SortFunc(out.Notes, func(a, b ir.Note) int {
		return cmp.Or(comparePos(a.Pos, b.Pos), cmp.Compare(a.Text, b.Text))
	})
	out.Notes = slices.Compact(out.Notes)
	return out, nil
}

func comparePos(a, b ir.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// reported reports whether a transaction that was found in f is one of f, and not
// of a function that it calls or of its callers.
func (p *program) reported(f *ssa.Function, s site, results map[*ssa.Function]*findings) bool {
	if results[f].open != "" && len(p.users[f]) > 0 {
		return false
	}
	places := strings.Split(s.path, " > ")
	for i, g := range s.funcs[:len(s.funcs)-1] {
		own := results[g]
		if g.Parent() != nil || p.parametric[g] != "" || own == nil {
			continue
		}
		path := strings.Join(places[max(len(places)-1-i, 0):], " > ")
		if slices.ContainsFunc(own.sites, func(o site) bool { return o.path == path }) {
			return false
		}
	}
	return true
}

// leftSites gives the paths of the transactions of which callers decide what they do, and that
// are none of a caller: no caller is seen, or one calls through an interface that may mean
// something else as well. Their functions are the ones to interpret them from; what comes from callers
// may do anything.
func (p *program) leftSites(order []*ssa.Function, results map[*ssa.Function]*findings) map[string]bool {
	missed := map[*ssa.Function]bool{}
	var had, open []string
	for _, f := range order {
		res := results[f]
		maps.Copy(missed, res.missed)
		for _, s := range res.sites {
			if !p.isMigration(f) && !p.reported(f, s, results) {
				if res.open != "" && res.open != goesOn && len(p.users[f]) > 0 {
					open = append(open, s.path)
				}
				continue
			}
			had = append(had, s.path)
		}
	}
	// The longer path is the one of the caller.
	slices.SortStableFunc(open, func(a, b string) int { return strings.Count(b, " > ") - strings.Count(a, " > ") })
	left := map[string]bool{}
	for _, path := range open {
		within := func(h string) bool { return strings.Contains(" > "+h+" > ", " > "+path+" > ") }
		if !slices.ContainsFunc(had, within) {
			left[path] = true
			had = append(had, path)
		}
	}
	for f := range missed {
		if res := results[f]; res != nil && res.open != "" && res.open != goesOn && !p.isMigration(f) {
			for _, s := range res.sites {
				left[s.path] = true
			}
		}
	}
	return left
}

// plain finds the functions that somebody calls without a transaction.
func (p *program) plain(results map[*ssa.Function]*findings) map[*ssa.Function]bool {
	out := map[*ssa.Function]bool{}
	for f := range results {
		if len(p.users[f]) == 0 && !isHook(f) || f.Parent() != nil {
			out[f] = true
		}
	}
	for more := true; more; {
		more = false
		for c := range p.calls {
			if !out[c.to] && (c.how == plainly || c.how == passing && out[c.from]) {
				out[c.to], more = true, true
			}
		}
	}
	return out
}

// functionName is the name of a function with its receiver.
func functionName(f *ssa.Function) string {
	name := f.Name()
	if recv := f.Signature.Recv(); recv != nil {
		if n := namedOf(recv.Type()); n != nil {
			return n.Obj().Name() + "." + name
		}
	}
	return name
}

// interpret interprets f, looking for transactions or (path) writing the one that
// begins there.
func (p *program) interpret(f *ssa.Function, path string) (res *findings, txn *client.Txn) {
	var body []client.Stmt
	res = newFindings()
	in := p.newInterp(f, path, &body, res)
	if why := in.attempt(); why != "" {
		p.failKept(f)
		res.notes = append(res.notes, ir.Note{Pos: p.position(f.Pos()), Text: functionName(f) + " is not read: " + why})
		body = []client.Stmt{&client.Unknown{At: client.At{Pos: p.position(f.Pos())}, Reason: functionName(f) + ", which is not read"}}
		in.vars, in.begun = nil, true
	}
	if path == "" {
		for _, a := range res.autos {
			q := a.txn.Body[0].(*client.Query)
			lead, _, found := strings.Cut(q.SQL, client.Hole)
			a.partial = found && strings.TrimSpace(lead) == "" && res.text != ""
		}
		return res, nil
	}
	if !in.begun {
		return res, nil
	}
	txn = &client.Txn{Pos: in.beginPos, Level: in.level, Vars: in.vars, Body: body}
	if !txn.Pos.IsValid() {
		txn.Pos = p.position(f.Pos())
	}
	switch {
	case in.level != "":
	case in.anyLevel:
		res.notes = append(res.notes, ir.Note{Pos: txn.Pos, Text: "the isolation level is no constant; //robust:assume level LEVEL before the function says what it is"})
	default:
		txn.Level = p.level
	}
	in.finishTxn(txn)
	return res, txn
}

// newInterp makes an interpreter of f that writes to body.
func (p *program) newInterp(f *ssa.Function, site string, body *[]client.Stmt, res *findings) *interp {
	return &interp{p: p, root: f, site: site, st: newState(), out: body, varFacts: newVarFacts(), alternatives: map[*client.Query]alternative{}, result: res,
		joined: map[*cell]value{}, boxed: map[*cell]bool{}, rowsLoops: map[*client.Loop]*rows{}, results: map[*client.Commit][]string{}, pos: f.Pos(), limit: maxSteps}
}

// attempt interprets the root. why, if not "", says why that came to no end.
func (in *interp) attempt() (why string) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(tooMuch)
			if !ok {
				panic(fmt.Sprintf("analyzer: %s: %v", in.root, r))
			}
			why = m.why
		}
	}()
	if in.p.shape(in.root).Irreducible {
		return "its control flow has a loop with several entries"
	}
	in.top(in.root)
	return ""
}

// top interprets the function that is the root.
func (in *interp) top(f *ssa.Function) {
	in.fr = in.newFrame(f, token.NoPos)
	for _, v := range f.Params {
		in.fr.regs[v] = in.fresh(v.Type(), v.Name(), given)
	}
	for _, v := range f.FreeVars {
		in.fr.regs[v] = in.captured(v)
	}
	in.tree(f.Blocks[0])
}

// captured gives the address of a variable that a closure uses.
func (in *interp) captured(v *ssa.FreeVar) value {
	t, ok := v.Type().(*types.Pointer)
	if !ok {
		return in.fresh(v.Type(), v.Name(), given)
	}
	return &pointer{to: in.newCell(t.Elem(), v.Name(), given)}
}
