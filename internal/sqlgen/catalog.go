package sqlgen

import "slices"

// Routine is a built-in function or operator, with the names of its types in
// pg_type.
type Routine struct {
	Name     string
	Operator bool
	Args     []string
	Result   string
}

// Catalog is the functions and operators that a server has, for arguments of
// types of this package.
type Catalog struct {
	byResult map[string][]resolved
}

type resolved struct {
	Routine
	args []*Type
}

// NewCatalog makes a catalog of those routines whose types are known here.
func NewCatalog(list []Routine) *Catalog {
	c := &Catalog{byResult: map[string][]resolved{}}
	for _, r := range list {
		out := resolved{Routine: r}
		for _, a := range r.Args {
			i := slices.IndexFunc(builtinTypes, func(t *Type) bool { return t.Base == a })
			if i < 0 {
				break
			}
			out.args = append(out.args, builtinTypes[i])
		}
		if len(out.args) == len(r.Args) && len(r.Args) > 0 {
			c.byResult[r.Result] = append(c.byResult[r.Result], out)
		}
	}
	return c
}

// pick draws a routine with a result.
func (c *Catalog) pick(g *gen, t *Type) (resolved, bool) {
	list := c.byResult[t.Base]
	if len(list) == 0 {
		return resolved{}, false
	}
	for range 20 {
		r := pick(g, list)
		if !slices.ContainsFunc(r.args, func(a *Type) bool { return a.Group&(g.opt.Types|Basic) == 0 }) {
			return r, true
		}
	}
	return resolved{}, false
}

// call writes a call with arguments, whose types are told.
func (r resolved) call(g *gen, e *env, depth int) *Node {
	arg := func(i int) *Node {
		n := g.expr(e, r.args[i], depth)
		if g.chance(50) {
			return seq("", "(", n, ")::"+r.args[i].Base)
		}
		return n
	}
	switch {
	case r.Operator && len(r.args) == 1:
		return seq("operator "+r.Name, "("+r.Name+" ", arg(0), ")")
	case r.Operator:
		return seq("operator "+r.Name, "(", arg(0), " "+r.Name+" ", arg(1), ")")
	}
	args := list(", ", len(r.args))
	for i := range r.args {
		args.Kids = append(args.Kids, arg(i))
	}
	return seq("function "+r.Name, r.Name+"(", args, ")")
}
