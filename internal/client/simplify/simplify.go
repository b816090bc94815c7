package simplify

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// maxRounds bounds how often branches are moved: errors go from callee to caller.
const maxRounds = 8

// Txn simplifies a transaction. newName makes names of variables that t has not.
func Txn(t *client.Txn, newName func(base string) string) {
	Reduce(t)
	for range maxRounds {
		if !thread(t) {
			break
		}
		Reduce(t)
	}
	for overElements(t) {
		Reduce(t)
	}
	showLists(t)
	Reduce(t)
	if collectRows(t, newName) {
		Reduce(t)
	}
	guesses(t)
}

// Reduce removes what has no effect, until nothing is left to remove.
func Reduce(t *client.Txn) {
	for {
		before := weight(t)
		t.Body = client.Rewrite(t.Body, tidyList)
		t.Body = tail(t.Body, "")
		propagate(t)
		dropUnused(t)
		if weight(t) == before {
			return
		}
	}
}

// weight counts the statements and variables.
func weight(t *client.Txn) int {
	n := len(t.Vars)
	client.Walk(t.Body, func(s client.Stmt) {
		n++
		if e, ok := s.(*client.Emit); ok {
			n += len(e.Exprs)
		}
	})
	return n
}

// tidyList drops what control does not reach, and statements that are empty.
func tidyList(list []client.Stmt) []client.Stmt {
	var out []client.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *client.Block:
			if n := len(s.Body); n > 0 {
				if b, ok := s.Body[n-1].(*client.Break); ok && b.Label == s.Label {
					s.Body = s.Body[:n-1]
				}
			}
			if !leaves(s.Body, s.Label) {
				out = append(out, s.Body...)
				if endsInJump(out) {
					return out
				}
				continue
			}
		case *client.If:
			if len(s.Then) == 0 && len(s.Else) == 0 {
				continue
			}
			if len(s.Then) == 0 {
				s.Cond, s.Then, s.Else = client.Not(s.Cond), s.Else, nil
			}
			if isRollback(s.Then) && isRollback(s.Else) {
				return append(out, s.Then...)
			}
			if is, known := client.Truth(s.Cond); known {
				if is {
					out = append(out, s.Then...)
				} else {
					out = append(out, s.Else...)
				}
				if endsInJump(out) {
					return out
				}
				continue
			}
		case *client.Emit:
			if len(s.Exprs) == 0 {
				continue
			}
		case *client.Loop:
			if endsInJump(s.Body) && !continues(s.Body, s.Label) { // it runs once
				if !leaves(s.Body, s.Label) {
					return append(out, s.Body...)
				}
				out = append(out, &client.Block{At: s.At, Label: s.Label, Body: s.Body})
				continue
			}
			s.Body = withoutContinue(s.Body, s.Label)
		case *client.ForRows:
			s.Body = withoutContinue(s.Body, s.Label)
		case *client.Rollback:
			for len(out) > 0 && isPlain(out[len(out)-1]) {
				out = out[:len(out)-1]
			}
		}
		out = append(out, s)
		if endsInJump(out) {
			return out
		}
	}
	return out
}

// isRollback reports whether a branch does nothing but end the transaction without effect.
func isRollback(branch []client.Stmt) bool {
	if len(branch) != 1 {
		return false
	}
	_, is := branch[0].(*client.Rollback)
	return is
}

// withoutContinue drops a jump to the head of a loop from the end of its body.
func withoutContinue(body []client.Stmt, label string) []client.Stmt {
	if n := len(body); n > 0 {
		if c, ok := body[n-1].(*client.Continue); ok && c.Label == label {
			return body[:n-1]
		}
	}
	return body
}

// endsInJump reports whether control does not reach the end of list.
func endsInJump(list []client.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *client.Break, *client.Continue, *client.Commit, *client.Rollback:
		return true
	case *client.If:
		return endsInJump(s.Then) && endsInJump(s.Else)
	case *client.Block:
		return endsInJump(s.Body) && !leaves(s.Body, s.Label)
	case *client.Loop:
		return !leaves(s.Body, s.Label)
	}
	return false
}

// leaves reports whether a statement of list breaks label.
func leaves(list []client.Stmt, label string) bool {
	found := false
	client.Walk(list, func(s client.Stmt) {
		b, ok := s.(*client.Break)
		found = found || ok && b.Label == label
	})
	return found
}

// continues reports whether a statement of list begins the next round of a loop.
func continues(list []client.Stmt, label string) bool {
	found := false
	client.Walk(list, func(s client.Stmt) {
		c, ok := s.(*client.Continue)
		found = found || ok && c.Label == label
	})
	return found
}

// tail drops jumps to where control goes anyway: label is what ends there.
func tail(list []client.Stmt, label string) []client.Stmt {
	for i, s := range list {
		last := i == len(list)-1
		inner := ""
		if last {
			inner = label
		}
		switch s := s.(type) {
		case *client.If:
			s.Then, s.Else = tail(s.Then, inner), tail(s.Else, inner)
		case *client.Block:
			s.Body = tail(s.Body, s.Label)
		case *client.Loop:
			s.Body = tail(s.Body, "continue "+s.Label)
		case *client.ForRows:
			s.Body = tail(s.Body, "continue "+s.Label)
		case *client.Break:
			if last && label == s.Label {
				return list[:i]
			}
		case *client.Continue:
			if last && label == "continue "+s.Label {
				return list[:i]
			}
		}
	}
	return list
}

// propagate puts what a variable is in its place, where it is set once, before all that uses it,
// to a constant or to another variable that is set once.
func propagate(t *client.Txn) {
	sets := map[string]int{}
	for _, v := range t.Vars {
		if v.Input {
			sets[v.Name]++
		}
	}
	client.EachSet(t.Body, func(v *string) { sets[*v]++ })
	value := map[string]client.Expr{}
	total := uses(t.Body)
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			a, ok := s.(*client.Assign)
			if !ok || sets[a.Var] != 1 {
				continue
			}
			switch a.Expr.(type) {
			case *client.Const, *client.VarExpr:
				if uses(list[i+1:])[a.Var] == total[a.Var] {
					value[a.Var] = a.Expr
				}
			default: // it is computed where it is set
			}
		}
		return list
	})
	known := map[string]client.Expr{}
	for v, e := range value {
		switch e := e.(type) {
		case *client.Const:
			known[v] = e
		case *client.VarExpr:
			if sets[e.Name] == 1 {
				known[v] = e
			}
		}
	}
	client.EachExpr(t.Body, func(e *client.Expr) { *e = substitute(*e, func(name string) client.Expr { return known[name] }) })
}

// uses counts how often statements use each variable, but for showing it.
func uses(list []client.Stmt) map[string]int {
	out := map[string]int{}
	shown := map[*client.Expr]bool{}
	client.Walk(list, func(s client.Stmt) {
		if e, ok := s.(*client.Emit); ok {
			for i := range e.Exprs {
				shown[&e.Exprs[i]] = true
			}
		}
	})
	client.EachExpr(list, func(e *client.Expr) {
		if !shown[e] {
			client.EachVar(*e, func(name string) { out[name]++ })
		}
	})
	return out
}

// substitute puts what variables are in their places: is gives it, nil for those that stay.
func substitute(e client.Expr, is func(name string) client.Expr) client.Expr {
	switch e := e.(type) {
	case *client.VarExpr:
		if w := is(e.Name); w != nil {
			return substitute(w, is)
		}
	case *client.Op:
		args := make([]client.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = substitute(a, is)
		}
		return refold(&client.Op{Op: e.Op, Args: args})
	case *client.Call:
		c := &client.Call{Name: e.Name, Kind: e.Kind, Args: make([]client.Expr, len(e.Args))}
		for i, a := range e.Args {
			c.Args[i] = substitute(a, is)
		}
		return c
	}
	return e
}

// refold simplifies an operator of constants.
func refold(o *client.Op) client.Expr {
	switch o.Op {
	case "!":
		return client.Not(o.Args[0])
	case "&&":
		return client.And(o.Args...)
	case "||":
		return client.Or(o.Args...)
	case "==", "!=", ">":
		a, ok := o.Args[0].(*client.Const)
		b, also := o.Args[1].(*client.Const)
		if !ok || !also || a.Value.Kind != b.Value.Kind {
			break
		}
		is := a.Value == b.Value
		switch o.Op {
		case "!=":
			is = !is
		case ">":
			is = a.Value.I > b.Value.I
			if a.Value.S != "" {
				return o
			}
		}
		if is {
			return client.True
		}
		return client.False
	}
	return o
}

// dropUnused removes variables that nothing uses, and what is shown but never
// changes.
func dropUnused(t *client.Txn) {
	assigned := map[string]bool{}
	for _, v := range client.Assigned(t.Body) {
		assigned[v] = true
	}
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for _, s := range list {
			if e, ok := s.(*client.Emit); ok {
				e.Exprs = slices.DeleteFunc(e.Exprs, func(x client.Expr) bool {
					set := false
					client.EachVar(x, func(name string) { set = set || assigned[name] })
					return !set
				})
			}
		}
		return list
	})
	used := map[string]bool{}
	assigns := map[*client.Expr]string{}
	client.Walk(t.Body, func(s client.Stmt) {
		if a, ok := s.(*client.Assign); ok {
			assigns[&a.Expr] = a.Var
		}
	})
	// What only serves to compute what nobody uses is not used.
	var next []string
	needs := map[string][]string{}
	use := func(name string) {
		if !used[name] {
			used[name] = true
			next = append(next, name)
		}
	}
	client.EachExpr(t.Body, func(e *client.Expr) {
		v, assigned := assigns[e]
		client.EachVar(*e, func(name string) {
			if assigned {
				needs[v] = append(needs[v], name)
			} else {
				use(name)
			}
		})
	})
	for len(next) > 0 {
		v := next[len(next)-1]
		next = next[:len(next)-1]
		for _, name := range needs[v] {
			use(name)
		}
	}
	fits := map[string]bool{} // a NULL does
	for _, v := range t.Vars {
		fits[v.Name] = v.Nullable || v.Kind == client.Any
	}
	clear := func(q *client.Query) {
		columns := map[*string]bool{}
		client.EachColumn(q, func(v *string) { columns[v] = used[q.Null] && !fits[*v] })
		client.EachResult(q, func(v *string) {
			if !used[*v] && !columns[v] {
				*v = ""
			}
		})
		q.ByName = slices.DeleteFunc(q.ByName, func(a client.Arg) bool { return a.Expr.(*client.VarExpr).Name == "" })
	}
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		return slices.DeleteFunc(list, func(s client.Stmt) bool {
			switch s := s.(type) {
			case *client.Assign:
				return !used[s.Var]
			case *client.Havoc:
				return !used[s.Var]
			}
			if q := client.QueryOf(s); q != nil {
				clear(q)
			}
			return false
		})
	})
	for _, v := range client.Assigned(t.Body) {
		used[v] = true
	}
	t.Vars = slices.DeleteFunc(t.Vars, func(v client.Var) bool { return !used[v.Name] })
}
