package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
)

// Effect is what running some SQL may touch: tables (nil with all set), and
// whether it may write. parents are further tables, which it only reads: those
// that foreign keys of written tables refer to.
type Effect struct {
	Tables  map[string]bool
	Parents map[string]bool
	// Sequences are the names of sequences in the place of tables.
	Sequences map[string]bool
	All       bool
	Writes    bool
	Locks     bool
}

// Access is what is done to a table.
type Access uint8

const (
	readsRows Access = iota
	AddsRows
	ChangesRows // updates or deletes some, too
)

func (r *Refs) access() Access {
	switch {
	case r.Writes && r.Frees:
		return ChangesRows
	case r.Writes:
		return AddsRows
	}
	return readsRows
}

// Tracer follows the functions that some SQL calls, and views, cascades and
// triggers.
type Tracer struct {
	*Effect
	l *Schema
	// in says what names mean where the SQL runs.
	in     *Resolver
	Called map[*Function]bool
	// known, if not nil, are the effects of functions with the search paths for their names, as far as they were asked for.
	known map[string]*Effect
	// seen are the functions that were followed, with the search paths for their names.
	seen  map[string]bool
	Wrote map[*Table]Access
	// viewed are the views that were followed, with one more than what is done to them.
	viewed map[*View]Access
	// domains are those of which the checks were followed.
	domains map[*UserType]bool
}

// EffectOf gives all that running SQL with the references r may touch.
func (l *Schema) EffectOf(r *Refs) *Effect {
	tr := l.Tracer()
	tr.known = l.Effects
	tr.Add(r)
	return tr.Effect
}

// EffectOfCall is EffectOf for the call of functions.
func (l *Schema) EffectOfCall(fns []*Function) *Effect {
	tr := l.Tracer()
	tr.known = l.Effects
	tr.call(fns)
	return tr.Effect
}

// Tracer begins to trace what is touched.
func (l *Schema) Tracer() *Tracer {
	return &Tracer{Effect: &Effect{Tables: map[string]bool{}, Parents: map[string]bool{}, Sequences: map[string]bool{}}, l: l, in: &l.Late,
		Called: map[*Function]bool{}, seen: map[string]bool{}, Wrote: map[*Table]Access{}, viewed: map[*View]Access{}, domains: map[*UserType]bool{}}
}

// Add traces what r names, and what that runs.
func (tr *Tracer) Add(r *Refs) {
	tr.All = tr.All || r.Dynamic
	tr.Writes = tr.Writes || r.Writes
	tr.Locks = tr.Locks || r.Locks
	in := r.Names
	if in == nil {
		in = tr.in.With(tr.in.Run.Or(tr.l.SetBy(r, tr.in)))
	}
	for _, t := range r.known {
		tr.touch(t.Rel, r.access())
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		tr.touchName(in, name, r.access())
	}
	for _, name := range slices.Sorted(maps.Keys(tr.l.Calls(r))) {
		tr.callName(in, name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		tr.typeName(in, name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.operators)) {
		for _, o := range tr.l.Operators[name] {
			tr.callName(o.Names, o.Fn)
		}
	}
}

// TypeName adds what the checks of domains look at that are in a type: that of a column if name ends
// with one.
func (tr *Tracer) typeName(in *Resolver, name string) {
	for _, u := range tr.l.domainsIn(in, name) {
		if tr.domains[u] {
			continue
		}
		tr.domains[u] = true
		for _, c := range u.Checks() {
			tr.Add(c.refs(tr.l))
		}
	}
}

// touchName is touch for all that a name may mean.
func (tr *Tracer) touchName(in *Resolver, name string, do Access) {
	for _, o := range in.Relations(name) {
		tr.touch(o, do)
	}
}

// callName is call for all that a name may mean.
func (tr *Tracer) callName(in *Resolver, name string) {
	fns, sure := in.Functions(name)
	if len(fns) == 0 || !sure {
		tr.builtin(name)
	}
	tr.call(fns)
}

// builtin adds what a function of the system does.
func (tr *Tracer) builtin(name string) {
	switch b := tr.l.Builtin(name); {
	case !b.Known, b.Effect == catalog.WritesAny:
		tr.everything()
	case b.Effect == catalog.ReadsAny:
		tr.All = true
	}
}

func (tr *Tracer) everything() { tr.All, tr.Writes = true, true }

// call adds what functions do.
func (tr *Tracer) call(fns []*Function) {
	for _, g := range fns {
		if !g.HasBody() {
			tr.everything()
			continue
		}
		in := tr.l.InsideOf(g, tr.in.Run)
		key := fmt.Sprintf("%p %s", g, in.Run)
		switch {
		case tr.seen[key]:
		case tr.known != nil:
			tr.seen[key] = true
			if tr.known[key] == nil {
				of := tr.l.Tracer()
				of.in = tr.in
				of.call([]*Function{g})
				tr.known[key] = of.Effect
			}
			tr.merge(tr.known[key])
		default:
			tr.seen[key], tr.Called[g] = true, true
			outer := tr.in
			tr.in = in
			tr.Add(g.Refs)
			tr.in = outer
		}
	}
}

// merge adds what another effect has.
func (e *Effect) merge(o *Effect) {
	maps.Copy(e.Tables, o.Tables)
	maps.Copy(e.Parents, o.Parents)
	maps.Copy(e.Sequences, o.Sequences)
	e.All, e.Writes, e.Locks = e.All || o.All, e.Writes || o.Writes, e.Locks || o.Locks
}

// touch adds a table, and what a write of it causes. Constraints between tables
// belong to that: whoever removes a row depends on there being no children now,
// and whoever adds one on its parents.
func (tr *Tracer) touch(o *Relation, do Access) {
	t := o.Table
	if t == nil {
		tr.touchView(o, do)
		return
	}
	if !tr.Tables[t.Name] {
		tr.Tables[t.Name] = true
		for _, o := range t.OddTables {
			tr.touch(o.Rel, do)
		}
		for _, r := range t.OddRefs {
			tr.Add(r)
		}
		if t.OddAll {
			tr.everything()
		}
		for _, p := range t.Policies {
			tr.Add(p.Refs)
		}
	}
	if do <= tr.Wrote[t] {
		return
	}
	for _, f := range t.Foreign {
		if parent := f.Parent(); parent != nil {
			tr.Parents[parent.Name] = true
		}
	}
	tr.Write(t, do)
}

// touchView is touch for what stands in the place of a table.
func (tr *Tracer) touchView(o *Relation, do Access) {
	v := o.View
	if v.What == SequenceView {
		tr.Sequences[v.Name] = true
	}
	if v.All {
		tr.everything()
	}
	if v.Rows {
		tr.Tables[v.Name], tr.Writes = true, tr.Writes || do > readsRows
	}
	if tr.viewed[v] >= do+1 {
		return
	}
	tr.viewed[v] = do + 1
	if do > readsRows {
		for _, r := range v.Caused {
			tr.Add(r)
		}
	}
	for _, r := range v.Of {
		tr.touch(r, do)
	}
	if v.Refs != nil {
		r := *v.Refs
		r.Writes, r.Frees = do >= AddsRows, do >= ChangesRows
		tr.Add(&r)
	}
}

// Write adds what adding or changing rows of t causes, apart from the look for
// their parents.
func (tr *Tracer) Write(t *Table, do Access) {
	if do <= tr.Wrote[t] {
		return
	}
	first := tr.Wrote[t] == readsRows
	tr.Wrote[t], tr.Writes = do, true
	if first {
		for _, k := range t.Unseen {
			tr.Unseen(k)
		}
		for _, g := range t.Triggers {
			tr.Add(g.Refs())
		}
	}
	if do < ChangesRows {
		return
	}
	for _, f := range tr.l.KeysTo(t) {
		tr.Tables[f.Child.Name] = true
		if f.OnDelete.Changes() || f.OnUpdate.Changes() {
			tr.Act(f)
		}
	}
}

// Act adds what the action of a foreign key does to the children. Rows that
// lose their parent need no other, unless a default says one.
func (tr *Tracer) Act(f childKey) {
	if f.OnDelete == SetDefault || f.OnUpdate == SetDefault {
		tr.touch(f.Child.Rel, ChangesRows)
		return
	}
	tr.touch(f.Child.Rel, readsRows)
	tr.Write(f.Child, ChangesRows)
}

// Unseen adds what checking a constraint reads that the IR does not have.
func (tr *Tracer) Unseen(k *Unseen) {
	for _, name := range k.Tables {
		tr.Tables[name] = true
	}
	if k.Calls != nil {
		tr.Add(k.Calls)
	}
}

// Changes reports whether the action changes children.
func (a Action) Changes() bool { return a != NoAction && a != Restrict }

// IRTables gives the tables of e in order; nil stands for all of them.
func (l *Schema) IRTables(e *Effect) []*ir.Table {
	if e.All {
		return nil
	}
	return l.TablesNamed(func(name string) bool { return e.Tables[name] })
}

// TablesNamed gives the tables of the program whose names named is true of.
func (l *Schema) TablesNamed(named func(string) bool) []*ir.Table {
	out := []*ir.Table{}
	for _, t := range l.Order {
		if named(t.Name) && t.IR != nil {
			out = append(out, t.IR)
		}
	}
	return out
}
