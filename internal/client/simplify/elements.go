package simplify

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// Elements settles what is known of the elements of lists: those of a list that does not depend on the database may be any
// values, as if the caller gave them, and of those in changed it is not known what they are by now.
func Elements(t *client.Txn, changed map[string]bool) {
	from := map[string]bool{} // the variables that depend on the database
	client.EachQuery(t.Body, func(q *client.Query) {
		client.EachResult(q, func(v *string) { from[*v] = true })
	})
	depends := func(e client.Expr) (is bool) {
		client.EachVar(e, func(name string) { is = is || from[name] })
		return is
	}
	isLost := func(h *client.Havoc) bool { return h.Lost != "" && (h.Element.List == nil || depends(h.Element.List)) }
	for more := true; more; {
		more = false
		add := func(name string, is bool) {
			if is && !from[name] {
				from[name], more = true, true
			}
		}
		client.Walk(t.Body, func(s client.Stmt) {
			switch s := s.(type) {
			case *client.Assign:
				add(s.Var, depends(s.Expr))
			case *client.Havoc:
				add(s.Var, isLost(s))
			default: // it sets nothing but by a query
			}
		})
	}
	client.Walk(t.Body, func(s client.Stmt) {
		h, ok := s.(*client.Havoc)
		if !ok {
			return
		}
		if !isLost(h) {
			h.Lost = ""
		}
		if changed[h.Var] {
			h.Element.From = nil
		}
		if h.Element.From == nil && h.Element.Len == nil { // the list is shown already
			h.Element = client.Element{}
		}
	})
}

// showLists lets the program show the lists whose elements it takes, and which are not followed.
func showLists(t *client.Txn) {
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			if h, ok := s.(*client.Havoc); ok && h.Element.List != nil {
				out = append(out, &client.Emit{At: h.At, Exprs: []client.Expr{h.Element.List, h.Element.Len}})
				h.Element = client.Element{}
			}
			out = append(out, s)
		}
		return out
	})
}

// overElements makes one loop of a loop over rows that gathers a list and a later one over the list: what is done with an
// element is done in the round that appends it. It reports whether it has made one.
//
// Nothing that is sent stands between the two loops, nor in the first one. So the rows are those that were read first, and
// what the later loop sends keeps its order.
func overElements(t *client.Txn) (made bool) {
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			rows, ok := s.(*client.ForRows)
			if made || !ok || !onlyGathers(rows.Body, rows.Label) {
				continue
			}
			if out := merge(t, list, i); out != nil {
				list, made = out, true
			}
		}
		return list
	})
	return made
}

// onlyGathers reports whether the body of a loop sends nothing, and does not leave what is around the loop but by a rollback.
func onlyGathers(list []client.Stmt, label string) bool {
	inside := map[string]bool{label: true}
	client.Walk(list, func(s client.Stmt) {
		if b, ok := s.(*client.Block); ok {
			inside[b.Label] = true
		}
	})
	ok := true
	client.Walk(list, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Assign, *client.Havoc, *client.Emit, *client.If, *client.Block, *client.Rollback:
		case *client.Break:
			ok = ok && inside[s.Label]
		case *client.Continue:
			ok = ok && inside[s.Label]
		default:
			ok = false
		}
	})
	return ok
}

// merge makes one loop of the loop over rows list[at] and the next one in list, which is one over what the first one
// gathers. It gives the list, nil if that cannot be said.
func merge(t *client.Txn, list []client.Stmt, at int) []client.Stmt {
	rows := list[at].(*client.ForRows)
	list, guards := opened(list, at+1)
	next := at + 1
	for next < len(list) && (passes(list[next]) || guards[list[next]] != "") {
		next++
	}
	if next == len(list) {
		return nil
	}
	l, ok := list[next].(*client.Loop)
	if !ok {
		return nil
	}
	w := rangeOf(t, list[:next], l)
	if w == nil {
		return nil
	}
	roots, ok := w.roots(t, rows)
	if !ok {
		return nil
	}
	for s, cond := range guards { // it commits where there are no elements
		if slices.Contains(list[at+1:next], s) && cond != client.ExprString(w.empty) {
			return nil
		}
	}
	before, after, ok := apart(list[at+1:next], rows, l, w)
	if !ok {
		return nil
	}
	body := client.Stmt(&client.Block{At: l.At, Label: l.Label, Body: insideRound(w.body, l.Label)})
	first, ok := behindAppends(rows.Body, roots, body)
	if !ok {
		return nil
	}
	out := slices.Concat(list[:at], before, []client.Stmt{&client.ForRows{At: rows.At, Label: rows.Label, Query: rows.Query, Body: first}}, after)
	out = append(out, &client.Block{At: l.At, Label: l.Label, Body: w.exit})
	return append(out, list[next+1:]...)
}

// opened takes what follows an If out of its branch, where the other branch ends the transaction. guards are the conditions of those
// that commit there.
func opened(list []client.Stmt, from int) (out []client.Stmt, guards map[client.Stmt]string) {
	guards = map[client.Stmt]string{}
	out = list
	for i := from; i < len(out); i++ {
		s, ok := out[i].(*client.If)
		if !ok || len(s.Then) != 1 {
			continue
		}
		head := &client.If{At: s.At, Cond: s.Cond, Then: s.Then}
		switch s.Then[0].(type) {
		case *client.Rollback:
		case *client.Commit:
			guards[head] = client.ExprString(s.Cond)
		default:
			continue
		}
		out = slices.Concat(out[:i], []client.Stmt{head}, s.Else, out[i+1:])
	}
	return out, guards
}

// passes reports whether a statement between two loops sends nothing, and leaves by a rollback only.
func passes(s client.Stmt) bool {
	switch s := s.(type) {
	case *client.Assign, *client.Havoc, *client.Emit, *client.Rollback:
		return true
	case *client.If:
		return !slices.ContainsFunc(slices.Concat(s.Then, s.Else), func(s client.Stmt) bool { return !passes(s) })
	default:
		return false
	}
}

// behindAppends puts a statement behind the place where a round appends to lists: to each of them there, and nowhere else.
func behindAppends(list []client.Stmt, roots []string, s client.Stmt) (out []client.Stmt, ok bool) {
	places := 0
	out = client.Rewrite(client.Clone(list), func(inner []client.Stmt) []client.Stmt {
		first, last := -1, -1
		for i, s := range inner {
			if a, ok := s.(*client.Assign); ok && slices.ContainsFunc(roots, func(root string) bool { return isAppend(a.Expr, root) }) {
				if first < 0 {
					first = i
				}
				last = i
				places++
			}
		}
		if first < 0 || slices.ContainsFunc(inner[first:last], func(s client.Stmt) bool { return !isPlain(s) }) {
			return inner
		}
		ok = !ok && last-first+1 >= len(roots) && places == len(roots)
		return slices.Insert(inner, last+1, s)
	})
	return out, ok && places == len(roots)
}

// isAppend reports whether an expression appends to the list in a variable.
func isAppend(e client.Expr, root string) bool {
	c, ok := e.(*client.Call)
	if !ok || c.Name != "append" || len(c.Args) == 0 {
		return false
	}
	v, ok := c.Args[0].(*client.VarExpr)
	return ok && v.Name == root
}
