package simplify

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// ranged is a loop that goes through the elements of a list, from the first to the last.
type ranged struct {
	index string // the variable for the index
	here  string // the index of the element of a round, as a text
	// lists are those whose elements a round takes. The length of one of them is that of the loop.
	lists []client.Expr
	empty client.Expr // whether it has no elements
	// body is what a round does, exit what is done after the last one.
	body, exit []client.Stmt
}

// rangeOf tells how a loop goes through a list, nil if it does not, or does so in another way. before are the statements before it.
func rangeOf(t *client.Txn, before []client.Stmt, l *client.Loop) *ranged {
	if len(l.Body) != 1 {
		return nil
	}
	test, ok := l.Body[0].(*client.If)
	if !ok || !endsInJump(test.Else) {
		return nil
	}
	less, ok := test.Cond.(*client.Op)
	if !ok || less.Op != "<" {
		return nil
	}
	w := &ranged{body: test.Then, exit: test.Else, here: client.ExprString(less.Args[0])}
	first := int64(0)
	switch e := less.Args[0].(type) {
	case *client.VarExpr:
		w.index = e.Name
	case *client.Op:
		if w.index = counted(e); w.index == "" {
			return nil
		}
		first = -1
	default:
		return nil
	}
	w.empty = &client.Op{Op: "==", Args: []client.Expr{less.Args[1], client.C(ir.Int(0))}}
	if !startsAt(t, before, w.index, first, l) || !w.steps(l.Label) || !w.elements(less.Args[1]) {
		return nil
	}
	return w
}

// counted gives the variable to which an expression adds one, "" for other expressions.
func counted(e client.Expr) string {
	o, ok := e.(*client.Op)
	if !ok || o.Op != "+" || len(o.Args) != 2 {
		return ""
	}
	v, isVar := o.Args[0].(*client.VarExpr)
	c, isConst := o.Args[1].(*client.Const)
	if !isVar || !isConst || c.Value != ir.Int(1) {
		return ""
	}
	return v.Name
}

// startsAt reports whether a variable has a number where a loop begins, and only the loop changes it.
func startsAt(t *client.Txn, before []client.Stmt, name string, n int64, l *client.Loop) bool {
	sets := func(list []client.Stmt) (k int) {
		client.EachSet(list, func(v *string) {
			if *v == name {
				k++
			}
		})
		return k
	}
	if sets(t.Body) != sets([]client.Stmt{l})+1 {
		return false
	}
	return slices.ContainsFunc(before, func(s client.Stmt) bool {
		a, ok := s.(*client.Assign)
		if !ok || a.Var != name {
			return false
		}
		c, isConst := a.Expr.(*client.Const)
		return isConst && c.Value == ir.Int(n)
	})
}

// steps reports whether each round adds one to the index where it ends, and nowhere else, and whether no round leaves
// the loop but by a rollback.
func (w *ranged) steps(label string) bool {
	all, last := 0, 0
	ok := true
	inside := map[string]bool{}
	client.Walk(w.body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Block:
			inside[s.Label] = true
		case *client.Loop:
			inside[s.Label] = true
		case *client.ForRows:
			inside[s.Label] = true
		default: // it has no label
		}
	})
	step := func(s client.Stmt) bool {
		a, is := s.(*client.Assign)
		return is && a.Var == w.index && counted(a.Expr) == w.index
	}
	client.EachSet(w.body, func(v *string) {
		if *v == w.index {
			all++
		}
	})
	client.Walk(w.body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Break:
			ok = ok && inside[s.Label]
		case *client.Continue:
			ok = ok && (inside[s.Label] || s.Label == label)
		case *client.Commit, *client.Unknown, *client.Savepoint, *client.RollbackTo:
			ok = false
		default: // control goes on behind it
		}
	})
	var ends func(list []client.Stmt, falls bool) bool // falls says that a round ends where the list ends
	ends = func(list []client.Stmt, falls bool) bool {
		for i, s := range list {
			switch s := s.(type) {
			case *client.Continue:
				if s.Label == label && (i == 0 || !step(list[i-1])) {
					return false
				}
			case *client.If:
				here := falls && i == len(list)-1
				if !ends(s.Then, here) || !ends(s.Else, here) {
					return false
				}
			case *client.Block:
				if !ends(s.Body, false) {
					return false
				}
			case *client.Loop:
				if !ends(s.Body, false) {
					return false
				}
			case *client.ForRows:
				if !ends(s.Body, false) {
					return false
				}
			case *client.Assign:
				if !step(s) {
					continue
				}
				_, jumps := next(list, i).(*client.Continue)
				if !jumps && !(falls && i == len(list)-1) {
					return false
				}
				last++
			default: // a round goes on behind it
			}
		}
		if !falls || endsInJump(list) {
			return true
		}
		if len(list) == 0 {
			return false
		}
		_, isIf := list[len(list)-1].(*client.If)
		return isIf || step(list[len(list)-1])
	}
	return ok && ends(w.body, true) && all == last
}

// next gives the statement after one of a list, nil if it is the last one.
func next(list []client.Stmt, i int) client.Stmt {
	if i+1 < len(list) {
		return list[i+1]
	}
	return nil
}

// elements finds the lists of the loop: all elements that a round takes have the index of the round, and the length of one
// of the lists is n, that of the loop.
func (w *ranged) elements(n client.Expr) bool {
	ok, length := true, false
	client.Walk(w.body, func(s client.Stmt) {
		h, is := s.(*client.Havoc)
		if !is || h.Element.List == nil {
			return
		}
		e := h.Element
		length = length || client.ExprString(e.Len) == client.ExprString(n)
		ok = ok && e.From != nil && client.ExprString(e.Index) == w.here
		if !slices.ContainsFunc(w.lists, func(l client.Expr) bool { return client.ExprString(l) == client.ExprString(e.List) }) {
			w.lists = append(w.lists, e.List)
		}
	})
	return ok && length
}

// roots gives the variables that hold the lists in the loop over rows which gathers them; ok is false if it is not this loop.
func (w *ranged) roots(t *client.Txn, rows *client.ForRows) (out []string, ok bool) {
	for _, l := range w.lists {
		name := root(t, rows, l)
		if name == "" {
			return nil, false
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, true
}

// root gives the variable that holds a list in the loop over rows which gathers it; "" if it is not this loop.
func root(t *client.Txn, rows *client.ForRows, list client.Expr) string {
	v, ok := list.(*client.VarExpr)
	for range maxRounds {
		if !ok {
			return ""
		}
		sets, appends := 0, false
		client.EachSet(t.Body, func(name *string) {
			if *name == v.Name {
				sets++
			}
		})
		client.Walk(rows.Body, func(s client.Stmt) {
			a, is := s.(*client.Assign)
			appends = appends || is && isAppend(a.Expr, v.Name)
		})
		if appends {
			return v.Name
		}
		var from client.Expr
		client.Walk(t.Body, func(s client.Stmt) {
			if a, is := s.(*client.Assign); is && a.Var == v.Name {
				from = a.Expr
			}
		})
		if sets != 1 { // it is set once, to another list
			return ""
		}
		v, ok = from.(*client.VarExpr)
	}
	return ""
}

// insideRound gives the body of a loop over a list as a part of a round of the loop that appends the element.
func insideRound(body []client.Stmt, label string) []client.Stmt {
	return client.Rewrite(client.Clone(body), func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			switch s := s.(type) {
			case *client.Havoc:
				if s.Element.From != nil {
					list[i] = &client.Assign{At: s.At, Var: s.Var, Expr: s.Element.From}
				}
			case *client.Continue:
				if s.Label == label {
					list[i] = &client.Break{At: s.At, Label: label}
				}
			default: // it stays
			}
		}
		return list
	})
}

// apart tells of what stands between the loops what has to come before the first one, since the second one uses it. ok is
// false if the second loop does not do the same where the first one is.
func apart(between []client.Stmt, rows *client.ForRows, l *client.Loop, w *ranged) (before, after []client.Stmt, ok bool) {
	first := touchedBy([]client.Stmt{rows})
	second := touchedBy(w.body)
	rest := first.clone()
	for _, s := range between {
		a, isAssign := s.(*client.Assign)
		h, isHavoc := s.(*client.Havoc)
		name := ""
		switch {
		case isAssign:
			name = a.Var
		case isHavoc && h.Element.List == nil:
			name = h.Var
		}
		one := touchedBy([]client.Stmt{s})
		movable := name != "" && (second.uses[name] || second.sets[name]) && !rest.uses[name] && !rest.sets[name] && !meets(one.uses, rest.sets)
		if movable {
			before = append(before, s)
			continue
		}
		after = append(after, s)
		rest.add(one)
	}
	ok = !meets(second.uses, rest.sets) && !meets(second.sets, rest.uses) && !meets(second.sets, rest.sets)
	return before, after, ok
}

// touched are the variables that statements use and set.
type touched struct{ uses, sets map[string]bool }

func touchedBy(list []client.Stmt) touched {
	out := touched{map[string]bool{}, map[string]bool{}}
	elements := map[*client.Expr]bool{}
	client.Walk(list, func(s client.Stmt) {
		if h, ok := s.(*client.Havoc); ok { // what an element is does not count as used
			for _, e := range []*client.Expr{&h.Element.List, &h.Element.Index, &h.Element.Len, &h.Element.From} {
				elements[e] = true
			}
		}
	})
	client.EachExpr(list, func(e *client.Expr) {
		if !elements[e] {
			client.EachVar(*e, func(name string) { out.uses[name] = true })
		}
	})
	client.EachSet(list, func(v *string) {
		if *v != "" {
			out.sets[*v] = true
		}
	})
	return out
}

func (t touched) clone() touched {
	out := touched{map[string]bool{}, map[string]bool{}}
	out.add(t)
	return out
}

func (t touched) add(o touched) {
	for name := range o.uses {
		t.uses[name] = true
	}
	for name := range o.sets {
		t.sets[name] = true
	}
}

// meets reports whether two sets of variables have one in common.
func meets(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}
