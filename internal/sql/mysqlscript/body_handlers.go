package mysqlscript

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
)

// Conditions that handlers are for.
const (
	notFound  = "NOT FOUND"
	exception = "SQLEXCEPTION"
	warning   = "SQLWARNING"
)

// noRow are the names of the condition that there is no row.
var noRow = []string{notFound, "02000", "1329"}

// handler is what a block does about conditions.
type handler struct {
	declaration
	// scopes are the blocks around it, its own last.
	scopes []*scope
	block  *jump
	// loses says that after an error that it handles the transaction does not commit.
	loses bool
}

// handler makes the handler that d declares in the block a.
func (w *bodyWriter) handler(s *scope, d declaration, a *action) *handler {
	d.conditions = slices.Clone(d.conditions)
	for i, c := range d.conditions {
		d.conditions[i] = cmp.Or(w.meaning(c), c)
	}
	h := &handler{declaration: d, scopes: slices.Clone(w.scopes), block: s.block}
	h.loses = d.exit && rollsBack(d.handler) && (raises(d.handler) || !w.goesOn(a)) || len(w.calls) == 0 && w.flagged(d.handler)
	w.afterError(h)
	return h
}

// afterError writes what a handler of errors does itself on tables, after the transaction has been rolled back.
func (w *bodyWriter) afterError(h *handler) {
	if !h.loses || w.start != nil && !h.declaration.handler.holds(w.start) {
		return
	}
	before := w.flow
	w.flow = flow{}
	written := w.collect(func() {
		for _, v := range w.mayBeSet(w.proc.body) { // the error may have come at any time
			w.add(&client.Havoc{At: w.at(h.declaration.handler.st), Var: v})
		}
		w.action(h.declaration.handler)
	})
	if w.start == nil { // it is transactions of its own
		w.flow = before
		return
	}
	w.out = append(w.out, written...)
	if !w.gone {
		w.lost(h.declaration.handler.st)
	}
}

// meaning gives what a name of a condition stands for, "" if there is no such name.
func (w *bodyWriter) meaning(name string) string {
	for i := len(w.scopes) - 1; i >= 0; i-- {
		if means := w.scopes[i].names[strings.ToLower(name)]; means != "" {
			return means
		}
	}
	return ""
}

// handlerOf gives the handler for a condition that has these names, nil if there is none.
func (w *bodyWriter) handlerOf(names ...string) *handler {
	for i := len(w.scopes) - 1; i >= 0; i-- {
		for _, n := range []bool{false, true} { // the exact ones first
			for _, h := range w.scopes[i].handlers {
				for _, c := range h.conditions {
					if slices.Contains(names, c) && (c == notFound || c == exception || c == warning) == n {
						return h
					}
				}
			}
		}
	}
	return nil
}

// raised writes what happens where a condition is raised that has these names. It reports whether there is a handler.
func (w *bodyWriter) raised(st *mysql.Statement, names ...string) bool {
	h := w.handlerOf(names...)
	if h == nil {
		return false
	}
	scopes := w.scopes
	own := *h.scopes[len(h.scopes)-1]
	own.handlers = nil // it does not handle what it raises itself
	w.scopes = append(slices.Clone(h.scopes[:len(h.scopes)-1]), &own)
	w.perform(h.declaration.handler)
	w.scopes = scopes
	if h.exit {
		w.leave(h.block, st)
	}
	return true
}

// raise writes SIGNAL and RESIGNAL.
func (w *bodyWriter) raise(st *mysql.Statement) {
	state := "45000"
	if len(st.Tokens) > 1 {
		i := 1
		if st.Tokens[1].Is("SQLSTATE") {
			if i++; len(st.Tokens) > i && st.Tokens[i].Is("VALUE") {
				i++
			}
		}
		if i < len(st.Tokens) && st.Tokens[i].Kind == mysql.Text {
			state, _ = mysql.Unquote(st.Tokens[i].Text)
		} else if i < len(st.Tokens) && !st.Tokens[i].Is("SET") {
			state = cmp.Or(w.meaning(st.Tokens[i].Text), state)
		}
	}
	if st.First("RESIGNAL") {
		w.lost(st)
		return
	}
	w.signal(st, state)
}

// signal writes what happens where a state is raised: a handler, or the end of the procedure.
func (w *bodyWriter) signal(st *mysql.Statement, state string) {
	class := exception
	switch {
	case strings.HasPrefix(state, "01"):
		class = warning
	case strings.HasPrefix(state, "02"):
		class = notFound
	}
	w.counted(st, -1)
	if !w.raised(st, class, state) && class == exception {
		w.lost(st)
	}
}

// lost ends the transaction by an error that nobody handles: its caller is taken to roll back.
func (w *bodyWriter) lost(st *mysql.Statement) {
	w.add(&client.Rollback{At: w.at(st)})
	w.gone = true
}

// risk adds what errors of a statement may lead to: a handler after which the transaction may commit without it.
func (w *bodyWriter) risk(st *mysql.Statement) {
	if !w.inside || w.risky {
		return
	}
	for _, s := range w.scopes {
		for _, h := range s.handlers {
			if !h.loses && slices.ContainsFunc(h.conditions, func(c string) bool { return !slices.Contains(noRow, c) && !(c == duplicateKey && w.meetsNothing(st)) }) {
				w.risky = true
				at := &mysql.Statement{Src: st.Src, Tokens: []mysql.Token{h.at}}
				w.choose(at, w.anything(at), func() {
					w.unknown(at, "a handler after which a part of the transaction may be committed although a statement has failed")
				}, func() {})
				return
			}
		}
	}
}

// raises reports whether a handler ends by an error.
func raises(a *action) bool {
	if a.kind == compound {
		return slices.ContainsFunc(a.body, raises)
	}
	return a.kind == simple && (a.st.First("SIGNAL") || a.st.First("RESIGNAL"))
}

// goesOn reports whether statements on tables may follow a block, before another transaction begins, in the routine or in those that call it: after a
// rollback each of them is committed by itself.
func (w *bodyWriter) goesOn(block *action) bool {
	bodies, at := []*action{w.proc.body}, slices.Concat(w.sites, []*action{block})
	for _, p := range w.calls {
		bodies = append(bodies, p.body)
	}
	for i := len(bodies) - 1; i >= 0; i-- {
		rest, _ := bodies[i].after(at[i])
		switch touches, falls := w.touches(rest); {
		case touches:
			return true
		case !falls:
			return false
		}
	}
	return false
}

// after gives the statements that may follow another one inside of a, those of further rounds too.
func (a *action) after(at *action) (rest []*action, found bool) {
	if a == at {
		return nil, true
	}
	lists := [][]*action{a.body}
	for _, m := range a.arms {
		lists = append(lists, m.body)
	}
	for _, list := range lists {
		for i, s := range list {
			if rest, found = s.after(at); found {
				rest = append(rest, list[i+1:]...)
				if a.kind == endless || a.kind == while || a.kind == repeat || a.kind == overRows {
					rest = append(rest, a.body...)
				}
				return rest, true
			}
		}
	}
	return nil, false
}

// touches reports whether statements come to one on tables before a transaction begins, and whether they come to their end without either.
func (w *bodyWriter) touches(list []*action) (touches, falls bool) {
	for _, a := range list {
		end := true
		switch st := a.st; {
		case a.kind == branch:
			end = a.arms[len(a.arms)-1].cond != nil
			for _, m := range a.arms {
				t, f := w.touches(m.body)
				touches, end = touches || t || w.of.onTables(m.cond), end || f
			}
		case a.kind != simple:
			touches, end = w.touches(a.body)
			touches, end = touches || a.kind == overRows, end || a.kind == while
		case a.begins():
			return false, false
		case st.First("CALL"):
			c := &mysql.Cursor{St: st, I: 1}
			p := w.of.routines[strings.ToLower(c.TableName())]
			if touches = p == nil || slices.Contains(w.calls, p); !touches {
				touches, end = w.touches([]*action{p.body})
			}
		default:
			touches = w.of.onRows(st)
		}
		if touches || !end {
			return touches, end
		}
	}
	return false, true
}

// rollsBack reports whether all paths through a statement roll the transaction back, or end by an error.
func rollsBack(a *action) bool {
	switch a.kind {
	case compound:
		for _, s := range a.body {
			if rollsBack(s) {
				return true
			}
			if s.kind != simple || s.st.Tokens[0].Is("COMMIT", "START", "LEAVE", "ITERATE", "CALL") {
				return false
			}
		}
	case branch:
		return len(a.arms) > 0 && a.arms[len(a.arms)-1].cond == nil &&
			!slices.ContainsFunc(a.arms, func(m arm) bool { return !rollsBack(&action{kind: compound, body: m.body}) })
	case simple:
		return a.st.First("ROLLBACK") && !a.st.Has("TO", "CHAIN") || a.st.First("SIGNAL") || a.st.First("RESIGNAL")
	}
	return false
}

// Many procedures do not leave at an error: a handler sets a variable, by which the end rolls back instead of committing. They
// are as good as those that leave at once, if no path on which the variable has that value commits.

// outcome is where paths through statements lead.
type outcome struct {
	// falls says that control may come to the end, commits that the transaction may be kept.
	falls, commits bool
	// leaves are the labels that are left.
	leaves []string
}

// flags follows paths through a body on which some variables have a value.
type flags struct {
	of *Scripts
	// first is the offset of the first statement on tables: what stands before cannot follow an error.
	first int
	// seen says that there was a statement on tables, which may have failed; more that another one follows that writes or locks: after a deadlock
	// it is committed by itself.
	seen, more bool
}

// flagged reports whether after the statements of a handler the transaction of this procedure never commits.
func (w *bodyWriter) flagged(h *action) bool {
	values := map[string]bool{} // by variable, whether it is true
	harmless := true
	h.each(func(a *action) {
		switch {
		case a.kind == compound && len(a.declared) == 0:
		case a.kind != simple, a.st.Tokens[0].Is("COMMIT", "CALL", "START", "LEAVE", "ITERATE"):
			harmless = false
		case a.st.First("SET"):
			for _, part := range mysql.CommaParts(a.st.Tokens[1:]) {
				if name, v, ok := constantSet(part); ok {
					values[name] = v
				}
			}
		}
	})
	if !harmless || len(values) == 0 {
		return false
	}
	f := &flags{of: w.of, first: 1 << 62}
	w.proc.body.each(func(a *action) {
		if a.kind == simple && w.of.onRows(a.st) {
			f.first = min(f.first, a.st.Tokens[0].From)
		}
	})
	o := f.action(w.proc.body, values)
	return !o.commits && !o.falls && len(o.leaves) == 0 && !f.more
}

// constantSet reads v = constant.
func constantSet(part []mysql.Token) (name string, truth, ok bool) {
	if len(part) > 1 && part[1].Is(":") {
		part = slices.Delete(slices.Clone(part), 1, 2)
	}
	if len(part) != 3 || !part[1].Is("=") || !part[0].IsName() && part[0].Kind != mysql.Named {
		return "", false, false
	}
	truth, ok = constantTruth(part[2])
	return strings.ToLower(part[0].Text), truth, ok
}

func constantTruth(t mysql.Token) (truth, ok bool) {
	switch {
	case t.Is("TRUE"), t.Kind == mysql.Number && t.Text == "1":
		return true, true
	case t.Is("FALSE"), t.Kind == mysql.Number && t.Text == "0":
		return false, true
	}
	return false, false
}

// list follows statements.
func (f *flags) list(list []*action, values map[string]bool) outcome {
	var out outcome
	for _, a := range list {
		o := f.action(a, values)
		out.commits = out.commits || o.commits
		out.leaves = append(out.leaves, o.leaves...)
		if !o.falls {
			return out
		}
	}
	out.falls = true
	return out
}

// action follows a statement. Variables that it may set to something else are taken out of values.
func (f *flags) action(a *action, values map[string]bool) outcome {
	switch a.kind {
	case compound:
		return f.labelled(a, f.list(a.body, values))
	case branch:
		return f.branch(a, values)
	case overRows:
		f.more, f.seen = true, true
		return outcome{falls: true, commits: true}
	case endless, while, repeat:
		o := f.list(a.body, values)
		f.list(a.body, maps.Clone(values)) // for what a second round does
		if a.kind == endless {             // only what leaves it comes behind it
			o.falls = false
		}
		if a.kind == while {
			truth, known := truthOf(a.cond, values)
			o.falls = !known || !truth
		}
		return f.labelled(a, o)
	}
	st := a.st
	switch {
	case st.First("COMMIT"):
		return outcome{commits: true}
	case st.First("ROLLBACK") && !st.Has("TO"):
		return outcome{}
	case st.First("LEAVE") && len(st.Tokens) == 2:
		return outcome{leaves: []string{strings.ToLower(st.Tokens[1].Text)}}
	case st.First("ITERATE"):
		return outcome{}
	case st.First("CALL"):
		c := &mysql.Cursor{St: st, I: 1}
		p := f.of.routines[strings.ToLower(c.TableName())]
		commits := p == nil
		if p != nil {
			p.body.each(func(s *action) { commits = commits || s.begins() || s.kind == simple && s.st.First("COMMIT") })
		}
		f.seen, f.more = true, f.more || f.seen
		f.forget(st, values)
		return outcome{falls: true, commits: commits}
	}
	f.look(st)
	f.forget(st, values)
	return outcome{falls: true}
}

// look notes a statement on tables.
func (f *flags) look(st *mysql.Statement) {
	if !f.of.onRows(st) {
		return
	}
	plain := st.First("SELECT") && !f.of.callsTables(st.Tokens) && !st.Has("UPDATE") && !st.Has("SHARE")
	f.more = f.more || f.seen && !plain
	f.seen = true
}

// labelled gives the outcome of a statement that has a label: who leaves it comes behind it.
func (f *flags) labelled(a *action, o outcome) outcome {
	if n := slices.Index(o.leaves, a.label); n >= 0 {
		o.falls = true
		o.leaves = slices.DeleteFunc(o.leaves, func(l string) bool { return l == a.label })
	}
	return o
}

// branch follows the arms that are possible.
func (f *flags) branch(a *action, values map[string]bool) outcome {
	var out outcome
	rest := true // whether no arm before was certain
	all := maps.Clone(values)
	before, seen := f.seen, f.seen
	for _, m := range a.arms {
		truth, known := true, m.cond == nil
		if m.cond != nil && a.subject == nil {
			truth, known = truthOf(m.cond, values)
		}
		if !rest || known && !truth {
			continue
		}
		own := maps.Clone(values)
		f.seen = before
		o := f.list(m.body, own)
		seen = seen || f.seen
		out.falls, out.commits = out.falls || o.falls, out.commits || o.commits
		out.leaves = append(out.leaves, o.leaves...)
		maps.DeleteFunc(all, func(n string, _ bool) bool { _, kept := own[n]; return !kept })
		rest = !known
	}
	out.falls = out.falls || rest
	f.seen = seen
	clear(values)
	maps.Copy(values, all)
	return out
}

// forget takes the variables out of values that a statement may set to something else.
func (f *flags) forget(st *mysql.Statement, values map[string]bool) {
	if st.Tokens[0].From < f.first {
		return
	}
	if st.First("SET") {
		for _, part := range mysql.CommaParts(st.Tokens[1:]) {
			if name, v, ok := constantSet(part); ok && values[name] == v {
				continue
			}
			if len(part) > 0 {
				delete(values, strings.ToLower(part[0].Text))
			}
		}
		return
	}
	if st.First("EXECUTE") {
		clear(values)
	}
	if !st.Has("INTO") && !st.First("CALL") && !st.First("GET") && assigns(st) < 0 {
		return
	}
	for _, t := range st.Tokens {
		delete(values, strings.ToLower(t.Text))
	}
}

// truthOf tells whether a condition holds that looks at one of the variables only.
func truthOf(cond []mysql.Token, values map[string]bool) (truth, known bool) {
	for len(cond) > 2 && cond[0].Is("(") && cond[len(cond)-1].Is(")") {
		cond = cond[1 : len(cond)-1]
	}
	if len(cond) > 1 && cond[0].Is("NOT", "!") {
		truth, known = truthOf(cond[1:], values)
		return !truth, known
	}
	if len(cond) == 0 {
		return false, false
	}
	v, known := values[strings.ToLower(cond[0].Text)]
	if !known || len(cond) == 1 {
		return v, known
	}
	other, constant := constantTruth(cond[len(cond)-1])
	switch rest := cond[1 : len(cond)-1]; {
	case !constant:
	case len(rest) == 1 && rest[0].Is("=", "IS"):
		return v == other, true
	case len(rest) == 2 && (rest[0].Is("<") && rest[1].Is(">") || rest[0].Is("!") && rest[1].Is("=") || rest[0].Is("IS") && rest[1].Is("NOT")):
		return v != other, true
	}
	return false, false
}
