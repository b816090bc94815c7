package analyzer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// onRows is a method of rows.
func (in *interp) onRows(inv *invocation, r *rows, name string, args []value) (value, bool) {
	switch name {
	case "Next":
		return in.next(inv, r), true
	case "Scan":
		list, ok := in.listOf(args[0])
		if !ok {
			in.execute(r)
			r.query.Returned = true
			return in.fresh(inv.t, "err", unknown), true
		}
		return in.scan(r, list), true
	case "StructScan":
		return in.into1(r, args[0], true), true
	case "Err", "Close":
		if name == "Err" && r.one { // *sql.Row
			return in.rowError(r), true
		}
		in.execute(r)
		return in.quiet(inv.t), true
	case "CommandTag":
		in.execute(r)
		return &outcome{r.query, r.mine}, true
	case "NextResultSet", "Columns", "ColumnTypes", "FieldDescriptions", "Values", "MapScan", "SliceScan", "RawValues":
		r.query.Returned = true
		in.execute(r)
		return in.quiet(inv.t), true
	}
	return nil, false
}

func (in *interp) next(inv *invocation, r *rows) value {
	f := in.fr
	b := inv.site
	if !r.mine || b == nil {
		in.execute(r)
		return scalar{client.V(in.newVar("more", client.Bool, false, unknown)), client.Bool}
	}
	block := inv.site.(ssa.Instruction).Block()
	if t := f.targets[block]; t != nil && t.head != nil && !in.st.sent[r] && t.head.rows == nil {
		in.st.sent[r] = true
		t.head.rows, t.head.next = r, inv.site
		return scalar{client.V("next"), client.Bool}
	}
	if in.st.sent[r] { // the row after the first one
		r.query.Returned, r.later = true, true
		return scalar{client.V(in.newVar("more", client.Bool, false, unknown)), client.Bool}
	}
	in.execute(r)
	return scalar{in.found(r), client.Bool}
}

// rowError is the error of a row that is not there.
func (in *interp) rowError(r *rows) value {
	if !r.mine || r.later {
		return in.someError()
	}
	return &failure{noRows: client.Not(in.found(r))}
}

// scan stores the columns of the row in variables.
func (in *interp) scan(r *rows, dests []value) value {
	if !r.mine || r.later {
		for _, d := range dests {
			if p, ok := unbox(d).(*pointer); ok {
				in.forget(p.to)
			}
		}
		if r.one {
			return in.someError()
		}
		return &failure{}
	}
	if len(dests) == 1 {
		if p, ok := unbox(dests[0]).(*pointer); ok {
			if ts, _ := parts(p.to.t); ts != nil && !optional(p.to.t) {
				return in.into1(r, dests[0], false)
			}
		}
	}
	in.rewinds(r.query)
	for len(r.query.Into) < len(dests) {
		r.query.Into = append(r.query.Into, "")
	}
	for i, d := range dests {
		p, ok := unbox(d).(*pointer)
		if !ok || isTrue(p.nil()) {
			continue
		}
		v := r.query.Into[i]
		if v == "" {
			v = in.column(p.to)
			r.query.Into[i] = v
		}
		in.arrive(r, p.to, v)
	}
	return in.scanned(r)
}

// column makes the variable for a column that goes to a cell.
func (in *interp) column(c *cell) string {
	k, null := destination(c.t)
	return in.temp(c.name, k, null)
}

// destination gives the kind of values that a variable takes, and whether it
// takes NULL.
func destination(t types.Type) (client.Kind, bool) {
	if at, ok := optionalValue(t); ok {
		ts, _ := parts(t)
		return kindOf(ts[at[0]]), true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return kindOf(p.Elem()), true
	}
	k := kindOf(t)
	return k, k == client.Any
}

// arrive stores a column in a cell, if there is a row.
func (in *interp) arrive(r *rows, c *cell, v string) {
	var w value
	switch at, ok := optionalValue(c.t); {
	case ok:
		w = in.optionalOf(c.t, at, v)
	case isPointer(c.t):
		e := c.t.Underlying().(*types.Pointer).Elem()
		to := in.newCell(e, c.name, zeroed)
		in.st.mem[to] = scalar{client.V(v), kindOf(e)}
		w = &pointer{to: to, isNil: op("null", client.V(v))}
	default:
		w = scalar{client.V(v), kindOf(c.t)}
	}
	if c.start != zeroed {
		in.emitExpr(client.V(v))
	}
	old := in.load(c)
	zero := same(old, in.zero(c.t))
	if !r.one || c.start == unknown || zero && in.loops == 0 || in.keepsOld(r, old, v) {
		in.store(c, w)
		return
	}
	in.found(r)
	in.either(client.V(r.query.Found), func() { in.store(c, w) }, func() {})
}

// keepsOld sets the variable of a column, before the query is sent, to what its cell
// holds: without a row it stays so. It reports whether that can be said.
func (in *interp) keepsOld(r *rows, old value, v string) bool {
	s, ok := old.(scalar)
	at := slices.Index(*in.out, client.Stmt(r.query))
	if k := in.variable(v); !ok || at < 0 || k.Nullable || k.Kind == client.Any {
		return false
	}
	*in.out = slices.Insert(*in.out, at, client.Stmt(&client.Assign{At: in.at(), Var: v, Expr: s.e}))
	return true
}

// found makes the variable that says whether there was a row.
func (in *interp) found(r *rows) client.Expr {
	if r.query.Found == "" {
		in.rewinds(r.query)
		r.query.Found = in.temp("found", client.Bool, false)
	}
	return client.V(r.query.Found)
}

// scanned is the error of Scan.
func (in *interp) scanned(r *rows) value {
	f := &failure{}
	if r.query.Null == "" {
		in.rewinds(r.query)
		r.query.Null = in.temp("null", client.Bool, false)
	}
	if r.one {
		f.noRows = client.Not(in.found(r))
	}
	f.other = client.V(r.query.Null)
	return f
}

// into1 stores the row in a struct or variable, by the names of its columns or
// their order.
func (in *interp) into1(r *rows, dest value, byName bool) value {
	p, ok := unbox(dest).(*pointer)
	if !ok {
		r.query.Returned = true
		return in.someError()
	}
	if !r.mine || r.later {
		in.forget(p.to)
		return in.someError()
	}
	if p.to.whole() || optional(p.to.t) {
		return in.scan(r, []value{dest})
	}
	if !byName {
		var list []value
		for i := range p.to.parts {
			list = append(list, &pointer{to: p.to.part(i)})
		}
		return in.scan(r, list)
	}
	in.byName(r, p.to)
	return in.scanned(r)
}

// byName fills the fields of a struct, those of embedded ones included.
func (in *interp) byName(r *rows, c *cell) {
	s := c.t.Underlying().(*types.Struct)
	for i, name := range columnNames(c.t) {
		f := c.part(i)
		if s.Field(i).Embedded() && f != nil && !f.whole() && structTag(s.Tag(i), "db") == "" {
			in.byName(r, f)
			continue
		}
		if name == "" {
			continue
		}
		if at := slices.IndexFunc(r.query.ByName, func(a client.Arg) bool { return a.Name == name }); at >= 0 {
			in.arrive(r, f, r.query.ByName[at].Expr.(*client.VarExpr).Name)
			continue
		}
		if f.whole() || optional(f.t) {
			v := in.column(f)
			in.rewinds(r.query)
			r.query.ByName = append(r.query.ByName, client.Arg{Name: name, Expr: client.V(v)})
			in.arrive(r, f, v)
		}
	}
}

func (in *interp) onOutcome(inv *invocation, o *outcome, name string) (value, bool) {
	switch name {
	case "RowsAffected":
		var v value
		switch {
		case !o.mine:
			v = in.someCount()
		case o.query.Count == "":
			in.rewinds(o.query)
			o.query.Count = in.temp("affected", client.Int, false)
			fallthrough
		default:
			v = scalar{client.V(o.query.Count), client.Int}
		}
		return in.answer(inv.t, v), true
	case "LastInsertId":
		v := in.temp("inserted", client.Int, false)
		in.emit(&client.Havoc{At: in.at(), Var: v, Fresh: true})
		return in.answer(inv.t, scalar{client.V(v), client.Int}), true
	case "String", "Insert", "Update", "Delete", "Select":
		return in.quiet(inv.t), true
	}
	return nil, false
}
