package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/schema"
)

// rowTaker takes the row of a statement into the variables of the program.
type rowTaker struct {
	p   *caller
	q   *client.Query
	pos ir.Pos
	// found is the local that says whether there is a row, "" if there always is
	// one.
	found string
	// direct says that the variables do not matter where there is no row or a NULL,
	// all that the program looks at all columns.
	direct, all bool
	// misfit says that a NULL may not fit a variable so far, and that nothing looks at that.
	misfit bool
	// called says that the statement gives a row; list are the locals for its columns,
	// targets the variables.
	called  bool
	list    []expr.Dest
	targets []taken
	temps   map[int]expr.Dest
	cols    []expr.Column
}

// taken is a column that goes into a variable.
type taken struct {
	v    *programVar
	from expr.Dest // where it is before that
	nn   bool
}

// variable gives the variable for a column, nil for none.
func (o *rowTaker) variable(i int, name string) *programVar {
	if i < len(o.q.Into) {
		return o.p.vars[o.q.Into[i]]
	}
	for _, a := range o.q.ByName {
		if a.Name == name {
			return o.p.vars[schema.ResultName(a)]
		}
	}
	for _, a := range o.q.ByName {
		if strings.EqualFold(a.Name, name) {
			return o.p.vars[schema.ResultName(a)]
		}
	}
	return nil
}

// dests gives the locals for the columns. It may be called several times, and
// gives the same ones then.
func (o *rowTaker) dests(cols []expr.Column) (list, rest []expr.Dest) {
	p, b := o.p, o.p.b
	if n := len(o.q.Into); n > 0 && n != len(cols) {
		b.Unmodelled("a row of %d columns for %d variables", len(cols), n)
	}
	o.called, o.targets, o.cols, o.misfit = true, nil, cols, false
	defer func() { o.list = list }()
	once := map[string]bool{}
	for i, c := range cols {
		v := o.variable(i, c.Name)
		t := c.Type
		if t.Name == schema.NUnknown {
			t = schema.TText
		}
		if v == nil {
			d := expr.Dest{}
			if o.all {
				d = o.temp(i, "column", t)
			}
			list = append(list, d)
			continue
		}
		if v.open && c.Name != "" { // else nothing is known of the column
			b.setType(v.Variable, t)
		}
		o.misfit = o.misfit || o.q.Null == "" && !c.NotNull && !v.nullable()
		d := expr.Dest{Local: v.Local, T: v.Type}
		if !o.direct || o.misfit || o.all || once[v.Local] || !p.same(t, v.Type) {
			d = o.temp(i, v.Variable.Name, t)
		}
		once[v.Local] = true
		list = append(list, d)
		o.targets = append(o.targets, taken{v, d, c.NotNull})
	}
	return list, nil
}

// same reports whether a value of one type is one of the other as it is.
func (p *caller) same(from, to schema.Type) bool {
	e := ir.V("")
	return from.Same(to) || expr.LocalType(from) == expr.LocalType(to) && p.ex().Cast(expr.Val{Expr: e, Type: from}, to, 0).Expr == e
}

// temp is a local for a column.
func (o *rowTaker) temp(i int, base string, t schema.Type) expr.Dest {
	d, known := o.temps[i]
	if !known || !d.T.Same(t) {
		d = expr.Dest{Local: o.p.b.Local(base, t), T: t}
		o.temps[i] = d
	}
	return d
}

// store puts the row into the variables.
func (o *rowTaker) store() {
	p, b := o.p, o.p.b
	var null ir.Expr
	upTo := make([]ir.Expr, len(o.targets)) // whether a NULL does not fit up to there
	for i, t := range o.targets {
		if !t.nn && !t.v.nullable() {
			null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: ir.V(t.from.Local)})
		}
		upTo[i] = null
	}
	all := null
	var found ir.Expr
	if o.found != "" {
		found = ir.V(o.found)
	}
	if o.q.Null != "" {
		is := ir.C(ir.Bool(false))
		if null != nil {
			is = ir.AndE(found, null)
		}
		p.setNull(o.q, is)
		if v := p.vars[o.q.Null]; null == nil && v != nil {
			v.never = p.onlyNull(o.q.Null)
		}
		if v := p.vars[o.q.Null]; null != nil && v != nil && v.Type.Name == schema.NBool {
			null = ir.V(v.Local)
		}
	}
	if o.all {
		e := &ir.Emit{At: expr.At(o.pos)}
		for i := range o.cols {
			e.Exprs = append(e.Exprs, ir.V(o.temps[i].Local))
		}
		if found == nil {
			b.Emit(e)
		} else {
			b.Emit(&ir.If{At: expr.At(o.pos), Cond: found, Then: []ir.Stmt{e}})
		}
	}
	for i, t := range o.targets {
		if t.from.Local == t.v.Local {
			continue
		}
		ok := found
		if upTo[i] != nil {
			before := upTo[i]
			if before == all {
				before = null
			}
			ok = ir.AndE(found, ir.NotE(before))
		}
		if o.direct && (o.q.Null != "" || upTo[i] == nil) {
			ok = nil
		}
		e := p.convert(expr.Val{Expr: ir.V(t.from.Local), Type: t.from.T, NotNull: t.nn}, t.v.Type)
		if ok != nil {
			e = &ir.Cond{If: ok, Then: e, Else: ir.V(t.v.Local)}
		}
		b.EmitWeak(&ir.Assign{At: expr.At(o.pos), Var: t.v.Local, Expr: e})
	}
}

// onlyWithRow reports whether the variables of a row do not matter where there
// is none, or where a NULL does not fit: the transaction ends at once then.
func (p *caller) onlyWithRow(q *client.Query, rest []client.Stmt) bool {
	vars := map[string]bool{}
	for _, name := range q.Into {
		vars[name] = true
	}
	for _, a := range q.ByName {
		vars[schema.ResultName(a)] = true
	}
	if q.Found == "" || vars[q.Found] || vars[q.Null] || q.Found == q.Null {
		return false
	}
	if q.Null == "" {
		return endsWithout(rest, vars, map[string]bool{q.Found: false})
	}
	return endsWithout(rest, vars, map[string]bool{q.Found: false, q.Null: false}) &&
		endsWithout(rest, vars, map[string]bool{q.Found: true, q.Null: true})
}

// endsWithout reports whether statements end the transaction without a look at
// the variables vars, where others have the values known.
func endsWithout(list []client.Stmt, vars, known map[string]bool) bool {
	looks := func(es ...client.Expr) bool {
		found := false
		for _, e := range es {
			client.WalkExpr(e, func(e client.Expr) {
				v, ok := e.(*client.VarExpr)
				found = found || ok && vars[v.Name]
			})
		}
		return found
	}
	for _, s := range list {
		switch s := s.(type) {
		case *client.Commit, *client.Rollback:
			return true
		case *client.Emit:
			if looks(s.Exprs...) {
				return false
			}
		case *client.Assign:
			if _, is := known[s.Var]; is || looks(s.Expr) {
				return false
			}
		case *client.If:
			value, decided := truthOf(s.Cond, known)
			switch {
			case !decided:
				return false
			case value && len(s.Then) > 0:
				return endsWithout(s.Then, vars, known)
			case !value && len(s.Else) > 0:
				return endsWithout(s.Else, vars, known)
			}
		default:
			return false
		}
	}
	return false
}

// truthOf tells whether a condition is true or false where some variables have
// known values, if that can be told.
func truthOf(e client.Expr, known map[string]bool) (value, decided bool) {
	switch e := e.(type) {
	case *client.VarExpr:
		value, decided = known[e.Name]
	case *client.Const:
		value, decided = e.Value.IsTrue(), e.Value.Kind == ir.KindBool
	case *client.Op:
		switch {
		case e.Op == "!" && len(e.Args) == 1:
			value, decided = truthOf(e.Args[0], known)
			value = !value
		case (e.Op == "&&" || e.Op == "||") && len(e.Args) == 2:
			x, ok1 := truthOf(e.Args[0], known)
			y, ok2 := truthOf(e.Args[1], known)
			stop := e.Op == "||" // a part that has this value decides
			switch {
			case ok1 && x == stop, ok2 && y == stop:
				return stop, true
			}
			return !stop, ok1 && ok2
		}
	}
	return value, decided
}
