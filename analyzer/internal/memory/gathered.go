package memory

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// Lists that loops gather. Where a loop begins with an empty list, and each of its rounds appends one element at most, the
// elements have the values of these rounds: package simplify makes one loop of it and of a later one over the list. Whatever may
// change the elements, or let others change them, ends that.

// gathered is what is known of a list.
type gathered struct {
	root string       // the variable that holds the list in the loop
	by   *client.Call // what appends, nil if nothing has so far
	elem Value        // what it appends
	done bool         // the loop is over
}

// gatheredBy gives what is known of the list that an expression is.
func gatheredBy(in *Memory, e client.Expr) (gathered, bool) {
	switch e := e.(type) {
	case *client.VarExpr:
		g, ok := in.lists[e.Name]
		return g, ok
	case *client.Call:
		g, ok := in.appends[e]
		return g, ok
	default:
		return gathered{}, false
	}
}

// Appends says that e is a list with some elements more.
func Appends(in *Memory, e *client.Call, list client.Expr, elems []Value) {
	if g, ok := gatheredBy(in, list); ok && !g.done && g.by == nil && len(elems) == 1 {
		in.appends[e] = gathered{root: g.root, by: e, elem: elems[0]}
	}
}

// joinGathered records what is known of a variable that gets one of several lists. After the loop an empty list may be
// among them, since it has no elements.
func joinGathered(in *Memory, v string, lists []client.Expr) {
	var all gathered
	for _, e := range lists {
		g, ok := gatheredBy(in, e)
		switch {
		case !ok && isEmpty(e):
			continue
		case !ok, all.root != "" && (g.root != all.root || g.done != all.done || g.by != nil && all.by != nil && g.by != all.by):
			return
		case all.root == "" || all.by == nil:
			all = g
		}
	}
	if all.root != "" && (all.done || !slices.ContainsFunc(lists, isEmpty)) {
		in.lists[v] = all
	}
}

// isEmpty reports whether a list is one without elements.
func isEmpty(e client.Expr) bool {
	if c, ok := e.(*client.Call); ok {
		return c.Name == "list" && len(c.Args) == 0
	}
	c, ok := e.(*client.Const)
	return ok && c.Value.IsNull()
}

// Gathered says that the loop is over which began with a list in a variable: lists are those with which its rounds end.
func Gathered(in *Memory, root string, lists []client.Expr) {
	all := in.lists[root]
	for _, e := range lists {
		g, ok := gatheredBy(in, e)
		if !ok || g.root != root || g.by != nil && all.by != nil && g.by != all.by {
			delete(in.lists, root)
			return
		}
		if g.by != nil {
			all = g
		}
	}
	if all.by == nil {
		delete(in.lists, root)
		return
	}
	all.done = true
	in.lists[root] = all
}

// What a value is whose element is taken, where it is not followed which one.
const (
	lostElement = "an element of a list"
	lostEntry   = "an entry of a map"
	lostRows    = "rows that are collected"
	lostPointer = "what a pointer leads to"
)

// shareList says that somebody may change the elements of the lists in an expression, from now on, or in another round of the loops around
// what was done with them so far. Who has the length has no elements.
func shareList(in *Memory, e client.Expr) {
	if c, ok := e.(*client.Call); ok && c.Name == "len" {
		return
	}
	client.WalkExpr(e, func(e client.Expr) {
		g, ok := gatheredBy(in, e)
		if !ok {
			return
		}
		in.shared[g.root] = true
		if in.Loops > 0 {
			for _, name := range in.taken[g.root] {
				in.Lost[name] = true
			}
		}
	})
}
