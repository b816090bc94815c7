package simplify

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// Abandoned makes truth values false that are any where they are set, and that no transaction
// commits with: one that has no effect need not be written.
func Abandoned(t *client.Txn, vars []string) {
	for _, v := range vars {
		if !anywhere(t.Body, v) {
			continue
		}
		a := &abandoned{v: v, at: map[string]values{}}
		if a.list(t.Body, nil) != nil || a.commits {
			continue
		}
		t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
			return slices.DeleteFunc(list, func(s client.Stmt) bool {
				h, ok := s.(*client.Havoc)
				return ok && h.Var == v
			})
		})
		client.EachExpr(t.Body, func(e *client.Expr) { *e = substitute(*e, values{v: client.False}.of) })
	}
}

// anywhere reports whether a variable is any value wherever it is set.
func anywhere(list []client.Stmt, v string) bool {
	any, sets := 0, 0
	client.Walk(list, func(s client.Stmt) {
		if h, ok := s.(*client.Havoc); ok && h.Var == v {
			any++
		}
	})
	client.EachSet(list, func(w *string) {
		if *w == v {
			sets++
		}
	})
	return any > 0 && any == sets
}

// values are the constants that variables have, nil where control does not come.
type values map[string]client.Expr

func (s values) of(name string) client.Expr { return s[name] }

// meet gives what is known where control comes from one place or another.
func meet(s, t values) values {
	switch {
	case s == nil:
		return maps.Clone(t)
	case t == nil:
		return s
	}
	out := values{}
	for v, e := range s {
		if w, ok := t[v]; ok && e.(*client.Const).Value == w.(*client.Const).Value {
			out[v] = e
		}
	}
	return out
}

// abandoned follows control from where a variable becomes true.
type abandoned struct {
	v       string
	commits bool
	at      map[string]values // what is known where jumps lead
}

func (a *abandoned) list(list []client.Stmt, s values) values {
	for _, st := range list {
		s = a.stmt(st, s)
	}
	return s
}

func (a *abandoned) stmt(st client.Stmt, s values) values {
	switch st := st.(type) {
	case *client.Havoc:
		if st.Var == a.v {
			return values{a.v: client.True}
		}
		delete(s, st.Var)
	case *client.Assign:
		if s != nil {
			s.set(st.Var, st.Expr)
		}
	case *client.Query:
		s.forget(st)
	case *client.ForRows:
		return a.rounds(st.Label, st.Body, s, st.Query)
	case *client.Loop:
		return a.rounds(st.Label, st.Body, s, nil)
	case *client.If:
		return meet(a.list(st.Then, s.where(st.Cond, true)), a.list(st.Else, s.where(st.Cond, false)))
	case *client.Block:
		s = a.list(st.Body, s)
		return meet(s, a.at["break "+st.Label])
	case *client.Break:
		a.jump("break "+st.Label, s)
		return nil
	case *client.Continue:
		a.jump("continue "+st.Label, s)
		return nil
	case *client.Commit:
		a.commits = a.commits || s != nil
		return nil
	case *client.Rollback:
		return nil
	default: // it changes no variable
	}
	return s
}

func (a *abandoned) jump(to string, s values) {
	if s != nil {
		a.at[to] = meet(a.at[to], s)
	}
}

// rounds follows control through a loop, or one over the rows of a query, until nothing new comes back
// to its head.
func (a *abandoned) rounds(label string, body []client.Stmt, s values, rows *client.Query) values {
	head := maps.Clone(s)
	for {
		round := maps.Clone(head)
		if rows != nil {
			round.forget(rows)
		}
		end := a.list(body, round)
		next := meet(meet(maps.Clone(head), end), a.at["continue "+label])
		if (next == nil) == (head == nil) && len(next) == len(head) {
			break
		}
		head = next
	}
	out := a.at["break "+label]
	if rows != nil {
		head.forget(rows)
		return meet(head, out)
	}
	return maps.Clone(out)
}

// set sets a variable, which stays known if the value is a constant.
func (s values) set(v string, e client.Expr) {
	if c, ok := substitute(e, s.of).(*client.Const); ok {
		s[v] = c
	} else {
		delete(s, v)
	}
}

// forget drops the variables that a query sets.
func (s values) forget(q *client.Query) {
	client.EachResult(q, func(v *string) { delete(s, *v) })
}

// where gives what is known where a condition holds, or (is) does not, nil if that cannot be.
func (s values) where(cond client.Expr, is bool) values {
	if s == nil {
		return nil
	}
	cond = substitute(cond, s.of)
	if truth, known := client.Truth(cond); known && truth != is {
		return nil
	}
	out := maps.Clone(s)
	out.assume(cond, is)
	return out
}

// assume adds what follows from a condition.
func (s values) assume(cond client.Expr, is bool) {
	switch e := cond.(type) {
	case *client.VarExpr:
		s[e.Name] = client.False
		if is {
			s[e.Name] = client.True
		}
	case *client.Op:
		switch {
		case e.Op == "!":
			s.assume(e.Args[0], !is)
		case e.Op == "&&" && is, e.Op == "||" && !is:
			for _, x := range e.Args {
				s.assume(x, is)
			}
		case e.Op == "==" && is, e.Op == "!=" && !is:
			v, ok := e.Args[0].(*client.VarExpr)
			c, also := e.Args[1].(*client.Const)
			if ok && also {
				s[v.Name] = c
			}
		}
	default: // a constant, or a function of which nothing is known
	}
}
