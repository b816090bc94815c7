package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// columnRef resolves a name to a column or a variable.
func (x *ex) columnRef(c *pg.ColumnRef) val {
	parts := syntax.Names(c.Fields)
	if len(parts) < len(c.Fields) {
		x.fail(c.Location, "* is not allowed here")
	}
	if v, ok := x.attributeOf(parts, c.Location); ok {
		return v
	}
	if v, ok := x.resolve(parts, c.Location); ok {
		return v
	}
	if x.b == nil || len(x.levels) > 0 {
		x.unknownColumn(parts, c.Location)
	}
	x.fail(c.Location, "there is no variable %s", strings.Join(parts, "."))
	return val{}
}

// expanded is a list of expressions where r.* stands for the fields of r, as in VALUES and
// ROW.
func (x *ex) expanded(list []*pg.Node) []*pg.Node {
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
func (x *ex) fieldNames(parts []string, loc int32) []string {
	var cols []colDef
	if s := x.sourceNamed(parts); s != nil {
		cols = s.cols
	} else if v, ok := x.variable(parts, loc); ok && v.record {
		cols = v.fields
	} else {
		x.fail(loc, "there is no table, alias or record %s", strings.Join(parts, "."))
	}
	var out []string
	for _, c := range cols {
		out = append(out, c.name)
	}
	return out
}

// unknownColumn fails, and says which columns there are.
func (x *ex) unknownColumn(parts []string, loc int32) {
	name := strings.Join(parts, ".")
	if len(parts) > 1 {
		if s := x.sourceNamed(parts[:len(parts)-1]); s != nil {
			x.fail(loc, "%s has no column %s; it has %s", s.alias, parts[len(parts)-1], columnNames(s))
		}
		x.fail(loc, "there is no table, alias or variable %s in %s", strings.Join(parts[:len(parts)-1], "."), name)
	}
	x.fail(loc, "there is no column or variable %s", name)
}

func columnNames(s *rowSource) string {
	var out []string
	for _, c := range s.cols {
		out = append(out, c.name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (x *ex) sourceNamed(parts []string) *rowSource {
	for i := len(x.levels) - 1; i >= 0; i-- {
		for _, s := range x.levels[i].sources {
			if s.called(parts) {
				return s
			}
		}
	}
	return nil
}

// called reports whether a source has this possibly schema-qualified name.
func (s *rowSource) called(parts []string) bool {
	if len(parts) == 1 {
		return s.alias == parts[0]
	}
	if s.table == nil || s.table.Rel == nil || len(parts) < 2 {
		return false
	}
	n := len(parts)
	return s.table.Rel.Schema() == parts[n-2] && s.table.Rel.Own() == parts[n-1]
}

// resolve finds what a name means; ok is false when nothing has it.
func (x *ex) resolve(parts []string, loc int32) (val, bool) {
	col, isCol := x.column(parts, loc)
	v, isVar := x.variable(parts, loc)
	switch {
	case isCol && isVar && x.f != nil && !x.f.sqlLang && x.f.conflict != "use_column":
		if x.f.conflict == "use_variable" {
			return v, true
		}
		name := strings.Join(parts, ".")
		x.fail(loc, "%s is ambiguous: it could be a variable of %s or a column; qualify it with the table's or the function's name", name, x.f.fn.Name)
	case isCol:
		return col, true
	}
	return v, isVar
}

// column looks for a column in the queries around the expression.
func (x *ex) column(parts []string, loc int32) (val, bool) {
	for i := len(x.levels) - 1; i >= 0; i-- {
		lv := x.levels[i]
		var found *colDef
		if s := lv.placed(parts); s != nil && x.tid {
			lv.used = lv.used || i < len(x.levels)-1
			return s.ctid(), true
		}
		for _, s := range lv.sources {
			switch {
			case len(parts) == 1:
				if c := s.col(parts[0]); c != nil && !s.hidden[parts[0]] {
					if found != nil {
						x.fail(loc, "column %s is ambiguous: several tables have it; write the table's name before it", parts[0])
					}
					found = c
				}
			case s.called(parts[:len(parts)-1]):
				found = s.col(parts[len(parts)-1])
				if found == nil && s.table != nil && systemColumns[parts[len(parts)-1]] {
					panic(schema.Unmodelled{Reason: "the system column " + parts[len(parts)-1]})
				}
			}
		}
		if found != nil {
			if i < len(x.levels)-1 {
				lv.used = true
			}
			x.noTid(found.t)
			return val{e: found.e, t: found.t, nn: found.nn}, true
		}
		if len(parts) == 1 {
			for _, s := range lv.sources {
				if s.alias == parts[0] {
					lv.used = lv.used || i < len(x.levels)-1
					return val{t: schema.TRecord, fields: s.cols, record: true}, true
				}
			}
			if systemColumns[parts[0]] && len(lv.sources) > 0 && (x.f == nil || !x.f.scope.known(parts[0])) {
				panic(schema.Unmodelled{Reason: "the system column " + parts[0]})
			}
		}
	}
	return val{}, false
}

// placed gives the source of which parts name the ctid, nil if they name something else.
func (lv *level) placed(parts []string) *rowSource {
	n := len(parts) - 1
	if parts[n] != "ctid" {
		return nil
	}
	for _, s := range lv.sources {
		if s.table == nil || s.row == "" || s.col("ctid") != nil {
			continue
		}
		if n == 0 && len(lv.sources) == 1 || n > 0 && s.called(parts[:n]) {
			return s
		}
	}
	return nil
}

var systemColumns = map[string]bool{"ctid": true, "xmin": true, "xmax": true, "cmin": true, "cmax": true, "tableoid": true}

// variable looks for a variable or parameter.
func (x *ex) variable(parts []string, loc int32) (val, bool) {
	if x.f == nil {
		return val{}, false
	}
	v, f := x.f.scope.find(parts)
	switch {
	case v == nil:
		return val{}, false
	case f != nil:
		return f.col().val(), true
	case v.isRecord && len(parts) > 1 && parts[len(parts)-1] != v.name:
		if len(v.fields) == 0 || v.lost {
			x.unmodelled("record %s, whose fields are not known here", v.name)
		}
		x.fail(loc, "record %s has no field %s", v.name, parts[len(parts)-1])
	}
	return v.value(), true
}

// value is the value of a variable.
func (v *variable) value() val {
	if !v.isRecord {
		return val{e: v.expr(), t: v.t, nn: v.nn, given: v.given}
	}
	out := val{t: schema.TRecord, record: true}
	for _, f := range v.fields {
		out.fields = append(out.fields, f.col())
	}
	return out
}

// expr is the value of a variable that is no record.
func (v *variable) expr() ir.Expr {
	if v.bound != nil {
		return v.bound
	}
	return ir.V(v.local)
}

func (x *ex) paramRef(p *pg.ParamRef) val {
	if x.f == nil || p.Number < 1 || int(p.Number) > len(x.f.inputs) {
		x.fail(p.Location, "there is no parameter $%d", p.Number)
	}
	return x.f.inputs[p.Number-1].value()
}
