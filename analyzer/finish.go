package analyzer

import (
	"slices"

	"github.com/txrobust/robust/client"
	"github.com/txrobust/robust/ir"
)

// eachList calls f for the lists of statements in list, itself included, inner
// ones first, and puts what f gives in their places.
func eachList(list []client.Stmt, f func([]client.Stmt) []client.Stmt) []client.Stmt {
	for _, s := range list {
		switch s := s.(type) {
		case *client.If:
			s.Then, s.Else = eachList(s.Then, f), eachList(s.Else, f)
		case *client.Loop:
			s.Body = eachList(s.Body, f)
		case *client.Block:
			s.Body = eachList(s.Body, f)
		case *client.ForRows:
			s.Body = eachList(s.Body, f)
		}
	}
	return f(list)
}

// eachQuery calls f for what is sent to the database.
func eachQuery(list []client.Stmt, f func(client.Stmt)) {
	client.Walk(list, func(s client.Stmt) {
		switch s.(type) {
		case *client.Query, *client.ForRows, *client.Unknown:
			f(s)
		}
	})
}

// finishTxn completes what was written.
func (in *interp) finishTxn(t *client.Txn) {
	t.Body = eachList(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			if l, ok := s.(*client.Loop); ok && in.rowsLoops[l] != nil {
				r := in.rowsLoops[l]
				r.query.At.Pos = r.pos
				list[i] = &client.ForRows{At: client.At{Pos: r.pos}, Label: l.Label, Query: r.query, Body: l.Body}
			}
		}
		return list
	})
	havocAtBegin(t)
	in.endings(t)
	in.showAtCommit(t)
	simplify(t)
	if in.collectRows(t) {
		simplify(t)
	}
}

// endings makes a commit of each end of a transaction that was never seen to
// commit.
func (in *interp) endings(t *client.Txn) {
	commits := false
	client.Walk(t.Body, func(s client.Stmt) {
		_, is := s.(*client.Commit)
		commits = commits || is
	})
	if commits {
		return
	}
	t.Body = eachList(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			if r, ok := s.(*client.Rollback); ok {
				list[i] = &client.Commit{At: r.At}
			}
		}
		return list
	})
	in.result.notes = append(in.result.notes, ir.Note{Pos: t.Pos, Text: "no commit of this transaction was found: it is taken to commit wherever it ends"})
}

// havocAtBegin makes the variables unknown that a loop around the begin changes:
// only one of its rounds is the transaction.
func havocAtBegin(t *client.Txn) {
	var around []*client.Loop
	var visit func(list []client.Stmt) []client.Stmt
	visit = func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			switch s := s.(type) {
			case *client.If:
				s.Then, s.Else = visit(s.Then), visit(s.Else)
			case *client.Loop:
				around = append(around, s)
				s.Body = visit(s.Body)
				around = around[:len(around)-1]
			case *client.ForRows:
				s.Body = visit(s.Body)
			case *client.Block:
				if s.Label == beginLabel {
					if len(around) > 0 {
						for _, v := range assignedIn(around[0].Body) {
							out = append(out, &client.Havoc{At: s.At, Var: v})
						}
					}
					continue
				}
				s.Body = visit(s.Body)
			}
			out = append(out, s)
		}
		return out
	}
	t.Body = visit(t.Body)
}

// assignedIn gives the variables that list sets, in order.
func assignedIn(list []client.Stmt) []string {
	var out []string
	add := func(v string) {
		if v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	client.Walk(list, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Assign:
			add(s.Var)
		case *client.Havoc:
			add(s.Var)
		case *client.Query:
			eachSet(s, func(v *string) { add(*v) })
		case *client.ForRows:
			eachSet(s.Query, func(v *string) { add(*v) })
		}
	})
	return out
}

// eachSet calls f for the variables that a query sets.
func eachSet(q *client.Query, f func(v *string)) {
	for i := range q.Into {
		f(&q.Into[i])
	}
	for _, a := range q.ByName {
		f(&a.Expr.(*client.VarExpr).Name)
	}
	f(&q.Found)
	f(&q.Null)
	f(&q.Count)
}

// showAtCommit observes at the commit what the program looks at later.
func (in *interp) showAtCommit(t *client.Txn) {
	for more := true; more; {
		more = false
		client.Walk(t.Body, func(s client.Stmt) {
			a, ok := s.(*client.Assign)
			if !ok || !in.shown[a.Var] {
				return
			}
			client.EachVar(a.Expr, func(name string) {
				if !in.shown[name] {
					in.shown[name], more = true, true
				}
			})
		})
	}
	var exprs []client.Expr
	for _, v := range t.Vars {
		if in.shown[v.Name] {
			exprs = append(exprs, client.V(v.Name))
		}
	}
	if len(exprs) == 0 {
		return
	}
	t.Body = eachList(t.Body, func(list []client.Stmt) []client.Stmt {
		for i, s := range list {
			if c, ok := s.(*client.Commit); ok {
				return slices.Insert(list, i, client.Stmt(&client.Emit{At: c.At, Exprs: slices.Clone(exprs)}))
			}
		}
		return list
	})
}

// simplify removes what has no effect.
func simplify(t *client.Txn) {
	for {
		before := weight(t)
		t.Body = eachList(t.Body, tidyList)
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
			if is, known := truth(s.Cond); known {
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
			if n := len(s.Body); n > 0 {
				if c, ok := s.Body[n-1].(*client.Continue); ok && c.Label == s.Label {
					s.Body = s.Body[:n-1]
				}
			}
		case *client.ForRows:
			if n := len(s.Body); n > 0 {
				if c, ok := s.Body[n-1].(*client.Continue); ok && c.Label == s.Label {
					s.Body = s.Body[:n-1]
				}
			}
		}
		out = append(out, s)
		if endsInJump(out) {
			return out
		}
	}
	return out
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

// eachExpr calls f for the places of the expressions that statements use.
func eachExpr(list []client.Stmt, f func(e *client.Expr)) {
	query := func(q *client.Query) {
		for i := range q.Args {
			f(&q.Args[i])
		}
		for i := range q.Named {
			f(&q.Named[i].Expr)
		}
	}
	client.Walk(list, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Query:
			query(s)
		case *client.ForRows:
			query(s.Query)
		case *client.Assign:
			f(&s.Expr)
		case *client.If:
			f(&s.Cond)
		case *client.Emit:
			for i := range s.Exprs {
				f(&s.Exprs[i])
			}
		}
	})
}

// propagate puts what a variable is in its place, where it is set once, to a
// constant or to another variable that is set once.
func propagate(t *client.Txn) {
	sets := map[string]int{}
	for _, v := range t.Vars {
		if v.Input {
			sets[v.Name]++
		}
	}
	value := map[string]client.Expr{}
	count := func(v *string) {
		if *v != "" {
			sets[*v]++
		}
	}
	client.Walk(t.Body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Assign:
			sets[s.Var]++
			value[s.Var] = s.Expr
		case *client.Havoc:
			sets[s.Var]++
		case *client.Query:
			eachSet(s, count)
		case *client.ForRows:
			eachSet(s.Query, count)
		}
	})
	known := map[string]client.Expr{}
	for v, e := range value {
		if sets[v] != 1 {
			continue
		}
		switch e := e.(type) {
		case *client.Const:
			known[v] = e
		case *client.VarExpr:
			if sets[e.Name] == 1 {
				known[v] = e
			}
		}
	}
	var subst func(e client.Expr) client.Expr
	subst = func(e client.Expr) client.Expr {
		switch e := e.(type) {
		case *client.VarExpr:
			if w, ok := known[e.Name]; ok {
				return subst(w)
			}
		case *client.Op:
			args := make([]client.Expr, len(e.Args))
			for i, a := range e.Args {
				args[i] = subst(a)
			}
			return refold(&client.Op{Op: e.Op, Args: args})
		case *client.Call:
			c := &client.Call{Name: e.Name, Kind: e.Kind, Args: make([]client.Expr, len(e.Args))}
			for i, a := range e.Args {
				c.Args[i] = subst(a)
			}
			return c
		}
		return e
	}
	eachExpr(t.Body, func(e *client.Expr) { *e = subst(*e) })
}

// refold simplifies an operator of constants.
func refold(o *client.Op) client.Expr {
	switch o.Op {
	case "!":
		if is, known := truth(o.Args[0]); known {
			if is {
				return constFalse
			}
			return constTrue
		}
		return client.Not(o.Args[0])
	case "&&":
		return and(o.Args...)
	case "||":
		return or(o.Args...)
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
			return constTrue
		}
		return constFalse
	}
	return o
}

// dropUnused removes variables that nothing uses, and what is shown but never
// changes.
func dropUnused(t *client.Txn) {
	assigned := map[string]bool{}
	for _, v := range assignedIn(t.Body) {
		assigned[v] = true
	}
	t.Body = eachList(t.Body, func(list []client.Stmt) []client.Stmt {
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
	for more := true; more; { // what only serves to compute what nobody uses is not used
		more = false
		eachExpr(t.Body, func(e *client.Expr) {
			if v, ok := assigns[e]; ok && !used[v] {
				return
			}
			client.EachVar(*e, func(name string) {
				more = more || !used[name]
				used[name] = true
			})
		})
	}
	clear := func(q *client.Query) {
		eachSet(q, func(v *string) {
			if !used[*v] {
				*v = ""
			}
		})
		q.ByName = slices.DeleteFunc(q.ByName, func(a client.Arg) bool { return a.Expr.(*client.VarExpr).Name == "" })
	}
	t.Body = eachList(t.Body, func(list []client.Stmt) []client.Stmt {
		return slices.DeleteFunc(list, func(s client.Stmt) bool {
			switch s := s.(type) {
			case *client.Assign:
				return !used[s.Var]
			case *client.Havoc:
				return !used[s.Var]
			case *client.Query:
				clear(s)
			case *client.ForRows:
				clear(s.Query)
			}
			return false
		})
	})
	for _, v := range assignedIn(t.Body) {
		used[v] = true
	}
	t.Vars = slices.DeleteFunc(t.Vars, func(v client.Var) bool { return !used[v.Name] })
}

// collectRows makes a query of each loop that only collects the rows of one: what
// comes of them is their number and, if the program has to do with the rows
// themselves, all of them.
func (in *interp) collectRows(t *client.Txn) (some bool) {
	t.Body = eachList(t.Body, func(list []client.Stmt) []client.Stmt {
		var out []client.Stmt
		for _, s := range list {
			f, ok := s.(*client.ForRows)
			if !ok {
				out = append(out, s)
				continue
			}
			body := f.Body
			if len(body) == 1 && f.Query.Null != "" { // the error of Scan ends the loop
				c, isIf := body[0].(*client.If)
				v, isNull := any(nil), false
				if isIf {
					v, isNull = c.Cond.(*client.VarExpr)
				}
				if isNull && v.(*client.VarExpr).Name == f.Query.Null && endsInJump(c.Then) {
					body = c.Else
				}
			}
			after, ok := collects(body)
			if !ok {
				out = append(out, s)
				continue
			}
			some = true
			q := f.Query
			q.Into, q.ByName, q.Null = nil, nil, ""
			for _, a := range after {
				if a.step == 0 {
					q.Returned = true
					continue
				}
				if q.Count == "" {
					q.Count = in.temp("rows", client.Int, false)
					t.Vars = append(t.Vars, client.Var{Name: q.Count, Kind: client.Int})
				}
			}
			out = append(out, q)
			for _, a := range after {
				if a.step == 0 {
					out = append(out, &client.Havoc{At: f.At, Var: a.v})
					continue
				}
				n := client.Expr(client.V(q.Count))
				if a.step != 1 {
					n = op("*", n, constInt(a.step))
				}
				out = append(out, &client.Assign{At: f.At, Var: a.v, Expr: op("+", client.V(a.v), n)})
			}
		}
		return out
	})
	return some
}

// collected is a variable that each round changes: by step, or (0) in another
// way.
type collected struct {
	v    string
	step int64
}

// collects reports whether statements only collect values, and gives the
// variables that they change.
func collects(list []client.Stmt) (out []collected, ok bool) {
	for _, s := range list {
		a, ok := s.(*client.Assign)
		if !ok {
			return nil, false
		}
		c := collected{v: a.Var}
		if o, isOp := a.Expr.(*client.Op); isOp && o.Op == "+" {
			x, isVar := o.Args[0].(*client.VarExpr)
			k, isConst := o.Args[1].(*client.Const)
			if isVar && isConst && x.Name == a.Var && k.Value.Kind == ir.KindInt {
				c.step = k.Value.I
			}
		}
		out = append(out, c)
	}
	return out, true
}
