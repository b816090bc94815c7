package gorm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// conditions gives the condition that the arguments of Where and the like mean,
// if there is one. table is what columns get in front.
func (in *run) conditions(args []memory.Value) (sqltext.Cond, bool) {
	if len(args) == 0 {
		return sqltext.Cond{}, false
	}
	query := args[0]
	var rest []memory.Value
	for _, a := range args[1:] {
		list, ok := in.ListOf(a)
		if !ok {
			in.EmitValue(a)
			return lostCond(), true
		}
		rest = append(rest, list...)
	}
	if text, ok := memory.ConstText(query); ok {
		if c, done := in.textCond(text, rest); done {
			return c, c.ID != nil
		}
		if _, err := strconv.Atoi(text); err != nil {
			return lostCond(), true
		}
	} else if s, isScalar := memory.Unbox(query).(memory.Scalar); isScalar && s.Kind == client.Text {
		for _, v := range append(rest, query) {
			in.EmitValue(v)
		}
		return lostCond(), true
	}
	return in.valueConds(append([]memory.Value{query}, rest...))
}

func lostCond() sqltext.Cond {
	c := sqltext.NewCond(sqltext.Frag(client.Hole))
	c.Raw = true
	return c
}

// textCond is a condition that begins with a text. done is false for a number,
// which is a key.
func (in *run) textCond(text string, args []memory.Value) (c sqltext.Cond, done bool) {
	if _, err := strconv.Atoi(text); err == nil {
		return sqltext.Cond{}, false
	}
	switch {
	case text == "" && len(args) == 0:
		return sqltext.Cond{}, true
	case len(args) == 0, strings.Contains(text, "?"), strings.Contains(text, "@"), strings.Contains(strings.TrimSpace(text), " "):
		c = sqltext.NewCond(in.Filled(text, args))
		c.Raw = true
		return c, true
	case len(args) == 1:
		return in.equalCond([]sqltext.Setting{{Name: text, Value: args[0]}}, ""), true
	}
	return sqltext.Cond{}, false
}

// valueConds gives the condition that structs, maps, keys and other statements
// mean.
func (in *run) valueConds(args []memory.Value) (sqltext.Cond, bool) {
	var all []sqltext.Cond
	var keys []memory.Value
	for i, a := range args {
		if memory.IsNilValue(memory.Unbox(a)) {
			continue
		}
		list, ok := in.condsOf(a, args[i+1:], i == 0)
		switch {
		case !ok:
			keys = append(keys, a)
		case list == nil:
			return lostCond(), true
		}
		all = append(all, list...)
	}
	if len(keys) > 0 && len(all) == 0 {
		c, ok := in.keyCond(keys)
		if !ok {
			return sqltext.Cond{}, false
		}
		all = append(all, c)
	}
	switch len(all) {
	case 0:
		return sqltext.Cond{}, false
	case 1:
		return all[0], true
	}
	f, perhaps, ok := sqltext.WhereOf(all)
	if !ok {
		return lostCond(), true
	}
	c := sqltext.NewCond(sqltext.Frag("(").Plus(f, sqltext.Frag(")")))
	c.Perhaps = perhaps
	for _, a := range all {
		c.Sets = append(c.Sets, a.Sets...)
	}
	return c, true
}

// condsOf gives the condition that a struct, a map or another statement means: an empty
// list if there is none, nil if it is not known. rest are the arguments behind the value,
// which may be the first one. ok is false for other values.
func (in *run) condsOf(a memory.Value, rest []memory.Value, first bool) (list []sqltext.Cond, ok bool) {
	switch x := memory.Unbox(a).(type) {
	case *chain:
		return in.chainConds(x), true
	case *memory.Dict:
		entries, known := in.EntriesOf(x)
		if !known {
			return nil, true
		}
		var sets []sqltext.Setting
		for _, e := range entries {
			sets = append(sets, sqltext.Setting{Name: e.Key, Value: e.V, When: e.When})
		}
		return in.equalConds(sets), true
	case *sqltext.Raw:
		c := sqltext.NewCond(x.F)
		c.Raw = true
		return []sqltext.Cond{c}, true
	case *memory.Aggregate, *memory.Pointer:
		if c, ok := in.clauseCond(x); ok {
			return []sqltext.Cond{c}, true
		}
		m := in.modelOf(a)
		if m == nil {
			return nil, false
		}
		var only []string
		for _, o := range rest {
			if s, ok := memory.ConstText(o); ok && first {
				only = append(only, s)
			}
		}
		sets, known := in.structSets(a, m, only)
		if !known {
			return nil, true
		}
		return in.equalConds(sets), true
	}
	return nil, false
}

// equalConds compares columns with values, if there are any.
func (in *run) equalConds(sets []sqltext.Setting) []sqltext.Cond {
	if len(sets) == 0 {
		return []sqltext.Cond{}
	}
	return []sqltext.Cond{in.equalCond(sets, sqltext.PrefixMark)}
}

// chainConds gives the conditions of another statement as one, if it has any.
func (in *run) chainConds(c *chain) []sqltext.Cond {
	d := draftOf(in.Memory, c)
	f, perhaps, ok := sqltext.WhereOf(d.where)
	switch {
	case d.lost != "":
		return []sqltext.Cond{lostCond()}
	case !ok:
		return []sqltext.Cond{}
	}
	out := sqltext.NewCond(f)
	out.Perhaps = perhaps
	if len(d.where) > 1 {
		out.F = sqltext.Frag("(").Plus(f, sqltext.Frag(")"))
	}
	return []sqltext.Cond{out}
}

// keyCond compares the primary key with values.
func (in *run) keyCond(keys []memory.Value) (sqltext.Cond, bool) {
	if len(keys) == 1 {
		if b, ok := keys[0].(memory.Box); ok && gotypes.IsList(b.T) {
			if list, known := in.ListOf(b); known {
				if len(list) == 0 {
					return sqltext.Cond{}, false
				}
				keys = list
			} else {
				// Without elements there is no condition.
				s := in.ScalarOf(b)
				some := memory.Of(client.V(in.NewVar("some", client.Bool, false, memory.Unknown)), client.Bool)
				c := sqltext.NewCond(sqltext.Frag("(NOT "+sqltext.ParamMark+" OR "+sqltext.PrefixMark+sqltext.KeyMark+" = ANY("+sqltext.ParamMark+"))", some, s))
				c.Perhaps = true
				return c, true
			}
		}
	}
	if len(keys) == 1 {
		return sqltext.NewCond(sqltext.Frag(sqltext.PrefixMark + sqltext.KeyMark + " = ").Plus(in.ParamOf(keys[0]))), true
	}
	return sqltext.NewCond(sqltext.Frag(sqltext.PrefixMark + sqltext.KeyMark + " IN ").Plus(in.Listed(keys, ""))), true
}

// equalCond compares columns with values. prefix stands before names without a
// dot.
func (in *run) equalCond(sets []sqltext.Setting, prefix string) sqltext.Cond {
	var texts, nots []sqltext.Fragment
	c := sqltext.NewCond(sqltext.Fragment{})
	for _, s := range sets {
		name := columnName(s.Name)
		if prefix != "" && !strings.Contains(s.Name, ".") {
			name = prefix + name
		}
		f, not := in.EqualTo(name, s.Value)
		if s.When != nil {
			c.Perhaps = true
			f = sqltext.Frag("(NOT "+sqltext.ParamMark+" OR ", memory.Of(s.When, client.Bool)).Plus(f, sqltext.Frag(")"))
			not = sqltext.Frag("(NOT "+sqltext.ParamMark+" OR ", memory.Of(s.When, client.Bool)).Plus(not, sqltext.Frag(")"))
		}
		texts, nots = append(texts, f), append(nots, not)
	}
	c.F, c.Sets = sqltext.Join(texts, " AND "), sets
	n := sqltext.Join(nots, " AND ")
	if len(sets) > 1 {
		c.F, n = sqltext.Frag("(").Plus(c.F, sqltext.Frag(")")), sqltext.Frag("(").Plus(n, sqltext.Frag(")"))
	}
	c.Not = &n
	return c
}

// operators are the conditions of package clause that compare a column.
var operators = map[string][2]string{
	"gorm.io/gorm/clause.Eq": {" = ", " <> "}, "gorm.io/gorm/clause.Neq": {" <> ", " = "},
	"gorm.io/gorm/clause.Gt": {" > ", " <= "}, "gorm.io/gorm/clause.Gte": {" >= ", " < "},
	"gorm.io/gorm/clause.Lt": {" < ", " >= "}, "gorm.io/gorm/clause.Lte": {" <= ", " > "},
	"gorm.io/gorm/clause.Like": {" LIKE ", " NOT LIKE "}, "gorm.io/gorm/clause.IN": {" IN ", " NOT IN "},
}

// clauseCond is a condition of package clause. ok is false for values of other
// types.
func (in *run) clauseCond(v memory.Value) (sqltext.Cond, bool) {
	a, ok := in.StructOf(v)
	if !ok {
		return sqltext.Cond{}, false
	}
	name := gotypes.TypeName(a.T)
	if !strings.HasPrefix(name, "gorm.io/gorm/clause.") {
		return sqltext.Cond{}, false
	}
	if f, ok := in.clauseExpr(a); ok {
		c := sqltext.NewCond(f)
		c.Raw = true
		return c, true
	}
	op, known := operators[name]
	if !known || len(a.Parts) != 2 {
		in.EmitValue(a)
		return lostCond(), true
	}
	col, ok := memory.ConstText(a.Parts[0])
	text := columnName(col)
	if !ok {
		c, isColumn := memory.Unbox(a.Parts[0]).(*memory.Aggregate)
		if !isColumn {
			in.EmitValue(a)
			return lostCond(), true
		}
		f, _ := in.clauseExpr(c)
		text = f.Text
	}
	if op[0] == " IN " {
		list, ok := in.ListOf(a.Parts[1])
		if !ok {
			in.EmitValue(a)
			return lostCond(), true
		}
		l := in.Listed(list, "")
		c := sqltext.NewCond(sqltext.Frag(text + " IN ").Plus(l))
		n := sqltext.Frag(text + " NOT IN ").Plus(l)
		c.Not = &n
		return c, true
	}
	var c sqltext.Cond
	if op[0] == " = " || op[0] == " <> " {
		f, n := in.EqualTo(text, a.Parts[1])
		if op[0] == " <> " {
			f, n = n, f
		}
		c = sqltext.NewCond(f)
		c.Not = &n
		if op[0] == " = " {
			c.Sets = []sqltext.Setting{{Name: col, Value: a.Parts[1]}}
		}
		return c, true
	}
	g := in.ParamOf(a.Parts[1])
	n := sqltext.Frag(text + op[1]).Plus(g)
	c = sqltext.NewCond(sqltext.Frag(text + op[0]).Plus(g))
	c.Not = &n
	return c, true
}

// negated is the condition of Not.
func negated(c sqltext.Cond) sqltext.Cond {
	out := sqltext.NewCond(sqltext.Fragment{})
	out.Perhaps = c.Perhaps
	switch {
	case c.Not != nil:
		out.F = *c.Not
	case c.Raw && sqltext.HasJunction(c.F.Text):
		out.F = sqltext.Frag("NOT (").Plus(c.F, sqltext.Frag(")"))
	default:
		out.F = sqltext.Frag("NOT ").Plus(c.F)
	}
	return out
}

// modelOf gives the model that a value, as an argument, is of; nil if it is none.
func (in *run) modelOf(v memory.Value) *gormmodel.Model {
	r := memory.RefTo(v)
	if r.T == nil {
		if a, ok := r.V.(*memory.Aggregate); ok {
			r.T = a.T
		}
	}
	if r.T == nil {
		return nil
	}
	return in.lib.models().Model(r.T)
}

// structSets gives the columns of a struct that are not zero, or (only) those with
// the names. ok is false if the struct is not known.
func (in *run) structSets(v memory.Value, m *gormmodel.Model, only []string) (sets []sqltext.Setting, ok bool) {
	if m.Odd != "" {
		return nil, false
	}
	for _, f := range m.Fields {
		chosen := slices.Contains(only, f.Column) || slices.Contains(only, f.Name)
		if !chosen && (only != nil || !f.Read) {
			continue
		}
		w, ok := in.FieldAt(v, f.Path)
		if !ok {
			return nil, false
		}
		when := client.Expr(client.True)
		if !chosen {
			when = in.NonZero(w, f.Type)
		}
		if is, known := in.Known(when); known {
			if !is {
				continue
			}
			when = nil
		}
		sets = append(sets, sqltext.Setting{Name: f.Column, Value: memory.Box{V: w, T: f.Type}, When: when})
	}
	return sets, true
}
