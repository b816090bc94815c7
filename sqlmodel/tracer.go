package sqlmodel

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/ir"
)

// effect is what running some SQL may touch: tables (nil with all set), and
// whether it may write. parents are further tables, which it only reads: those
// that foreign keys of written tables refer to.
type effect struct {
	tables  map[string]bool
	parents map[string]bool
	// sequences are the names of sequences in the place of tables.
	sequences map[string]bool
	all       bool
	writes    bool
	locks     bool
}

// access is what is done to a table.
type access uint8

const (
	readsRows access = iota
	addsRows
	changesRows // updates or deletes some, too
)

func (r *refs) access() access {
	switch {
	case r.writes && r.frees:
		return changesRows
	case r.writes:
		return addsRows
	}
	return readsRows
}

// tracer follows the functions that some SQL calls, and views, cascades and
// triggers.
type tracer struct {
	*effect
	l *Schema
	// in says what names mean where the SQL runs.
	in     *resolver
	called map[*function]bool
	// known, if not nil, are the effects of functions with the search paths for their names, as far as they were asked for.
	known map[string]*effect
	// seen are the functions that were followed, with the search paths for their names.
	seen  map[string]bool
	wrote map[*table]access
	// viewed are the views that were followed, with one more than what is done to them.
	viewed map[*view]access
	// domains are those of which the checks were followed.
	domains map[*userType]bool
}

// effectOf gives all that running SQL with the references r may touch.
func (l *Schema) effectOf(r *refs) *effect {
	tr := l.tracer()
	tr.known = l.effects
	tr.add(r)
	return tr.effect
}

// effectOfCall is effectOf for the call of functions.
func (l *Schema) effectOfCall(fns []*function) *effect {
	tr := l.tracer()
	tr.known = l.effects
	tr.call(fns)
	return tr.effect
}

func (l *Schema) tracer() *tracer {
	return &tracer{effect: &effect{tables: map[string]bool{}, parents: map[string]bool{}, sequences: map[string]bool{}}, l: l, in: &l.late,
		called: map[*function]bool{}, seen: map[string]bool{}, wrote: map[*table]access{}, viewed: map[*view]access{}, domains: map[*userType]bool{}}
}

func (tr *tracer) add(r *refs) {
	tr.all = tr.all || r.dynamic
	tr.writes = tr.writes || r.writes
	tr.locks = tr.locks || r.locks
	in := r.names
	if in == nil {
		in = tr.in.with(tr.in.run.Or(tr.l.setBy(r, tr.in)))
	}
	for _, t := range r.known {
		tr.touch(t.rel, r.access())
	}
	for _, name := range slices.Sorted(maps.Keys(r.tables)) {
		tr.touchName(in, name, r.access())
	}
	for _, name := range slices.Sorted(maps.Keys(tr.l.calls(r))) {
		tr.callName(in, name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.types)) {
		tr.typeName(in, name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.operators)) {
		for _, o := range tr.l.operators[name] {
			tr.callName(o.names, o.fn)
		}
	}
}

// TypeName adds what the checks of domains look at that are in a type: that of a column if name ends
// with one.
func (tr *tracer) typeName(in *resolver, name string) {
	for _, u := range tr.l.domainsIn(in, name) {
		if tr.domains[u] {
			continue
		}
		tr.domains[u] = true
		for _, c := range u.checks() {
			tr.add(c.refs(tr.l))
		}
	}
}

// touchName is touch for all that a name may mean.
func (tr *tracer) touchName(in *resolver, name string, do access) {
	for _, o := range in.relations(name) {
		tr.touch(o, do)
	}
}

// callName is call for all that a name may mean.
func (tr *tracer) callName(in *resolver, name string) {
	fns, sure := in.functions(name)
	if len(fns) == 0 || !sure {
		tr.builtin(name)
	}
	tr.call(fns)
}

// builtin adds what a function of the system does.
func (tr *tracer) builtin(name string) {
	switch b := tr.l.builtin(name); {
	case !b.known, b.effect == catalog.WritesAny:
		tr.everything()
	case b.effect == catalog.ReadsAny:
		tr.all = true
	}
}

func (tr *tracer) everything() { tr.all, tr.writes = true, true }

// call adds what functions do.
func (tr *tracer) call(fns []*function) {
	for _, g := range fns {
		if !g.hasBody() {
			tr.everything()
			continue
		}
		in := tr.l.insideOf(g, tr.in.run)
		key := fmt.Sprintf("%p %s", g, in.run)
		switch {
		case tr.seen[key]:
		case tr.known != nil:
			tr.seen[key] = true
			if tr.known[key] == nil {
				of := tr.l.tracer()
				of.in = tr.in
				of.call([]*function{g})
				tr.known[key] = of.effect
			}
			tr.merge(tr.known[key])
		default:
			tr.seen[key], tr.called[g] = true, true
			outer := tr.in
			tr.in = in
			tr.add(g.refs)
			tr.in = outer
		}
	}
}

// merge adds what another effect has.
func (e *effect) merge(o *effect) {
	maps.Copy(e.tables, o.tables)
	maps.Copy(e.parents, o.parents)
	maps.Copy(e.sequences, o.sequences)
	e.all, e.writes, e.locks = e.all || o.all, e.writes || o.writes, e.locks || o.locks
}

// touch adds a table, and what a write of it causes. Constraints between tables
// belong to that: whoever removes a row depends on there being no children now,
// and whoever adds one on its parents.
func (tr *tracer) touch(o *relation, do access) {
	t := o.table
	if t == nil {
		tr.touchView(o, do)
		return
	}
	if !tr.tables[t.name] {
		tr.tables[t.name] = true
		for _, o := range t.oddTables {
			tr.touch(o.rel, do)
		}
		for _, r := range t.oddRefs {
			tr.add(r)
		}
		if t.oddAll {
			tr.everything()
		}
		for _, p := range t.policies {
			tr.add(p.refs)
		}
	}
	if do <= tr.wrote[t] {
		return
	}
	for _, f := range t.foreign {
		if parent := f.parent(); parent != nil {
			tr.parents[parent.name] = true
		}
	}
	tr.write(t, do)
}

// touchView is touch for what stands in the place of a table.
func (tr *tracer) touchView(o *relation, do access) {
	v := o.view
	if v.what == sequenceView {
		tr.sequences[v.name] = true
	}
	if v.all {
		tr.everything()
	}
	if v.rows {
		tr.tables[v.name], tr.writes = true, tr.writes || do > readsRows
	}
	if tr.viewed[v] >= do+1 {
		return
	}
	tr.viewed[v] = do + 1
	for _, r := range v.of {
		tr.touch(r, do)
	}
	if v.refs != nil {
		r := *v.refs
		r.writes, r.frees = do >= addsRows, do >= changesRows
		tr.add(&r)
	}
}

// write adds what adding or changing rows of t causes, apart from the look for
// their parents.
func (tr *tracer) write(t *table, do access) {
	if do <= tr.wrote[t] {
		return
	}
	first := tr.wrote[t] == readsRows
	tr.wrote[t], tr.writes = do, true
	if first {
		for _, k := range t.unseen {
			tr.unseen(k)
		}
		for _, g := range t.triggers {
			tr.add(g.refs())
		}
	}
	if do < changesRows {
		return
	}
	for _, f := range tr.l.keysTo(t) {
		tr.tables[f.child.name] = true
		if f.onDelete.changes() || f.onUpdate.changes() {
			tr.act(f)
		}
	}
}

// act adds what the action of a foreign key does to the children. Rows that
// lose their parent need no other, unless a default says one.
func (tr *tracer) act(f childKey) {
	if f.onDelete == setDefault || f.onUpdate == setDefault {
		tr.touch(f.child.rel, changesRows)
		return
	}
	tr.touch(f.child.rel, readsRows)
	tr.write(f.child, changesRows)
}

// unseen adds what checking a constraint reads that the IR does not have.
func (tr *tracer) unseen(k *unseen) {
	for _, name := range k.tables {
		tr.tables[name] = true
	}
	if k.calls != nil {
		tr.add(k.calls)
	}
}

// changes reports whether the action changes children.
func (a action) changes() bool { return a != noAction && a != restrict }

// irTables gives the tables of e in order; nil stands for all of them.
func (l *Schema) irTables(e *effect) []*ir.Table {
	if e.all {
		return nil
	}
	return l.tablesNamed(func(name string) bool { return e.tables[name] })
}

func (l *Schema) tablesNamed(named func(string) bool) []*ir.Table {
	out := []*ir.Table{}
	for _, t := range l.order {
		if named(t.name) && t.ir != nil {
			out = append(out, t.ir)
		}
	}
	return out
}
