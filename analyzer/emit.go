package analyzer

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// emitValue says that something which is not known may depend on a value.
func (in *interp) emitValue(v value) { in.emitAll(v, map[*cell]bool{}, 0) }

func (in *interp) emitAll(v value, seen map[*cell]bool, depth int) {
	if in.st == nil || in.site == "" || depth > 6 {
		return
	}
	switch v := unbox(v).(type) {
	case scalar:
		in.emitExpr(v.e)
	case *failure:
		if v.code != nil {
			in.emitExpr(v.code)
			return
		}
		in.emitExpr(client.Or(v.noRows))
		in.emitExpr(client.Or(v.other))
		for _, p := range v.several {
			in.emitAll(p, seen, depth+1)
		}
	case *aggregate:
		for _, p := range v.parts {
			in.emitAll(p, seen, depth+1)
		}
	case *pointer:
		in.emitExpr(v.nil())
		if seen[v.to] {
			return
		}
		seen[v.to] = true
		v.to.eachLeaf(func(c *cell) {
			if w, ok := in.st.mem[c]; ok {
				in.emitAll(w, seen, depth+1)
			}
		})
	case *list:
		for _, p := range v.elems {
			in.emitAll(p, seen, depth+1)
		}
	case span:
		for _, p := range in.elements(v) {
			in.emitAll(p, seen, depth+1)
		}
	case *closure:
		for _, p := range v.free {
			in.emitAll(p, seen, depth+1)
		}
	case tuple:
		for _, p := range v {
			in.emitAll(p, seen, depth+1)
		}
	case *contextValue:
		if v.parent != nil {
			in.emitAll(v.parent, seen, depth+1)
			in.emitAll(v.v, seen, depth+1)
		}
	case *grown:
		in.emitExpr(v.e)
		in.emitExpr(v.n)
	case *rows:
		v.query.Returned = true
		in.execute(v)
	case *dict:
		if seen[v.c] {
			return
		}
		seen[v.c] = true
		if w, ok := in.st.mem[v.c]; ok {
			in.emitAll(w, seen, depth+1)
		}
	case *entries:
		for _, e := range v.list {
			if e.when != nil {
				in.emitExpr(e.when)
			}
			in.emitAll(e.v, seen, depth+1)
		}
	case *rawSQL:
		for _, a := range v.f.args {
			in.emitExpr(a.e)
		}
	case *sqlBuilder:
		for _, a := range v.builderArgs() {
			in.emitExpr(a.e)
		}
		for _, s := range v.sets {
			in.emitAll(s.v, seen, depth+1)
		}
	case *draft:
		for _, c := range append(slices.Clone(v.where), v.having...) {
			in.emitAll(&rawSQL{c.f}, seen, depth+1)
			if c.when != nil {
				in.emitExpr(c.when)
			}
		}
	}
}

// emitExpr is emitValue for an expression.
func (in *interp) emitExpr(e client.Expr) {
	if in.trace != nil {
		return
	}
	any := false
	client.EachVar(e, func(string) { any = true })
	if !any {
		return
	}
	if in.st.phase == done {
		if !in.st.rolled {
			in.show(e)
		}
		return
	}
	in.emit(&client.Emit{At: in.at(), Exprs: []client.Expr{e}})
}

// outside says that something happens outside of the transaction where control comes
// here, so that the conditions on the way matter. Constants would not be shown.
func (in *interp) outside() {
	if in.st != nil && in.site != "" && in.trace == nil && in.st.phase == open {
		in.emitExpr(client.V(in.newVar("outside", client.Bool, false, unknown)))
	}
}

// show takes note that the program looks at e when the transaction is over.
func (in *interp) show(e client.Expr) {
	client.EachVar(e, func(name string) { in.shown[name] = true })
}
