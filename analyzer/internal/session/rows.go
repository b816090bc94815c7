package session

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// onRows is a method of rows.
func (in *Session) onRows(inv *Invocation, r *memory.Rows, name string, args []memory.Value) (memory.Value, bool) {
	if len(args) == 0 && (name == "Scan" || name == "StructScan") { // methods of other types
		return nil, false
	}
	switch name {
	case "Next":
		return in.Control.Next(inv, r), true
	case "Scan":
		list, ok := in.ListOf(args[0])
		if !ok {
			in.Execute(r)
			r.Query.Returned = true
			return in.Fresh(inv.T, "err", memory.Unknown), true
		}
		return in.Scan(r, list), true
	case "StructScan":
		return in.Into1(r, args[0], true), true
	case "Err", "Close":
		if name == "Err" && r.One { // *sql.Row
			return in.RowError(r), true
		}
		in.Execute(r)
		if name == "Err" && r.Unsent != nil {
			return &memory.Failure{Other: r.Unsent}, true
		}
		return in.Quiet(inv.T), true
	case "CommandTag":
		in.Execute(r)
		return &memory.Outcome{Query: r.Query, Mine: r.Mine}, true
	case "MapScan", "SliceScan": // into a map, or a slice: what it then holds is not known, nor is the error
		r.Query.Returned = true
		in.Execute(r)
		for _, a := range args {
			in.Expose(a)
		}
		return in.Fresh(inv.T, "row", memory.Unknown), true
	case "NextResultSet", "Columns", "ColumnTypes", "FieldDescriptions", "Values", "RawValues":
		r.Query.Returned = true
		in.Execute(r)
		return in.Quiet(inv.T), true
	}
	return nil, false
}

// RowError is the error of a row that is not there.
func (in *Session) RowError(r *memory.Rows) memory.Value {
	if !r.Mine || r.Later {
		return in.SomeError()
	}
	return in.unlessUnsent(r, func() memory.Value { return &memory.Failure{NoRows: client.Not(in.Found(r))} })
}

// Scan stores the columns of the row in variables.
func (in *Session) Scan(r *memory.Rows, dests []memory.Value) memory.Value {
	if !r.Mine || r.Later {
		for _, d := range dests {
			if p, ok := memory.Unbox(d).(*memory.Pointer); ok {
				in.Forget(p.To)
			}
		}
		if r.One {
			return in.SomeError()
		}
		return &memory.Failure{}
	}
	if r.Unsent != nil && r.One {
		return in.unlessUnsent(r, func() memory.Value { return in.Scan(r, dests) })
	}
	if len(dests) == 1 {
		if p, ok := memory.Unbox(dests[0]).(*memory.Pointer); ok {
			if ts, _ := in.P.Know.Layout.Parts(p.To.T); ts != nil && !gotypes.Optional(p.To.T) {
				return in.Into1(r, dests[0], false)
			}
		}
	}
	in.Rewinds(r.Query)
	for len(r.Query.Into) < len(dests) {
		r.Query.Into = append(r.Query.Into, "")
	}
	for i, d := range dests {
		p, ok := memory.Unbox(d).(*memory.Pointer)
		if !ok || memory.IsTrue(p.Nil()) {
			continue
		}
		v := r.Query.Into[i]
		if v == "" {
			v = in.column(p.To)
			r.Query.Into[i] = v
		}
		in.Arrive(r, p.To, v)
	}
	return in.Scanned(r)
}

// column makes the variable for a column that goes to a cell.
func (in *Session) column(c *memory.Cell) string {
	k, null := Destination(c.T)
	return in.Temp(c.Name, k, null)
}

// Destination gives the kind of values that a variable takes, and whether it
// takes NULL.
func Destination(t types.Type) (client.Kind, bool) {
	if at, ok := gotypes.OptionalValue(t); ok {
		return gotypes.KindOf(t.Underlying().(*types.Struct).Field(at[0]).Type()), true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return gotypes.KindOf(p.Elem()), true
	}
	k := gotypes.KindOf(t)
	return k, k == client.Any
}

// Arrive stores a column in a cell, if there is a row.
func (in *Session) Arrive(r *memory.Rows, c *memory.Cell, v string) {
	var w memory.Value
	switch at, ok := gotypes.OptionalValue(c.T); {
	case ok:
		w = in.OptionalOf(c.T, at, v)
	case gotypes.IsPointer(c.T):
		e := c.T.Underlying().(*types.Pointer).Elem()
		to := in.NewCell(e, c.Name, memory.Zeroed)
		in.St.Mem[to] = memory.Of(client.V(v), gotypes.KindOf(e))
		w = &memory.Pointer{To: to, IsNil: memory.Op("null", client.V(v))}
	default:
		w = memory.Of(client.V(v), gotypes.KindOf(c.T))
	}
	if c.Start != memory.Zeroed {
		in.EmitExpr(client.V(v))
	}
	old := in.Load(c)
	zero := memory.Same(old, in.Zero(c.T))
	// A trace is about values that are read: without a row there is an error mostly.
	if !r.One || in.Trace != nil || c.Start == memory.Unknown || zero && in.Loops == 0 || in.keepsOld(r, old, v) {
		in.Store(c, w)
		return
	}
	in.Found(r)
	in.Either(client.V(r.Query.Found), func() { in.Store(c, w) }, func() {})
}

// keepsOld sets the variable of a column, before the query is sent, to what its cell
// holds: without a row it stays so. It reports whether that can be said: what the cell holds may come from a later statement.
func (in *Session) keepsOld(r *memory.Rows, old memory.Value, v string) bool {
	s, ok := old.(memory.Scalar)
	at := slices.Index(*in.Out, client.Stmt(r.Query))
	if k := in.Variable(v); !ok || at < 0 || k.Nullable || k.Kind == client.Any {
		return false
	}
	later := false
	client.EachSet((*in.Out)[at+1:], func(name *string) {
		client.EachVar(s.E, func(used string) { later = later || used == *name })
	})
	if later {
		return false
	}
	*in.Out = slices.Insert(*in.Out, at, client.Stmt(&client.Assign{At: in.At(), Var: v, Expr: s.E}))
	return true
}

// Found makes the variable that says whether there was a row.
func (in *Session) Found(r *memory.Rows) client.Expr {
	if r.Query.Found == "" {
		in.Rewinds(r.Query)
		r.Query.Found = in.Temp("found", client.Bool, false)
	}
	return client.V(r.Query.Found)
}

// Scanned is the error of Scan. In a trace there is none for a NULL that does not fit: nobody
// decides by what a column holds who cannot read it.
func (in *Session) Scanned(r *memory.Rows) memory.Value {
	f := &memory.Failure{}
	if in.Trace == nil {
		f.Other = in.unfit(r)
	}
	if r.One {
		f.NoRows = client.Not(in.Found(r))
	}
	return f
}

// unfit makes the variable that says whether there was a NULL where none fits.
func (in *Session) unfit(r *memory.Rows) client.Expr {
	if r.Query.Null == "" {
		in.Rewinds(r.Query)
		r.Query.Null = in.Temp("null", client.Bool, false)
	}
	return client.V(r.Query.Null)
}

// Into1 stores the row in a struct or variable, by the names of its columns or
// their order.
func (in *Session) Into1(r *memory.Rows, dest memory.Value, byName bool) memory.Value {
	p, ok := memory.Unbox(dest).(*memory.Pointer)
	if !ok {
		r.Query.Returned = true
		return in.SomeError()
	}
	if !r.Mine || r.Later {
		in.Forget(p.To)
		return in.SomeError()
	}
	if r.Unsent != nil && r.One {
		return in.unlessUnsent(r, func() memory.Value { return in.Into1(r, dest, byName) })
	}
	if p.To.Whole() || gotypes.Optional(p.To.T) {
		return in.Scan(r, []memory.Value{dest})
	}
	if !byName {
		var list []memory.Value
		for i := range p.To.Parts {
			list = append(list, &memory.Pointer{To: p.To.Part(i)})
		}
		return in.Scan(r, list)
	}
	in.byName(r, p.To)
	return in.Scanned(r)
}

// byName fills the fields of a struct, those of embedded ones included.
func (in *Session) byName(r *memory.Rows, c *memory.Cell) {
	s := c.T.Underlying().(*types.Struct)
	for i, name := range columnNames(c.T) {
		f := c.Part(i)
		if s.Field(i).Embedded() && f != nil && !f.Whole() && gotypes.StructTag(s.Tag(i), "db") == "" {
			in.byName(r, f)
			continue
		}
		if name == "" {
			continue
		}
		if at := slices.IndexFunc(r.Query.ByName, func(a client.Arg) bool { return a.Name == name }); at >= 0 {
			in.Arrive(r, f, r.Query.ByName[at].Expr.(*client.VarExpr).Name)
			continue
		}
		if f.Whole() || gotypes.Optional(f.T) {
			v := in.column(f)
			in.Rewinds(r.Query)
			r.Query.ByName = append(r.Query.ByName, client.Arg{Name: name, Expr: client.V(v)})
			in.Arrive(r, f, v)
		}
	}
}

func (in *Session) onOutcome(inv *Invocation, o *memory.Outcome, name string) (memory.Value, bool) {
	switch name {
	case "RowsAffected":
		return in.Answer(inv.T, countOf(in, o.Query, o.Mine)), true
	case "LastInsertId":
		v := in.Temp("inserted", client.Int, false)
		in.Emit(&client.Havoc{At: in.At(), Var: v, Fresh: true})
		return in.Answer(inv.T, memory.Of(client.V(v), client.Int)), true
	case "String", "Insert", "Update", "Delete", "Select":
		return in.Quiet(inv.T), true
	}
	return nil, false
}

// Counted gives the number of rows that a statement gives or changes.
func Counted(in *Session, rs *memory.Rows) memory.Value { return countOf(in, rs.Query, rs.Mine) }

func countOf(in *Session, q *client.Query, mine bool) memory.Value {
	if !mine {
		return in.SomeCount()
	}
	if q.Count == "" {
		in.Rewinds(q)
		q.Count = in.Temp("affected", client.Int, false)
	}
	return memory.Of(client.V(q.Count), client.Int)
}

// TakeColumn stores a column of a row, by its name or ("") in order, in a cell, as
// libraries do that make a NULL the zero value. A key, and a column that is not null, has
// none.
func (in *Session) TakeColumn(rs *memory.Rows, c *memory.Cell, name string, key, notNull bool) {
	k, null := Destination(c.T)
	may := !null && !key && !notNull && gotypes.KindOf(c.T) != client.Time
	v := in.Temp(c.Name, k, null || may || k == client.Time)
	if name == "" {
		rs.Query.Into = append(rs.Query.Into, v)
	} else {
		rs.Query.ByName = append(rs.Query.ByName, client.Arg{Name: name, Expr: client.V(v)})
	}
	if key && rs.One {
		in.Keys[v] = in.Found(rs)
	}
	if may {
		w := in.Temp(c.Name, k, false)
		in.Emit(&client.If{At: in.At(), Cond: memory.Op("null", client.V(v)),
			Then: []client.Stmt{&client.Assign{At: in.At(), Var: w, Expr: client.C(gotypes.ZeroOf(c.T))}},
			Else: []client.Stmt{&client.Assign{At: in.At(), Var: w, Expr: client.V(v)}}})
		v = w
	}
	in.Arrive(rs, c, v)
}
