package analyzer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/absint"
	"github.com/txrobust/robust/analyzer/internal/comments"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

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
	// Models are the tables that libraries keep structs in, in the order of their names.
	Models []Model
	ddl    []Declaration
	source *extractor
	// Modules are the folders of the modules that were read, Files those that decide
	// what was read of them, in the order of their names: the Go files of the packages,
	// and the go.mod and go.sum of the modules. All are absolute.
	Modules, Files []string
	// Faults are functions whose reading ended in a fault of this program. They may do
	// anything, and there is a note about each.
	Faults []error
	// Drivers are the databases whose drivers the packages import, in order.
	Drivers []Database
}

// Schema gives the DDL by which libraries make the tables of models, as GORM's
// AutoMigrate does for PostgreSQL.
func (r *Result) Schema() []Declaration { return r.ddl }

// Places gives the places in the source from which statements are sent, those
// whose statements are not known included.
func (r *Result) Places() []ir.Pos {
	var out []ir.Pos
	for _, t := range r.Txns {
		session.EachQuery(t.Body, func(s client.Stmt) {
			switch s := s.(type) {
			case *client.Query:
				out = append(out, s.Pos)
			case *client.ForRows:
				out = append(out, s.Query.Pos)
			case *client.Unknown:
				out = append(out, s.Pos)
			default:
				panic("analyzer: EachQuery gives what is not sent")
			}
		})
	}
	slices.SortFunc(out, program.ComparePos)
	return slices.Compact(out)
}

// Invariant is a stated fact about the rows.
type Invariant = comments.Invariant

// Model is a table that a library keeps structs in, Declaration DDL that makes the table
// of a model, or changes it.
type (
	Model       = session.Model
	Declaration = session.Declaration
)

// extractor looks for the transactions of a program.
type extractor struct{ *session.Analysis }

// extraction is the work on the functions of a program: those that wait, and what
// was found in the others.
type extraction struct {
	*extractor
	ctx context.Context
	// faults are those of this program, by function.
	faults []error
	// dead are functions that nobody calls, outside those that send what callers
	// give, and that have none.
	dead    map[*ssa.Function]bool
	outside []*ssa.Function
	// unread are the functions that were left unread, or some of whose transactions were,
	// since the time ran out.
	unread   []*ssa.Function
	results  map[*ssa.Function]*session.Findings
	order    []*ssa.Function
	queue    []*ssa.Function
	queued   map[*ssa.Function]bool
	progress func(done, total int)
}

// extract finds the transactions of a program.
// Where the time of within runs out, what is left may do anything; where ctx ends, that is
// the error.
func (e *extractor) extract(ctx context.Context, within time.Duration, progress func(done, total int)) (*Result, error) {
	bounded, cancel := ctx, func() {}
	if within > 0 {
		bounded, cancel = context.WithTimeout(ctx, within)
	}
	defer cancel()
	x := &extraction{extractor: e, ctx: bounded, results: map[*ssa.Function]*session.Findings{}, queued: map[*ssa.Function]bool{}, progress: progress}
	x.dead = e.P.Dead()
	for _, f := range e.P.Funcs {
		if e.P.Relevant[f] || e.P.Places.Writers[f] != nil {
			x.push(f)
		}
	}
	for _, pkg := range e.P.Pkgs {
		if f := pkg.Func("init"); f != nil {
			for _, g := range f.AnonFuncs { // those of package variables: no function lets them escape
				if e.P.Relevant[g] {
					x.push(g)
				}
			}
		}
	}
	x.runAll()
	e.GatherKept(x.results)
	for _, f := range x.order {
		if r := x.results[f]; r != nil && r.Looked {
			x.push(f)
		}
	}
	x.runAll()
	res := x.gather()
	return res, ctx.Err()
}

// push puts a function among those that wait.
func (x *extraction) push(f *ssa.Function) {
	if !x.queued[f] && !x.dead[f] && x.P.StandsAlone(f) {
		x.queued[f] = true
		x.queue = append(x.queue, f)
	}
}

// runAll interprets the functions that wait, and the function literals that nobody calls
// where it is seen: those that are returned, or kept in memory.
func (x *extraction) runAll() {
	for {
		x.run()
		late := x.ctx.Err() != nil
		for _, f := range x.P.Literals {
			switch {
			case x.P.Ran[f] || x.results[f] != nil:
			case late:
				x.leave(f)
			default:
				x.push(f)
			}
		}
		if late || len(x.queue) == 0 {
			return
		}
	}
}

// run interprets the functions that wait, and those that have to be looked at
// because of them.
func (x *extraction) run() {
	p := x.P
	for len(x.queue) > 0 {
		if x.ctx.Err() != nil {
			for _, f := range x.queue {
				x.leave(f)
			}
			x.queue = nil
			return
		}
		f := x.queue[0]
		x.queue = x.queue[1:]
		x.queued[f] = false
		if x.results[f] == nil {
			x.order = append(x.order, f)
		}
		res, _ := x.interpret(f, "")
		x.results[f] = res
		p.Textual[f] = res.Given
		x.progress(len(x.order)-len(x.queue), len(x.order)+len(x.queue))
		if why := cmp.Or(res.Open, res.Text); why != "" && p.Parametric[f] == "" {
			p.Parametric[f] = why
			x.pushUsers(f)
		}
		for _, g := range res.Escaped {
			if x.results[g] == nil {
				x.push(g)
			}
		}
	}
}

// fails records that a function was not interpreted to its end.
func (x *extraction) fails(f *ssa.Function, res *session.Findings, left *absint.Unread) {
	x.FailKept(f)
	if left.Late {
		x.leave(f)
		return
	}
	x.P.TooLarge[f] = true
	res.Unread = true
	res.Notes = append(res.Notes, ir.Note{Pos: x.P.Position(f.Pos()), Text: session.FunctionName(f) + " is not read: " + left.Why})
	if left.Fault != nil {
		x.faults = append(x.faults, left.Fault)
	}
}

// unknown stands for what a function does that is not read.
func (x *extraction) unknown(f *ssa.Function) client.Stmt {
	return &client.Unknown{At: client.At{Pos: x.P.Position(f.Pos())}, Reason: session.FunctionName(f) + ", which is not read"}
}

// leave leaves a function unread, since the time ran out.
func (x *extraction) leave(f *ssa.Function) {
	x.queued[f] = false
	x.FailKept(f)
	if !slices.Contains(x.unread, f) {
		x.unread = append(x.unread, f)
	}
}

// forNobody reports whether what a function sends comes from callers, of which the program
// has none, nor anybody outside of it.
func (x *extraction) forNobody(f *ssa.Function) bool {
	res := x.results[f]
	none := !program.IsEntry(f) && fromCallers(res) && res.Open != absint.GoesOn && len(x.P.Users[f]) == 0 && f.Parent() == nil && x.P.IsProgram() &&
		!x.P.Know.Calls(f) && !x.P.CalledOutside(f)
	if none && !slices.Contains(x.outside, f) {
		x.outside = append(x.outside, f)
	}
	return none
}

// noteDead says which functions are left out because nobody calls them.
func (x *extraction) noteDead(out *Result) {
	var relevant []*ssa.Function
	for _, f := range x.P.Funcs {
		if x.dead[f] && x.P.Relevant[f] {
			relevant = append(relevant, f)
		}
	}
	x.noteList(out, relevant, "functions that use the database and that nobody in the program calls are left out")
	x.noteList(out, x.outside, "functions that send what their callers give, and that nobody in the program calls, are left out")
}

// noteList notes functions, in the order of the source.
func (x *extraction) noteList(out *Result, list []*ssa.Function, what string) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, x.P.ByPlace)
	var names []string
	for _, f := range list {
		names = append(names, session.FunctionName(f))
	}
	out.Notes = append(out.Notes, ir.Note{Pos: x.P.Position(list[0].Pos()), Text: what + ": " + strings.Join(names, ", ")})
}

// tables adds the tables that libraries make.
func (x *extraction) tables(out *Result) {
	for _, l := range x.Libs {
		if l.Tables != nil {
			models, ddl := l.Tables()
			out.Models, out.ddl = append(out.Models, models...), append(out.ddl, ddl...)
		}
	}
}

// alone reports whether a function that was not interpreted to its end may send something by
// itself. A function that gets a transaction sends what it sends for its callers.
func (x *extraction) alone(f *ssa.Function) bool {
	res := x.results[f]
	return res.Unread && (len(res.Sites) > 0 || !x.P.WorksWithin(f))
}

func (x *extraction) unreadTxn(f *ssa.Function) *client.Txn {
	return &client.Txn{Pos: x.P.Position(f.Pos()), Body: []client.Stmt{x.unknown(f)}}
}

// finish adds what is known when all is gathered: notes on what is dead, faults, and one
// transaction that may do anything for what was left unread.
func (x *extraction) finish(out *Result) {
	x.noteDead(out)
	if out.Faults = x.faults; len(x.unread) == 0 {
		return
	}
	slices.SortFunc(x.unread, x.P.ByPlace)
	var list []string
	for _, f := range x.unread[:min(len(x.unread), 5)] {
		list = append(list, session.FunctionName(f))
	}
	if len(list) < len(x.unread) {
		list = append(list, "…")
	}
	pos := x.P.Position(x.unread[0].Pos())
	what := fmt.Sprintf("functions that were not read in time: %d of %d, %s", len(x.unread), len(x.P.Funcs), strings.Join(list, ", "))
	out.Notes = append(out.Notes, ir.Note{Pos: pos, Text: what + "; they may do anything"})
	out.Txns = append(out.Txns, &client.Txn{Pos: pos, Name: "what was not read in time", Body: []client.Stmt{
		&client.Unknown{At: client.At{Pos: pos}, Reason: what}}})
}

// pushUsers puts those that mention a function, and the functions around them,
// among those that wait.
func (x *extraction) pushUsers(f *ssa.Function) {
	for _, u := range x.P.Users[f] {
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
func (x *extraction) gather() *Result {
	e, order, results := x.extractor, x.order, x.results
	out := &Result{source: e, Ignores: e.P.Notes.Ignores, Invariants: e.P.Notes.Invariants}
	slices.SortStableFunc(order, e.P.ByPlace)
	names := map[string]int{}
	title := func(t *client.Txn, fn *ssa.Function) {
		t.Name = session.FunctionName(fn)
		if name := e.P.Notes.Names[fn.Pos()]; name != "" {
			t.Name = name
		}
		t.Levels = session.OfSession(t.Levels, e.P.Sessions)
		if level := e.P.Notes.Levels[fn.Pos()]; level != "" {
			t.Levels, t.Assumed = []string{level}, true
		}
		t.Mutexes = e.P.Notes.Held(fn.Pos(), t.Pos)
		if names[t.Name]++; names[t.Name] > 1 {
			t.Name += "#" + strconv.Itoa(names[t.Name])
		}
	}
	begins := map[string]bool{}
	seen := map[string]bool{}
	var migrations []*ssa.Function
	plain := e.plain(results)
	left := e.leftSites(order, results)
	for _, f := range order {
		res := results[f]
		if e.P.IsMigration(f) && len(res.Sites)+len(res.Autos) > 0 {
			migrations = append(migrations, f)
			continue
		}
		out.Notes = append(out.Notes, res.Notes...)
		if x.alone(f) {
			t := x.unreadTxn(f)
			title(t, f)
			out.Txns = append(out.Txns, t)
			continue
		}
		for _, s := range res.Sites {
			at := s.Path[strings.LastIndex(s.Path, "> ")+1:]
			begins[strings.TrimSpace(at)] = true
			if !e.reported(f, s, results) && !left[s.Path] || x.forNobody(f) {
				continue
			}
			found, t := x.interpret(f, s.Path)
			if t == nil {
				continue
			}
			out.Notes = append(out.Notes, found.Notes...)
			title(t, f)
			out.Txns = append(out.Txns, t)
		}
		for _, a := range res.Autos {
			q := a.Txn.Body[0].(*client.Query)
			key := a.Txn.Pos.String() + q.SQL
			if seen[key] || a.Partial && (len(e.P.Users[f]) > 0 || x.forNobody(f)) || a.Kind != memory.Database && !plain[a.Fn] {
				continue
			}
			seen[key] = true
			title(a.Txn, session.Outermost(a.Sender))
			out.Txns = append(out.Txns, a.Txn)
		}
	}
	x.finish(out)
	for _, s := range e.P.Sessions {
		out.Notes = append(out.Notes, ir.Note{Pos: e.P.Position(s.At), Text: session.LevelNote(s)})
	}
	if len(migrations) > 0 {
		out.Notes = append(out.Notes, e.P.MigrationNote(migrations))
	}
	x.tables(out)
	out.Begins = len(begins)
	for _, t := range out.Txns {
		session.EachQuery(t.Body, func(client.Stmt) { out.Statements++ })
	}
	slices.SortFunc(out.Notes, func(a, b ir.Note) int {
		return cmp.Or(program.ComparePos(a.Pos, b.Pos), cmp.Compare(a.Text, b.Text))
	})
	out.Notes = slices.Compact(out.Notes)
	return out
}

// reported reports whether a transaction that was found in f is one of f, and not
// of a function that it calls or of its callers.
func (e *extractor) reported(f *ssa.Function, s session.Site, results map[*ssa.Function]*session.Findings) bool {
	if fromCallers(results[f]) && len(e.P.Users[f]) > 0 {
		return false
	}
	places := strings.Split(s.Path, " > ")
	for i, g := range s.Funcs[:len(s.Funcs)-1] {
		own := results[g]
		if g.Parent() != nil || e.P.Parametric[g] != "" || own == nil {
			continue
		}
		path := strings.Join(places[max(len(places)-1-i, 0):], " > ")
		if slices.ContainsFunc(own.Sites, func(o session.Site) bool { return o.Path == path }) {
			return false
		}
	}
	return true
}

// fromCallers reports whether a function's callers decide what its transactions do, or the
// text of a statement in one.
func fromCallers(res *session.Findings) bool { return res.Open != "" || res.Text != "" }

// leftSites gives the paths of the transactions of which callers decide what they do, and that
// are none of a caller: no caller is seen, or one calls through an interface or a value that may
// mean something else as well. Their functions are the ones to interpret them from; what comes from
// callers may do anything.
func (e *extractor) leftSites(order []*ssa.Function, results map[*ssa.Function]*session.Findings) map[string]bool {
	missed, left := map[*ssa.Function]bool{}, map[string]bool{}
	var had, open []string
	for _, f := range order {
		res := results[f]
		maps.Copy(missed, res.Missed)
		for _, s := range res.Sites {
			if s.Path == session.UntracedPath(e.P, f) {
				left[s.Path] = !e.within(f, results)
				continue
			}
			if !e.P.IsMigration(f) && !e.reported(f, s, results) {
				if fromCallers(res) && res.Open != absint.GoesOn && len(e.P.Users[f]) > 0 {
					open = append(open, s.Path)
				}
				continue
			}
			had = append(had, s.Path)
		}
	}
	// The longer path is the one of the caller.
	slices.SortStableFunc(open, func(a, b string) int { return strings.Count(b, " > ") - strings.Count(a, " > ") })
	for _, path := range open {
		within := func(h string) bool { return strings.Contains(" > "+h+" > ", " > "+path+" > ") }
		if !slices.ContainsFunc(had, within) {
			left[path] = true
			had = append(had, path)
		}
	}
	for f := range missed {
		if res := results[f]; res != nil && fromCallers(res) && res.Open != absint.GoesOn && !e.P.IsMigration(f) {
			for _, s := range res.Sites {
				if s.Path != session.UntracedPath(e.P, f) {
					left[s.Path] = true
				}
			}
		}
	}
	return left
}

// within reports whether a function that sends something in a transaction which began at a place that is not
// known was interpreted as a part of each function that uses it.
func (e *extractor) within(f *ssa.Function, results map[*ssa.Function]*session.Findings) bool {
	unseen := slices.ContainsFunc(e.P.Users[f], func(u *ssa.Function) bool {
		sets := u.Synthetic != "" // it sets package variables, and is interpreted as a part of nothing
		for g, res := range results {
			if g != f && res.Within[f] && (sets || g == u || res.Within[u]) && !results[f].Within[g] {
				return false
			}
		}
		return true
	})
	return !unseen && len(e.P.Users[f]) > 0
}

// plain finds the functions that somebody calls without a transaction.
func (e *extractor) plain(results map[*ssa.Function]*session.Findings) map[*ssa.Function]bool {
	out := map[*ssa.Function]bool{}
	for f := range results {
		if len(e.P.Users[f]) == 0 && !e.P.Know.Calls(f) || f.Parent() != nil {
			out[f] = true
		}
	}
	for more := true; more; {
		more = false
		for c := range e.P.Calls {
			if !out[c.To] && (c.How == program.Plainly || c.How == program.Passing && out[c.From]) {
				out[c.To], more = true, true
			}
		}
	}
	return out
}

// interpret interprets f, looking for transactions or (path) writing the one that
// begins there.
func (x *extraction) interpret(f *ssa.Function, path string) (res *session.Findings, txn *client.Txn) {
	e := x.extractor
	var body []client.Stmt
	res = session.NewFindings()
	in := absint.New(x.ctx, e.Analysis, f, path, &body, res)
	left := in.Attempt()
	if in.Again {
		return x.interpret(f, path)
	}
	if left != nil {
		x.fails(f, res, left)
		body = []client.Stmt{x.unknown(f)}
		in.Vars, in.Begun = nil, true
	}
	if path == "" {
		for _, a := range res.Autos {
			q := a.Txn.Body[0].(*client.Query)
			lead, _, found := strings.Cut(q.SQL, client.Hole)
			a.Partial = found && strings.TrimSpace(lead) == "" && res.Text != ""
		}
		return res, nil
	}
	if !in.Begun {
		return res, nil
	}
	txn = &client.Txn{Pos: in.BeginPos, Levels: slices.Compact(slices.Sorted(slices.Values(in.Levels))), Vars: in.Vars, Body: body, Joined: path == session.UntracedPath(e.P, f)}
	if !txn.Pos.IsValid() {
		txn.Pos = e.P.Position(f.Pos())
	}
	if in.AnyLevel {
		res.Notes = append(res.Notes, ir.Note{Pos: txn.Pos, Text: "the isolation level is no constant; //robust:assume level LEVEL before the function says what it is"})
	}
	in.FinishTxn(txn)
	return res, txn
}
