package mysqlscript

import (
	"cmp"
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
	w.action(h.declaration.handler)
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
