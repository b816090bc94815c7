package expr

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// columnRef resolves a name to a column or a variable, and r.* to the row r.
func (x *Spot) columnRef(c *pg.ColumnRef) Val {
	parts := syntax.Names(c.Fields)
	star := len(parts) < len(c.Fields)
	if len(parts) == 0 {
		x.Fail(c.Location, "* is not allowed here")
	}
	if v, ok := x.attributeOf(parts, c.Location); ok && !star {
		return v
	}
	if v, ok := x.Resolve(parts, c.Location); ok && (v.Record || !star) {
		return v
	}
	if x.Draft == nil || len(x.Levels) > 0 {
		x.unknownColumn(parts, c.Location)
	}
	if x.App.In.MySQL && x.Draft != nil {
		x.Unmodelled("the column %s beside an aggregate, or where there is no row", strings.Join(parts, "."))
	}
	x.Fail(c.Location, "there is no variable %s", strings.Join(parts, "."))
	return Val{}
}

// Expanded is a list of expressions where r.* stands for the fields of r, as in VALUES and
// ROW.
func (x *Spot) Expanded(list []*pg.Node) []*pg.Node {
	var out []*pg.Node
	for _, n := range list {
		c, ok := pg.Inner(n).(*pg.ColumnRef)
		if !ok || !syntax.IsStar(c.Fields[len(c.Fields)-1]) || len(c.Fields) == 1 {
			out = append(out, n)
			continue
		}
		parts := syntax.Names(c.Fields)
		for _, field := range x.fieldNames(parts, c.Location) {
			out = append(out, pg.ColumnNode(append(slices.Clone(parts), field), c.Location))
		}
	}
	return out
}

// fieldNames gives the columns of a source, or the fields of a record.
func (x *Spot) fieldNames(parts []string, loc int32) []string {
	var cols []Column
	if s := x.SourceNamed(parts); s != nil {
		cols = s.Cols
	} else if v, ok := x.Variable(parts, loc); ok && v.Record {
		cols = v.Fields
	} else {
		x.Fail(loc, "there is no table, alias or record %s", strings.Join(parts, "."))
	}
	var out []string
	for _, c := range cols {
		out = append(out, c.Name)
	}
	return out
}

// unknownColumn fails, and says which columns there are.
func (x *Spot) unknownColumn(parts []string, loc int32) {
	name := strings.Join(parts, ".")
	if len(parts) > 1 {
		if s := x.SourceNamed(parts[:len(parts)-1]); s != nil {
			x.Fail(loc, "%s has no column %s; it has %s", s.Alias, parts[len(parts)-1], ColumnNames(s))
		}
		x.Fail(loc, "there is no table, alias or variable %s in %s", strings.Join(parts[:len(parts)-1], "."), name)
	}
	x.Fail(loc, "there is no column or variable %s", name)
}

// ColumnNames lists the columns of s, for messages.
func ColumnNames(s *RowSource) string {
	var out []string
	for _, c := range s.Cols {
		out = append(out, c.Name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// SourceNamed finds the row that a name of one or two parts means, nil if there is none.
func (x *Spot) SourceNamed(parts []string) *RowSource {
	for i := len(x.Levels) - 1; i >= 0; i-- {
		for _, s := range x.Levels[i].Sources {
			if s.Called(parts) {
				return s
			}
		}
	}
	return nil
}

// Called reports whether a source has this possibly schema-qualified name.
func (s *RowSource) Called(parts []string) bool {
	if len(parts) == 1 {
		return s.Alias == parts[0]
	}
	if s.Table == nil || s.Table.Rel == nil || len(parts) < 2 {
		return false
	}
	n := len(parts)
	return s.Table.Rel.Schema() == parts[n-2] && s.Table.Rel.Own() == parts[n-1]
}

// Resolve finds what a name means; ok is false when nothing has it.
func (x *Spot) Resolve(parts []string, loc int32) (Val, bool) {
	col, isCol := x.column(parts, loc)
	v, isVar := x.Variable(parts, loc)
	switch {
	case isCol && isVar && x.Frame != nil && !x.Frame.SQLLang && x.Frame.Conflict != "use_column":
		if x.Frame.Conflict == "use_variable" {
			return v, true
		}
		name := strings.Join(parts, ".")
		x.Fail(loc, "%s is ambiguous: it could be a variable of %s or a column; qualify it with the table's or the function's name", name, x.Frame.Func.Name)
	case isCol:
		return col, true
	}
	return v, isVar
}

// column looks for a column in the queries around the expression.
func (x *Spot) column(parts []string, loc int32) (Val, bool) {
	for i := len(x.Levels) - 1; i >= 0; i-- {
		lv := x.Levels[i]
		var found *Column
		if s := lv.placed(parts); s != nil && x.Tid {
			lv.Used = lv.Used || i < len(x.Levels)-1
			return s.ctid(), true
		}
		for _, s := range lv.Sources {
			switch {
			case len(parts) == 1:
				if c := s.Col(parts[0]); c != nil && !s.Hidden[parts[0]] {
					if found != nil {
						x.Fail(loc, "column %s is ambiguous: several tables have it; write the table's name before it", parts[0])
					}
					found = c
				}
			case s.Called(parts[:len(parts)-1]):
				found = s.Col(parts[len(parts)-1])
				if found == nil && s.Table != nil && systemColumns[parts[len(parts)-1]] {
					panic(schema.Unmodelled{Reason: "the system column " + parts[len(parts)-1]})
				}
			}
		}
		if found != nil {
			if i < len(x.Levels)-1 {
				lv.Used = true
			}
			NoTid(x, found.Type)
			return Val{Expr: found.Expr, Type: found.Type, NotNull: found.NotNull}, true
		}
		if len(parts) == 1 {
			for _, s := range lv.Sources {
				if s.Alias == parts[0] {
					lv.Used = lv.Used || i < len(x.Levels)-1
					return Val{Type: schema.TRecord, Fields: s.Cols, Record: true}, true
				}
			}
			if systemColumns[parts[0]] && len(lv.Sources) > 0 && (x.Frame == nil || !x.Frame.Scope.known(parts[0])) {
				panic(schema.Unmodelled{Reason: "the system column " + parts[0]})
			}
		}
	}
	return Val{}, false
}

// placed gives the source of which parts name the ctid, nil if they name something else.
func (lv *Level) placed(parts []string) *RowSource {
	n := len(parts) - 1
	if parts[n] != "ctid" {
		return nil
	}
	for _, s := range lv.Sources {
		if s.Table == nil || s.Row == "" || s.Col("ctid") != nil {
			continue
		}
		if n == 0 && len(lv.Sources) == 1 || n > 0 && s.Called(parts[:n]) {
			return s
		}
	}
	return nil
}

var systemColumns = map[string]bool{"ctid": true, "xmin": true, "xmax": true, "cmin": true, "cmax": true, "tableoid": true}

// Variable looks for a variable or parameter.
func (x *Spot) Variable(parts []string, loc int32) (Val, bool) {
	if x.Frame == nil {
		return Val{}, false
	}
	v, f := x.Frame.Scope.Find(parts)
	switch {
	case v == nil:
		return Val{}, false
	case f != nil:
		return f.col().Val(), true
	case v.IsRecord && len(parts) > 1 && parts[len(parts)-1] != v.Name:
		if len(v.Fields) == 0 || v.Lost {
			x.Unmodelled("record %s, whose fields are not known here", v.Name)
		}
		x.Fail(loc, "record %s has no field %s", v.Name, parts[len(parts)-1])
	}
	return v.Value(), true
}

// Value is the value of a variable.
func (v *Variable) Value() Val {
	if !v.IsRecord {
		return Val{Expr: v.Expr(), Type: v.Type, NotNull: v.NotNull, Given: v.Given}
	}
	out := Val{Type: schema.TRecord, Record: true}
	for _, f := range v.Fields {
		out.Fields = append(out.Fields, f.col())
	}
	return out
}

// Expr is the value of a variable that is no record.
func (v *Variable) Expr() ir.Expr {
	if v.Bound != nil {
		return v.Bound
	}
	return ir.V(v.Local)
}

func (x *Spot) paramRef(p *pg.ParamRef) Val {
	if x.Frame == nil || p.Number < 1 || int(p.Number) > len(x.Frame.Inputs) {
		x.Fail(p.Location, "there is no parameter $%d", p.Number)
	}
	return x.Frame.Inputs[p.Number-1].Value()
}

// CheckVolatility ends the translation of a call of a function whose declaration does not fit what it does.
func (b *Draft) CheckVolatility(f *schema.Function) {
	if f.Immutable {
		if e := b.App.EffectOfCall([]*schema.Function{f}); e.All || len(e.Tables) > 0 {
			b.Unmodelled("%s, which is IMMUTABLE and looks at tables: the server may keep what it gave before", f.Name)
		}
	}
	if b.App.Pretends(f, map[*schema.Function]bool{}) {
		b.Unmodelled("%s, which is not VOLATILE and calls a function that writes", f.Name)
	}
}

// RowTrigger is what a row trigger gets: the rows before and after, and where
// NULL as its result is noted.
type RowTrigger struct {
	Op       string
	Old, New *Variable
	// Skip is the local that says that the write does not take place, "" if no
	// trigger can prevent it.
	Skip string
	// Before says that the result counts.
	Before bool
}

// Source gives the fields of a row variable as columns.
func (v *Variable) Source(t *schema.Table) *RowSource {
	src := &RowSource{Alias: v.Name, Table: t}
	for i, f := range v.Fields {
		src.Cols = append(src.Cols, Column{Name: f.Name, Expr: ir.V(f.Local), Type: f.Type, NotNull: t.Columns[i].NotNull && v.Name == "old"})
	}
	return src
}

// TriggerArgs is the array of a trigger's arguments, the only one that starts
// at 0.
const TriggerArgs = "tg_argv"

// triggerArgument is TG_ARGV[i].
func (x *Spot) triggerArgument(array *pg.Node, i *pg.A_Indices) (Val, bool) {
	c, ok := pg.Inner(array).(*pg.ColumnRef)
	if !ok || x.Frame == nil || x.Frame.Trigger == nil || i.IsSlice || len(c.Fields) != 1 || syntax.Names(c.Fields)[0] != TriggerArgs {
		return Val{}, false
	}
	k := x.Convert(x.Expr(i.Uidx), schema.TInt, x.At(i.Uidx), "a subscript")
	args := x.Expr(array)
	if n, ok := k.(*ir.Const); ok && n.Value.Kind == ir.KindInt {
		if list := args.Expr.(*ir.Const).Value.Elems(ir.KindText); n.Value.I >= 0 && n.Value.I < int64(len(list)) {
			return Val{Expr: ir.C(list[n.Value.I]), Type: schema.TText, NotNull: true}, true
		}
		return Val{Expr: ir.C(ir.Null), Type: schema.TText}, true
	}
	e := &ir.Call{Name: "elem", Args: []ir.Expr{args.Expr, ir.Op(ir.Add, k, ir.C(ir.Int(1)))}, Type: ir.TextType}
	return Val{Expr: e, Type: schema.TText}, true
}
