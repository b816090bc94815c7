package mysqlscript

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/mysql"
)

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
