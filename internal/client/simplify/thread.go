package simplify

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// maxCopied bounds the statements that thread copies to one place.
const maxCopied = 8

// thread moves short branches that end the transaction, or leave a loop or block, to the places
// that decide for them: where a function returns an error, and its caller tests the error, the
// branch of the error follows the return. It reports whether anything has changed. Every path that
// commits keeps its statements and their order.
func thread(t *client.Txn) bool {
	changed := false
	t.Body = client.Rewrite(t.Body, func(list []client.Stmt) []client.Stmt {
		for i := len(list) - 1; i > 0; i-- {
			if i < len(list) {
				if h := hoist(list, i); h != nil {
					list, changed = h, true
				}
			}
		}
		for i := len(list) - 2; i >= 0; i-- {
			if p := threaded(list, i); p != nil {
				list, changed = p, true
			}
		}
		return list
	})
	return changed
}

// hoist moves what only sets and shows variables from before If i into it, where one branch is a
// rollback and the condition does not use them. It gives the list, nil if nothing moves.
func hoist(list []client.Stmt, i int) []client.Stmt {
	test, ok := list[i].(*client.If)
	if !ok || !isRollback(test.Then) && !isRollback(test.Else) {
		return nil
	}
	used := map[string]bool{}
	client.EachVar(test.Cond, func(name string) { used[name] = true })
	first := i
	for first > 0 && isQuiet(list[first-1]) &&
		!slices.ContainsFunc(client.Assigned(list[first-1:first]), func(v string) bool { return used[v] }) {
		first--
	}
	if first == i {
		return nil
	}
	if isRollback(test.Then) {
		test.Else = slices.Concat(list[first:i], test.Else)
	} else {
		test.Then = slices.Concat(list[first:i], test.Then)
	}
	return slices.Concat(list[:first], list[i:])
}

// isQuiet reports whether a statement only sets or shows variables, perhaps under a condition.
func isQuiet(s client.Stmt) bool {
	b, ok := s.(*client.If)
	if !ok {
		return isPlain(s)
	}
	return !slices.ContainsFunc(slices.Concat(b.Then, b.Else), func(s client.Stmt) bool { return !isQuiet(s) })
}

// threader brings the branches of one If to the places in the statement before it from which
// control comes to the If.
type threader struct {
	between []client.Stmt // stands before the If, and is copied with its branches
	test    *client.If
	exits   map[string]bool // labels of which a Break leads to the If
	copies  int
	// holds, fails and open say how the If is still reached: where it holds, where it does not,
	// and where that is not known.
	holds, fails, open bool
}

// path is what is known at a place: constants, and conditions that the path has passed.
type path struct {
	values values
	passed []condition
}

type condition struct {
	cond client.Expr
	is   bool
}

// threaded gives list with the branches of the If that follows statement i, nil if none of them
// moves and all of them stay.
func threaded(list []client.Stmt, i int) []client.Stmt {
	switch list[i].(type) {
	case *client.If, *client.Block, *client.Loop, *client.ForRows:
	default:
		return nil
	}
	end := i + 1
	for end < len(list) && isPlain(list[end]) {
		end++
	}
	if end == len(list) || end-i > maxCopied {
		return nil
	}
	test, ok := list[end].(*client.If)
	if !ok || !short(test.Then) && !short(test.Else) {
		return nil
	}
	h := &threader{between: list[i+1 : end], test: test, exits: map[string]bool{}}
	first, _ := h.list(client.Clone(list[i:i+1]), &path{values: values{}}, true)
	out := append(slices.Clone(list[:i]), first...)
	switch {
	case h.copies == 0 && (h.open || h.holds && h.fails):
		return nil
	case h.open || h.holds && h.fails:
		return append(out, list[i+1:]...)
	case h.holds:
		out = slices.Concat(out, h.between, test.Then)
	case h.fails:
		out = slices.Concat(out, h.between, test.Else)
	default:
		return out // control does not come to the If
	}
	if endsInJump(out) {
		return out
	}
	return append(out, list[end+1:]...)
}

// isPlain reports whether a statement only sets or shows variables.
func isPlain(s client.Stmt) bool {
	switch s.(type) {
	case *client.Assign, *client.Havoc, *client.Emit:
		return true
	default:
		return false
	}
}

// short reports whether a branch sends nothing, ends in a jump, and is small.
func short(branch []client.Stmt) bool {
	n, is := 0, endsInJump(branch)
	client.Walk(branch, func(s client.Stmt) {
		n++
		switch s.(type) {
		case *client.If, *client.Break, *client.Continue, *client.Commit, *client.Rollback:
		default:
			is = is && isPlain(s)
		}
	})
	return is && n <= maxCopied
}

// list goes through statements, and gives them with the copies, and what is known behind them:
// nil where control does not come. last says that the If follows.
func (h *threader) list(list []client.Stmt, p *path, last bool) ([]client.Stmt, *path) {
	var out []client.Stmt
	for i, st := range list {
		if p == nil {
			return out, nil
		}
		if b, ok := st.(*client.Break); ok && h.exits[b.Label] {
			n := len(out)
			if out = h.leaf(out, p); len(out) == n {
				out = append(out, b)
			}
			return out, nil
		}
		p = h.stmt(st, p, last && i == len(list)-1)
		out = append(out, st)
	}
	if last && p != nil {
		return h.leaf(out, p), nil
	}
	return out, p
}

// leaf appends to a list that leads to the If what follows there.
func (h *threader) leaf(list []client.Stmt, p *path) []client.Stmt {
	known := maps.Clone(p.values)
	for _, s := range h.between {
		known.after(s)
	}
	cond := substitute(h.test.Cond, known.of)
	is, decided := client.Truth(cond)
	if !decided {
		is, decided = p.after(h.between...).says(cond)
	}
	branch := h.test.Else
	if is {
		branch = h.test.Then
	}
	switch {
	case !decided:
		h.open = true
	case short(branch):
		h.copies++
		return slices.Concat(list, client.Clone(h.between), client.Clone(branch))
	case is:
		h.holds = true
	default:
		h.fails = true
	}
	return list
}

// stmt goes through a statement that is not a Break to the If.
func (h *threader) stmt(st client.Stmt, p *path, last bool) *path {
	switch st := st.(type) {
	case *client.If:
		return h.branches(st, p, last)
	case *client.Block:
		return h.inside(st.Label, &st.Body, p, last)
	case *client.Loop:
		return h.around(st, st.Label, &st.Body, p, last)
	case *client.ForRows:
		return h.around(st, st.Label, &st.Body, p, last)
	case *client.Break, *client.Continue, *client.Commit, *client.Rollback:
		return nil
	default:
		return p.after(st)
	}
}

// after is what is known behind statements that do not branch. Where a variable is set to another one, what
// the path has passed holds of it, too.
func (p *path) after(list ...client.Stmt) *path {
	for _, st := range list {
		known := maps.Clone(p.values)
		known.after(st)
		p = p.without(client.Assigned([]client.Stmt{st}))
		p.values = known
		a, ok := st.(*client.Assign)
		if !ok {
			continue
		}
		from, ok := a.Expr.(*client.VarExpr)
		if !ok || from.Name == a.Var {
			continue
		}
		for _, c := range p.passed {
			about := false
			copied := substitute(c.cond, func(name string) client.Expr {
				if name != from.Name {
					return nil
				}
				about = true
				return client.V(a.Var)
			})
			if about {
				p.passed = append(slices.Clip(p.passed), condition{copied, c.is})
			}
		}
	}
	return p
}

// says decides a condition by the same one that the path has passed. What a function gives may differ
// each time.
func (p *path) says(cond client.Expr) (is, decided bool) {
	calls := false
	client.WalkExpr(cond, func(e client.Expr) {
		_, is := e.(*client.Call)
		calls = calls || is
	})
	cond, same := plainly(cond)
	text := client.ExprString(cond)
	for _, c := range p.passed {
		if passed, is := plainly(c.cond); !calls && client.ExprString(passed) == text {
			return same == (is == c.is), true
		}
	}
	return false, false
}

// plainly takes negations off a condition. is says whether the condition holds where the rest does.
func plainly(cond client.Expr) (rest client.Expr, is bool) {
	o, ok := cond.(*client.Op)
	if !ok || o.Op != "!" {
		return cond, true
	}
	rest, is = plainly(o.Args[0])
	return rest, !is
}

// after changes what is known by a statement that does not branch.
func (s values) after(st client.Stmt) {
	switch st := st.(type) {
	case *client.Assign:
		s.set(st.Var, st.Expr)
	case *client.Havoc:
		delete(s, st.Var)
	case *client.Query:
		s.forget(st)
	default: // it sets no variable
	}
}

// branches goes through those of an If. A branch that control does not come to is dropped.
func (h *threader) branches(st *client.If, p *path, last bool) *path {
	yes, no := p.where(st.Cond, true), p.where(st.Cond, false)
	switch {
	case yes == nil && no == nil:
		return nil
	case yes == nil:
		st.Cond, st.Then = client.False, nil
	case no == nil:
		st.Cond, st.Else = client.True, nil
	}
	if yes != nil {
		st.Then, yes = h.list(st.Then, yes, last)
	}
	if no != nil {
		st.Else, no = h.list(st.Else, no, last)
	}
	return yes.or(no)
}

// inside goes through a block.
func (h *threader) inside(label string, body *[]client.Stmt, p *path, last bool) *path {
	if !last {
		*body, _ = h.list(*body, p, false)
		return p.without(client.Assigned(*body))
	}
	h.exits[label] = true
	*body, _ = h.list(*body, p, true)
	delete(h.exits, label)
	return nil
}

// around goes through one round of a loop that stands for all.
func (h *threader) around(loop client.Stmt, label string, body *[]client.Stmt, p *path, last bool) *path {
	p = p.without(client.Assigned([]client.Stmt{loop}))
	h.exits[label] = last
	*body, _ = h.list(*body, p, false)
	delete(h.exits, label)
	if _, rows := loop.(*client.ForRows); !rows && last {
		return nil
	}
	return p
}

// where is the path on which a condition comes to what it should, nil if that cannot be.
func (p *path) where(cond client.Expr, is bool) *path {
	known := p.values.where(cond, is)
	if known == nil {
		return nil
	}
	for _, c := range p.passed {
		if known = known.where(c.cond, c.is); known == nil {
			return nil
		}
	}
	return &path{known, append(slices.Clip(p.passed), condition{cond, is})}
}

// without is what is known when variables may have changed.
func (p *path) without(vars []string) *path {
	out := &path{values: maps.Clone(p.values)}
	for _, v := range vars {
		delete(out.values, v)
	}
	for _, c := range p.passed {
		changed := false
		client.EachVar(c.cond, func(name string) { changed = changed || slices.Contains(vars, name) })
		if !changed {
			out.passed = append(out.passed, c)
		}
	}
	return out
}

// or is what is known where two paths meet; nil is one that does not come.
func (p *path) or(o *path) *path {
	if p == nil {
		return o
	}
	if o == nil {
		return p
	}
	return &path{values: meet(p.values, o.values)}
}
