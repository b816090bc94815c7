package analyzer

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// cond is a condition of a statement.
type cond struct {
	// id tells conditions apart.
	id *int
	f  fragment
	// not is the opposite, if the condition has one that GORM writes by itself.
	not *fragment
	// or says that OR stands before it, raw that the program wrote the text.
	or, raw bool
	// when, if not nil, says whether the condition is there; perhaps says the same of
	// parts of it, by conditions that the text has.
	when    client.Expr
	perhaps bool
	// sets are the columns that it compares with values.
	sets []setting
}

// setting is a value for a column or field. when, if not nil, says whether it is
// there.
type setting struct {
	name string
	v    value
	when client.Expr
}

func newCond(f fragment) cond { return cond{id: new(int), f: f} }

// conditions gives the condition that the arguments of Where and the like mean,
// if there is one. table is what columns get in front.
func (in *interp) conditions(args []value) (cond, bool) {
	if len(args) == 0 {
		return cond{}, false
	}
	query := args[0]
	var rest []value
	for _, a := range args[1:] {
		list, ok := in.listOf(a)
		if !ok {
			in.emitValue(a)
			return lostCond(), true
		}
		rest = append(rest, list...)
	}
	if text, ok := constText(query); ok {
		if c, done := in.textCond(text, rest); done {
			return c, c.id != nil
		}
		if _, err := strconv.Atoi(text); err != nil {
			return lostCond(), true
		}
	} else if s, isScalar := unbox(query).(scalar); isScalar && s.kind == client.Text {
		for _, v := range append(rest, query) {
			in.emitValue(v)
		}
		return lostCond(), true
	}
	return in.valueConds(append([]value{query}, rest...))
}

func lostCond() cond {
	c := newCond(frag(client.Hole))
	c.raw = true
	return c
}

// textCond is a condition that begins with a text. done is false for a number,
// which is a key.
func (in *interp) textCond(text string, args []value) (c cond, done bool) {
	if _, err := strconv.Atoi(text); err == nil {
		return cond{}, false
	}
	switch {
	case text == "" && len(args) == 0:
		return cond{}, true
	case len(args) == 0, strings.Contains(text, "?"), strings.Contains(text, "@"), strings.Contains(strings.TrimSpace(text), " "):
		c = newCond(in.filled(text, args))
		c.raw = true
		return c, true
	case len(args) == 1:
		return in.equalCond([]setting{{name: text, v: args[0]}}, ""), true
	}
	return cond{}, false
}

// valueConds gives the condition that structs, maps, keys and other statements
// mean.
func (in *interp) valueConds(args []value) (cond, bool) {
	var all []cond
	var keys []value
	for i, a := range args {
		x := unbox(a)
		if isNilValue(x) {
			continue
		}
		switch x := x.(type) {
		case *chain:
			d := in.draftOf(x)
			f, perhaps, ok := whereOf(d.where)
			if d.lost != "" {
				all = append(all, lostCond())
			} else if ok {
				c := newCond(f)
				c.raw, c.perhaps = len(d.where) > 1, perhaps
				if len(d.where) > 1 {
					c.f = frag("(").plus(f, frag(")"))
					c.raw = false
				}
				all = append(all, c)
			}
			continue
		case *dict:
			list, known := in.entriesOf(x)
			if !known {
				return lostCond(), true
			}
			var sets []setting
			for _, e := range list {
				sets = append(sets, setting{e.key, e.v, e.when})
			}
			if len(sets) > 0 {
				all = append(all, in.equalCond(sets, prefixMark))
			}
			continue
		case *rawSQL:
			c := newCond(x.f)
			c.raw = true
			all = append(all, c)
			continue
		case *aggregate, *pointer:
			if c, ok := in.clauseCond(x); ok {
				all = append(all, c)
				continue
			}
			if m := in.modelOf(a); m != nil {
				var only []string
				if i == 0 {
					for _, o := range args[1:] {
						if s, ok := constText(o); ok {
							only = append(only, s)
						}
					}
				}
				sets, ok := in.structSets(a, m, only)
				if !ok {
					return lostCond(), true
				}
				if len(sets) > 0 {
					all = append(all, in.equalCond(sets, prefixMark))
				}
				if only != nil {
					args = args[:1]
				}
				continue
			}
		}
		keys = append(keys, a)
	}
	if len(keys) > 0 && len(all) == 0 {
		c, ok := in.keyCond(keys)
		if !ok {
			return cond{}, false
		}
		all = append(all, c)
	}
	switch len(all) {
	case 0:
		return cond{}, false
	case 1:
		return all[0], true
	}
	f, perhaps, ok := whereOf(all)
	if !ok {
		return lostCond(), true
	}
	c := newCond(frag("(").plus(f, frag(")")))
	c.perhaps = perhaps
	for _, a := range all {
		c.sets = append(c.sets, a.sets...)
	}
	return c, true
}

// keyCond compares the primary key with values.
func (in *interp) keyCond(keys []value) (cond, bool) {
	if len(keys) == 1 {
		if b, ok := keys[0].(box); ok && isList(b.t) {
			if list, known := in.listOf(b); known {
				if len(list) == 0 {
					return cond{}, false
				}
				keys = list
			} else {
				// Without elements there is no condition.
				s := in.scalarOf(b)
				some := scalar{client.V(in.newVar("some", client.Bool, false, unknown)), client.Bool}
				c := newCond(frag("(NOT "+paramMark+" OR "+prefixMark+keyMark+" = ANY("+paramMark+"))", some, s))
				c.perhaps = true
				return c, true
			}
		}
	}
	if len(keys) == 1 {
		return newCond(frag(prefixMark + keyMark + " = ").plus(in.paramOf(keys[0]))), true
	}
	return newCond(frag(prefixMark + keyMark + " IN ").plus(in.listed(keys, ""))), true
}

func (in *interp) paramOf(v value) fragment {
	f, _ := in.param(v, "")
	return f
}

// equalCond compares columns with values. prefix stands before names without a
// dot.
func (in *interp) equalCond(sets []setting, prefix string) cond {
	var texts, nots []fragment
	c := newCond(fragment{})
	for _, s := range sets {
		name := columnName(s.name)
		if prefix != "" && !strings.Contains(s.name, ".") {
			name = prefix + name
		}
		f, not := in.equalTo(name, s.v)
		if s.when != nil {
			c.perhaps = true
			f = frag("(NOT "+paramMark+" OR ", scalar{s.when, client.Bool}).plus(f, frag(")"))
			not = frag("(NOT "+paramMark+" OR ", scalar{s.when, client.Bool}).plus(not, frag(")"))
		}
		texts, nots = append(texts, f), append(nots, not)
	}
	c.f, c.sets = joinFragments(texts, " AND "), sets
	n := joinFragments(nots, " AND ")
	if len(sets) > 1 {
		c.f, n = frag("(").plus(c.f, frag(")")), frag("(").plus(n, frag(")"))
	}
	c.not = &n
	return c
}

// equalTo compares a column with a value, and the opposite.
func (in *interp) equalTo(name string, v value) (f, opposite fragment) {
	if b, ok := v.(box); ok && isList(b.t) {
		if list, known := in.listOf(v); known {
			l := in.listed(list, "")
			return frag(name + " IN ").plus(l), frag(name + " NOT IN ").plus(l)
		}
		s := in.scalarOf(v)
		return frag(name+" = ANY("+paramMark+")", s), frag(name+" <> ALL("+paramMark+")", s)
	}
	x := unbox(v)
	null := client.Expr(client.False)
	switch p := x.(type) {
	case *pointer:
		null = p.nil()
	case *aggregate:
		if at, ok := optionalValue(p.t); ok {
			null = client.Not(in.scalarOf(p.parts[at[1]]).e)
		}
	case scalar:
		if isNilValue(p) {
			null = client.True
		}
	}
	if is, known := in.known(null); known {
		if is {
			return frag(name + " IS NULL"), frag(name + " IS NOT NULL")
		}
		g := in.paramOf(v)
		return frag(name + " = ").plus(g), frag(name + " <> ").plus(g)
	}
	g := in.paramOf(v)
	return frag(name + " IS NOT DISTINCT FROM ").plus(g), frag(name + " IS DISTINCT FROM ").plus(g)
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
func (in *interp) clauseCond(v value) (cond, bool) {
	a, ok := in.structOf(v)
	if !ok {
		return cond{}, false
	}
	name := typeName(a.t)
	if !strings.HasPrefix(name, "gorm.io/gorm/clause.") {
		return cond{}, false
	}
	if f, ok := in.clauseExpr(a); ok {
		c := newCond(f)
		c.raw = true
		return c, true
	}
	op, known := operators[name]
	if !known || len(a.parts) != 2 {
		in.emitValue(a)
		return lostCond(), true
	}
	col, ok := constText(a.parts[0])
	text := columnName(col)
	if !ok {
		c, isColumn := unbox(a.parts[0]).(*aggregate)
		if !isColumn {
			in.emitValue(a)
			return lostCond(), true
		}
		f, _ := in.clauseExpr(c)
		text = f.text
	}
	if op[0] == " IN " {
		list, ok := in.listOf(a.parts[1])
		if !ok {
			in.emitValue(a)
			return lostCond(), true
		}
		l := in.listed(list, "")
		c := newCond(frag(text + " IN ").plus(l))
		n := frag(text + " NOT IN ").plus(l)
		c.not = &n
		return c, true
	}
	var c cond
	if op[0] == " = " || op[0] == " <> " {
		f, n := in.equalTo(text, a.parts[1])
		if op[0] == " <> " {
			f, n = n, f
		}
		c = newCond(f)
		c.not = &n
		if op[0] == " = " {
			c.sets = []setting{{name: col, v: a.parts[1]}}
		}
		return c, true
	}
	g := in.paramOf(a.parts[1])
	n := frag(text + op[1]).plus(g)
	c = newCond(frag(text + op[0]).plus(g))
	c.not = &n
	return c, true
}

// negated is the condition of Not.
func negated(c cond) cond {
	out := newCond(fragment{})
	out.perhaps = c.perhaps
	switch {
	case c.not != nil:
		out.f = *c.not
	case c.raw && hasJunction(c.f.text):
		out.f = frag("NOT (").plus(c.f, frag(")"))
	default:
		out.f = frag("NOT ").plus(c.f)
	}
	return out
}

// hasJunction reports whether GORM puts parentheses around a text because of AND
// or OR in it.
func hasJunction(text string) bool {
	text = strings.ToUpper(text)
	return strings.Contains(text, " AND ") || strings.Contains(text, " OR ") || strings.Contains(text, client.Hole)
}

// whereOf joins conditions. ok is false if there are none; perhaps says that there
// may be none when the statement is sent.
func whereOf(list []cond) (f fragment, perhaps, ok bool) {
	if len(list) == 0 {
		return fragment{}, false, false
	}
	// The first one that OR does not stand before comes first.
	list = slices.Clone(list)
	if at := slices.IndexFunc(list, func(c cond) bool { return !c.or }); at > 0 {
		list[0], list[at] = list[at], list[0]
	}
	someOr := slices.ContainsFunc(list[1:], func(c cond) bool { return c.or })
	sure := false
	for i, c := range list {
		if c.when == nil && !c.perhaps {
			sure = true
		} else if someOr { // what is absent changes what OR stands between
			return frag(client.Hole), true, true
		}
		if i > 0 {
			if c.or {
				f = f.plus(frag(" OR "))
			} else {
				f = f.plus(frag(" AND "))
			}
		}
		g := c.f
		if c.raw && (len(list) > 1 || c.when != nil) && hasJunction(g.text) && g.text != client.Hole {
			g = frag("(").plus(g, frag(")"))
		}
		if c.when != nil {
			g = frag("(NOT "+paramMark+" OR ", scalar{c.when, client.Bool}).plus(g, frag(")"))
		}
		f = f.plus(g)
	}
	return f, !sure, true
}

// modelOf gives the model that a value, as an argument, is of; nil if it is none.
func (in *interp) modelOf(v value) *gormmodel.Model {
	r := refTo(v)
	if r.t == nil {
		if a, ok := r.v.(*aggregate); ok {
			r.t = a.t
		}
	}
	if r.t == nil {
		return nil
	}
	return in.p.models().Model(r.t)
}

// structSets gives the columns of a struct that are not zero, or (only) those with
// the names. ok is false if the struct is not known.
func (in *interp) structSets(v value, m *gormmodel.Model, only []string) (sets []setting, ok bool) {
	if m.Odd != "" {
		return nil, false
	}
	for _, f := range m.Fields {
		chosen := slices.Contains(only, f.Column) || slices.Contains(only, f.Name)
		if !chosen && (only != nil || !f.Read) {
			continue
		}
		w, ok := in.fieldOf(v, f)
		if !ok {
			return nil, false
		}
		when := client.Expr(client.True)
		if !chosen {
			when = in.nonZero(w, f.Type)
		}
		if is, known := in.known(when); known {
			if !is {
				continue
			}
			when = nil
		}
		sets = append(sets, setting{name: f.Column, v: box{w, f.Type}, when: when})
	}
	return sets, true
}

// fieldOf gives what a field of a struct, or of what a pointer points to, holds.
func (in *interp) fieldOf(v value, f *gormmodel.Field) (value, bool) {
	switch x := unbox(v).(type) {
	case *pointer:
		if inner, ok := in.structCell(x); ok {
			if c := partAt(inner, f.Path); c != nil {
				return in.load(c), true
			}
		}
	case *aggregate:
		var w value = x
		for _, i := range f.Path {
			a, ok := w.(*aggregate)
			if !ok || i >= len(a.parts) {
				return nil, false
			}
			w = a.parts[i]
		}
		return w, true
	}
	return nil, false
}

// structCell gives the struct that a pointer, or a pointer to one, points to.
func (in *interp) structCell(p *pointer) (*cell, bool) {
	for range 3 {
		if _, ok := p.to.t.Underlying().(*types.Struct); ok {
			return p.to, true
		}
		q, ok := unbox(in.load(p.to)).(*pointer)
		if !ok || isTrue(q.nil()) {
			return nil, false
		}
		p = q
	}
	return nil, false
}

// partAt gives the cell of a field of an embedded struct, nil if it is not kept
// apart.
func partAt(c *cell, path []int) *cell {
	for _, i := range path {
		if c = c.part(i); c == nil {
			return nil
		}
	}
	return c
}

// nonZero says when a value of a type is not the zero value.
func (in *interp) nonZero(v value, t types.Type) client.Expr {
	switch x := unbox(v).(type) {
	case *pointer:
		if x.isNil == nil && x.to.start == given { // taken not to be nil elsewhere
			return client.V(in.newVar("set", client.Bool, false, unknown))
		}
		return in.settled(client.Not(x.nil()))
	case *aggregate:
		if at, ok := optionalValue(x.t); ok {
			return in.settled(in.truthOf(x.parts[at[1]]))
		}
		ts, _ := parts(x.t)
		var all []client.Expr
		for i, p := range x.parts {
			all = append(all, in.nonZero(p, ts[i]))
		}
		return in.settled(client.Or(all...))
	case scalar:
		if c, ok := x.e.(*client.Const); ok {
			return client.C(ir.Bool(!c.Value.IsNull() && c.Value != zeroOf(t)))
		}
		if name, ok := x.e.(*client.VarExpr); ok {
			if found, isKey := in.keys[name.Name]; isKey {
				return in.settled(found)
			}
		}
		switch x.kind {
		case client.Int, client.Float:
			return op("!=", x.e, constInt(0))
		case client.Text:
			return op("!=", x.e, client.C(ir.Text("")))
		case client.Bool:
			return in.settled(x.e)
		}
		if in.given(x.e) && !nullable(t) { // the zero time, or the zero UUID
			return client.V(in.newVar("set", client.Bool, false, unknown))
		}
		return client.Not(op("null", x.e))
	case *list:
		return client.C(ir.Bool(len(x.elems) > 0)) // an empty list that is not nil is rare
	case *handle, *chain, *dict, *grown, span, *closure:
		return client.True
	}
	return client.V(in.newVar("set", client.Bool, false, unknown))
}
