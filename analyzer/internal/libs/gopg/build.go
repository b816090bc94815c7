package gopg

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/quote"
)

// statement is a draft with the table that it is about, nil if it has no model; many says
// that the model is a slice, row is the struct that the model is, nil if it is not known.
type statement struct {
	*draft
	t    *table
	many bool
	row  *memory.Cell
}

// statement finds out what a draft is about.
func (in *run) statement(d *draft) *statement {
	s := &statement{draft: d}
	if d.model == nil {
		return s
	}
	s.t, s.many = in.lib.tableOf(d.model.T)
	if p, ok := d.model.V.(*memory.Pointer); ok && !s.many && s.t != nil && !memory.IsTrue(p.Nil()) {
		s.row, _ = in.StructCell(p)
	}
	return s
}

// known reports whether the text of a statement can be given.
func (s *statement) known() bool {
	return s.lost == "" && (s.t == nil || s.t.odd == "") && (s.t != nil || len(s.tables) > 0)
}

// why says why the text of a statement is not known, "" where its form may be.
func (s *statement) why() string {
	switch {
	case s.lost != "":
		return s.lost
	case s.t != nil && s.t.odd != "":
		return s.t.odd
	case s.t == nil && len(s.tables) == 0:
		return "a query of go-pg whose table is not known"
	}
	return ""
}

// plainTables gives the tables that a statement names, nil for all.
func (s *statement) plainTables() []string {
	if s.t == nil || s.t.odd != "" || len(s.tables)+len(s.joins) > 0 || s.further {
		return nil
	}
	return []string{s.t.plain}
}

// from gives the tables, each with its alias.
func (s *statement) from() sqltext.Fragment {
	var list []sqltext.Fragment
	if s.t != nil {
		list = append(list, sqltext.Frag(s.t.name+" AS "+s.t.alias))
	}
	return sqltext.Join(append(list, s.tables...), ", ")
}

// target gives the table that a statement writes.
func (s *statement) target(alias bool) sqltext.Fragment {
	if s.t == nil {
		return s.tables[0]
	}
	if alias && s.t.alias != s.t.name {
		return sqltext.Frag(s.t.name + " AS " + s.t.alias)
	}
	return sqltext.Frag(s.t.name)
}

// others are the tables beside the one that a statement writes.
func (s *statement) others() []sqltext.Fragment {
	if s.t == nil {
		return s.tables[1:]
	}
	return s.tables
}

// condition gives the text of the conditions, "" if there are none.
func (in *run) condition(s *statement) (f sqltext.Fragment, ok bool) {
	where := s.where
	if s.byKey {
		if slices.ContainsFunc(where, func(c sqltext.Cond) bool { return c.Or }) { // what OR stands between depends on the order
			return f, false
		}
		for _, k := range s.t.keys() {
			v, known := in.FieldAt(s.model.V, k.path)
			if !known {
				return f, false
			}
			c := sqltext.NewCond(sqltext.Frag(s.t.alias + "." + k.column + " = ").Plus(in.stored(v, k)))
			where = append(where[:len(where):len(where)], c)
		}
	}
	f, _, some := sqltext.WhereOf(where)
	if s.t == nil || s.t.deleted == nil || s.withDeleted {
		return f, true
	}
	alive := s.t.alias + "." + s.t.deleted.column + " IS NULL"
	if s.onlyDeleted {
		alive = s.t.alias + "." + s.t.deleted.column + " IS NOT NULL"
	}
	if !some {
		return sqltext.Frag(alive), true
	}
	return sqltext.Frag("(").Plus(f, sqltext.Frag(") AND "+alive)), true
}

// selection says what a query asks for instead of its columns, if not "".
type selection struct {
	columns   string
	unordered bool // without ORDER BY
	bare      bool // and without LIMIT, OFFSET and locks
	one       bool // LIMIT 1
}

// selectText gives the text of a query. ok is false if it is not known.
func (in *run) selectText(s *statement, o selection) (sqltext.Fragment, bool) {
	if !s.known() {
		return sqltext.Fragment{}, false
	}
	where, ok := in.condition(s)
	if !ok {
		return sqltext.Fragment{}, false
	}
	out := sqltext.Frag("SELECT ")
	if s.distinct {
		out.Text += "DISTINCT "
	}
	out = out.Plus(s.columnsText(o), sqltext.Frag(" FROM "), s.from())
	for _, j := range s.joins {
		out = out.Plus(sqltext.Frag(" "), j)
	}
	if where.Text != "" {
		out = out.Plus(sqltext.Frag(" WHERE "), where)
	}
	if len(s.group) > 0 {
		out = out.Plus(sqltext.Frag(" GROUP BY "), sqltext.Join(s.group, ", "))
	}
	if h, _, ok := sqltext.WhereOf(s.having); ok {
		out = out.Plus(sqltext.Frag(" HAVING "), h)
	}
	if len(s.order) > 0 && !o.bare && !o.unordered {
		out = out.Plus(sqltext.Frag(" ORDER BY "), sqltext.Join(s.order, ", "))
	}
	switch {
	case o.one:
		out.Text += " LIMIT 1"
	case s.limit != nil && !o.bare:
		out = out.Plus(sqltext.Frag(" LIMIT "), in.Number(s.limit))
	}
	if s.offset != nil && !o.bare {
		out = out.Plus(sqltext.Frag(" OFFSET "), in.Number(s.offset))
	}
	if s.lock != nil && !o.bare {
		out = out.Plus(sqltext.Frag(" FOR "), *s.lock)
	}
	return out, true
}

// columnsText gives what stands behind SELECT.
func (s *statement) columnsText(o selection) sqltext.Fragment {
	switch {
	case o.columns != "":
		return sqltext.Frag(o.columns)
	case len(s.columns) > 0:
		var list []sqltext.Fragment
		for _, c := range s.columns {
			if c.expr != nil {
				list = append(list, *c.expr)
			} else {
				list = append(list, sqltext.Frag(columnRef(c.name)))
			}
		}
		return sqltext.Join(list, ", ")
	case s.t != nil:
		return sqltext.Frag(columnList(s.t.alias+".", s.t.fields))
	}
	return sqltext.Frag("*")
}

// columnRef gives a name of a column as Column and Order write it: alias.name, or alias.*.
func columnRef(name string) string {
	if lead, ok := strings.CutSuffix(name, ".*"); ok {
		return quote.Name(lead) + ".*"
	}
	if name == "*" {
		return name
	}
	return quote.Name(name)
}

// chosen are the fields that Column names, or else all. ok is false where it names what is
// no field, or an expression.
func (s *statement) chosen(all []*field) (list []*field, ok bool) {
	for _, c := range s.columns {
		f := s.t.field(c.name)
		if c.expr != nil || f == nil {
			return nil, false
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return all, true
	}
	return list, true
}

// valueOf gives the text that Value gives for a column, if it does.
func (s *statement) valueOf(name string) (sqltext.Fragment, bool) {
	at := slices.IndexFunc(s.values, func(x sqltext.Setting) bool { return x.Name == name })
	if at < 0 {
		return sqltext.Fragment{}, false
	}
	return s.values[at].Value.(*sqltext.Raw).F, true
}

// inserted is a column of an INSERT: a value, "DEFAULT" where the field is zero, and the
// condition under which it is not.
type inserted struct {
	f      *field
	value  sqltext.Fragment
	set    client.Expr
	absent bool
}

// maxUnclear bounds the columns of an INSERT of which it is not known whether they have a
// value: there is a statement for each choice of them.
const maxUnclear = 4

// insertion gives the columns of an INSERT of a struct.
func (in *run) insertion(s *statement) (cols []inserted, ok bool) {
	fields, ok := s.chosen(s.t.fields)
	if !ok || s.row == nil || len(s.others()) > 0 {
		return nil, false
	}
	unclear := 0
	for _, f := range fields {
		if given, ok := s.valueOf(f.name); ok {
			cols = append(cols, inserted{f: f, value: given})
			continue
		}
		c := memory.PartAt(s.row, f.path)
		if c == nil {
			return nil, false
		}
		v := in.Load(c)
		x := inserted{f: f}
		if !f.useZero || f.hasDefault {
			nz := in.NonZero(v, f.t)
			is, known := in.Known(nz)
			switch {
			case !known:
				unclear++
				x.set = nz
			case !is:
				x.absent = true
			}
		}
		x.value = in.ParamOf(in.param(memory.Box{V: v, T: f.t}))
		cols = append(cols, x)
	}
	return cols, unclear <= maxUnclear
}

// insertText gives the text of an INSERT, with the fields that it gives back.
func (in *run) insertText(s *statement, cols []inserted) (text sqltext.Fragment, back []*field) {
	out := sqltext.Frag("INSERT INTO ").Plus(s.target(s.conflict != nil))
	var names []string
	var vals []sqltext.Fragment
	for _, x := range cols {
		names = append(names, x.f.column)
		_, given := s.valueOf(x.f.name)
		if x.absent || given {
			back = append(back, x.f)
		}
		if x.absent {
			vals = append(vals, sqltext.Frag("DEFAULT"))
		} else {
			vals = append(vals, x.value)
		}
	}
	out = out.Plus(sqltext.Frag(" ("+strings.Join(names, ", ")+") VALUES ("), sqltext.Join(vals, ", "), sqltext.Frag(")"))
	if s.conflict != nil {
		out = out.Plus(sqltext.Frag(" ON CONFLICT "), *s.conflict)
		if s.updatesOnConflict() {
			out = out.Plus(in.conflictSet(s))
		}
	}
	if len(s.returning) > 0 {
		return out.Plus(s.returningText()), nil
	}
	if len(back) > 0 {
		out.Text += " RETURNING " + columnList("", back)
	}
	return out, back
}

// updatesOnConflict reports whether ON CONFLICT ends with DO UPDATE.
func (d *draft) updatesOnConflict() bool {
	return d.conflict != nil && strings.HasSuffix(strings.ToUpper(d.conflict.Text), "DO UPDATE")
}

// conflictSet gives what stands behind DO UPDATE.
func (in *run) conflictSet(s *statement) sqltext.Fragment {
	out := sqltext.Frag(" SET ")
	if len(s.set) > 0 {
		out = out.Plus(sqltext.Join(s.set, ", "))
	} else {
		fields, _ := s.chosen(s.t.data())
		var sets []string
		for _, f := range fields {
			if !f.key {
				sets = append(sets, f.column+" = EXCLUDED."+f.column)
			}
		}
		out.Text += strings.Join(sets, ", ")
	}
	if w, _, ok := sqltext.WhereOf(s.updateWhere); ok {
		out = out.Plus(sqltext.Frag(" WHERE "), w)
	}
	return out
}

// returns reports whether rows come back from a write.
func (s *statement) returns() bool {
	return len(s.returning) > 1 || len(s.returning) == 1 && !strings.EqualFold(s.returning[0].Text, "null")
}

func (s *statement) returningText() sqltext.Fragment {
	if !s.returns() {
		return sqltext.Fragment{}
	}
	return sqltext.Frag(" RETURNING ").Plus(sqltext.Join(s.returning, ", "))
}

// updateText gives the text of an UPDATE; omitZero leaves out fields that are zero. ok is
// false if it is not known.
func (in *run) updateText(s *statement, omitZero bool) (f sqltext.Fragment, ok bool) {
	if !s.known() || s.many || len(s.joins) > 0 || s.withDeleted && s.t != nil && s.t.deleted == nil {
		return f, false
	}
	where, ok := in.condition(s)
	if !ok || len(s.where) == 0 && !s.byKey {
		return f, false
	}
	sets := s.set
	if len(sets) == 0 {
		if sets, ok = in.rowSets(s, omitZero); !ok {
			return f, false
		}
	}
	out := sqltext.Frag("UPDATE ").Plus(s.target(true), sqltext.Frag(" SET "), sqltext.Join(sets, ", "))
	if others := s.others(); len(others) > 0 {
		out = out.Plus(sqltext.Frag(" FROM "), sqltext.Join(others, ", "))
	}
	return out.Plus(sqltext.Frag(" WHERE "), where, s.returningText()), true
}

// rowSets gives what an UPDATE sets of a struct.
func (in *run) rowSets(s *statement, omitZero bool) (sets []sqltext.Fragment, ok bool) {
	if s.t == nil || s.row == nil {
		return nil, false
	}
	fields, ok := s.chosen(s.t.data())
	if !ok {
		return nil, false
	}
	for _, f := range fields {
		c := memory.PartAt(s.row, f.path)
		if c == nil {
			return nil, false
		}
		v := in.Load(c)
		value, given := s.valueOf(f.name)
		if !given {
			value = in.stored(v, f)
		}
		if omitZero && !f.useZero {
			nz := in.NonZero(v, f.t)
			is, known := in.Known(nz)
			switch {
			case known && !is:
				continue
			case !known:
				value = sqltext.Frag("CASE WHEN "+sqltext.ParamMark+" THEN ", memory.Of(nz, client.Bool)).Plus(value, sqltext.Frag(" ELSE "+s.t.alias+"."+f.column+" END"))
			}
		}
		sets = append(sets, sqltext.Frag(f.column+" = ").Plus(value))
	}
	return sets, len(sets) > 0
}

// deleteText gives the text of a DELETE. ok is false if it is not known.
func (in *run) deleteText(s *statement) (f sqltext.Fragment, ok bool) {
	if !s.known() || s.many || s.t == nil || len(s.joins) > 0 {
		return f, false
	}
	where, ok := in.condition(s)
	if !ok || len(s.where) == 0 && !s.byKey {
		return f, false
	}
	out := sqltext.Frag("DELETE FROM ").Plus(s.target(true))
	if others := s.others(); len(others) > 0 {
		out = out.Plus(sqltext.Frag(" USING "), sqltext.Join(others, ", "))
	}
	return out.Plus(sqltext.Frag(" WHERE "), where, s.returningText()), true
}
