package gorm

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// subject is what a statement of GORM is about.
type subject struct {
	d *draft
	// m is the model whose table it is, nil if the table has a name of its own.
	m *gormmodel.Model
	// dest is the struct that rows go to, or come from; destModel its model.
	dest      *memory.Cell
	destModel *gormmodel.Model
	// destType is the type of what the argument points to.
	destType types.Type
}

// subjectOf finds out what a statement is about; dest is the argument of the call
// that sends it, nil for none.
func (in *run) subjectOf(d *draft, dest memory.Value) *subject {
	s := &subject{d: d}
	if dest != nil {
		r := memory.RefTo(dest)
		s.destType = r.T
		if p, ok := r.V.(*memory.Pointer); ok {
			if s.destType == nil || types.IsInterface(s.destType) {
				s.destType = types.NewPointer(p.To.T)
			}
			s.dest, _ = in.StructCell(p)
		}
		if s.destType != nil {
			s.destModel = in.lib.models().Model(s.destType)
		}
	}
	s.m = s.destModel
	defer func() {
		if d.table == "" && d.raw == nil && !d.badTable {
			in.lib.noteModel(s.m, in.Here(), false)
		}
	}()
	if d.model != nil {
		s.m = nil
		if d.model.T != nil {
			s.m = in.lib.models().Model(d.model.T)
		}
	}
	return s
}

// from gives the text for the table, and the name that its columns have in front.
// ok is false if the table is not known.
func (s *subject) from() (text sqltext.Fragment, alias string, ok bool) {
	d := s.d
	switch {
	case d.badTable:
		return sqltext.Fragment{}, "", false
	case d.table != "":
		return sqltext.Fragment{Text: d.table, Args: d.tableArg}, d.alias, true
	case s.m == nil || s.m.Table == "":
		return sqltext.Fragment{}, "", false
	}
	return sqltext.Frag(gormmodel.QuoteTable(s.m.Table)), s.m.Table[strings.LastIndexByte(s.m.Table, '.')+1:], true
}

// tables gives the tables that a statement names, as far as that is known; nil for
// all.
func (s *subject) tables() []string {
	if s.d.badTable || s.d.table != "" || s.m == nil || s.m.Table == "" || len(s.d.joins) > 0 || s.d.raw != nil {
		return nil
	}
	return []string{s.m.Table}
}

// marks gives what takes the place of prefixMark and keyMark.
func (s *subject) marks() (prefix, key string) {
	_, alias, _ := s.from()
	if alias != "" {
		prefix = gormmodel.Quote(alias) + "."
	}
	key = client.Hole
	if s.m != nil && s.m.Key() != nil {
		key = gormmodel.Quote(s.m.Key().Column)
	}
	return prefix, key
}

// softDelete adds the condition that a row is not deleted.
func (s *subject) softDelete(where []sqltext.Cond) []sqltext.Cond {
	if s.m == nil || s.m.Deleted == nil || s.d.unscoped {
		return where
	}
	if slices.ContainsFunc(where, func(c sqltext.Cond) bool { return c.Or }) {
		if f, perhaps, ok := sqltext.WhereOf(where); ok {
			c := sqltext.NewCond(sqltext.Frag("(").Plus(f, sqltext.Frag(")")))
			c.Perhaps = perhaps
			where = []sqltext.Cond{c}
		}
	}
	return append(where[:len(where):len(where)], sqltext.NewCond(sqltext.Frag(sqltext.PrefixMark+gormmodel.Quote(s.m.Deleted.Column)+" IS NULL")))
}

// reading says how a query is sent.
type reading struct {
	one    bool             // LIMIT 1
	must   bool             // no row is an error
	last   bool             // the last row by key
	byKey  bool             // in the order of the key
	column sqltext.Fragment // instead of the columns, if not ""
	plain  bool             // without ORDER BY
	// noKeys says that the keys of the destination are no conditions, reset that it
	// becomes zero before a row goes there.
	noKeys, reset bool
}

// selectText gives the text of the query. ok is false if its table is not known.
func (in *run) selectText(s *subject, o reading) (sqltext.Fragment, bool) {
	d := s.d
	if d.raw != nil {
		return *d.raw, true
	}
	from, alias, ok := s.from()
	if !ok {
		return sqltext.Fragment{}, false
	}
	where := s.softDelete(d.where)
	if s.m != nil && s.dest != nil && s.destModel == s.m && !o.noKeys {
		where = in.withKeys(s, where)
	}
	out := sqltext.Frag("SELECT ")
	if d.distinct {
		out.Text += "DISTINCT "
	}
	out = out.Plus(in.columnsOf(s, o, alias), sqltext.Frag(" FROM "), from)
	for _, name := range d.related {
		f, ok := in.relatedJoin(s, name, alias)
		if !ok {
			return sqltext.Fragment{}, false
		}
		out = out.Plus(f)
	}
	for _, j := range d.joins {
		out = out.Plus(sqltext.Frag(" "), j)
	}
	if d.lost != "" {
		out.Text += " WHERE " + client.Hole
	} else if w, _, ok := sqltext.WhereOf(where); ok {
		out = out.Plus(sqltext.Frag(" WHERE "), w)
	}
	if d.group != "" {
		out.Text += " GROUP BY " + d.group
		if h, _, ok := sqltext.WhereOf(d.having); ok {
			out = out.Plus(sqltext.Frag(" HAVING "), h)
		}
	}
	order := d.order
	if o.byKey {
		text := sqltext.PrefixMark + sqltext.KeyMark
		if o.last {
			text += " DESC"
		}
		order = append(order[:len(order):len(order)], sqltext.Frag(text))
	}
	if len(order) > 0 && (!o.plain || d.group != "") {
		out = out.Plus(sqltext.Frag(" ORDER BY "), sqltext.Join(order, ", "))
	}
	switch {
	case o.one:
		out.Text += " LIMIT 1"
	case d.limit != nil:
		out = out.Plus(sqltext.Frag(" LIMIT "), in.Number(d.limit))
	}
	if d.offset != nil {
		out = out.Plus(sqltext.Frag(" OFFSET "), in.Number(d.offset))
	}
	if d.locks != "" {
		out.Text += " " + d.locks
	}
	return out.Named(s.marks()), true
}

// withKeys adds the keys of the destination that are not zero.
func (in *run) withKeys(s *subject, where []sqltext.Cond) []sqltext.Cond {
	for _, k := range s.m.Keys {
		c := memory.PartAt(s.dest, k.Path)
		if c == nil {
			continue
		}
		v := in.Load(c)
		when := in.NonZero(v, k.Type)
		if is, known := in.Known(when); known {
			if !is {
				continue
			}
			when = nil
		}
		f, _ := in.EqualTo(sqltext.PrefixMark+gormmodel.Quote(k.Column), memory.Box{V: v, T: k.Type})
		w := sqltext.NewCond(f)
		w.When = when
		where = append(where[:len(where):len(where)], w)
	}
	return where
}

// columnsOf gives what stands behind SELECT.
func (in *run) columnsOf(s *subject, o reading, alias string) sqltext.Fragment {
	d := s.d
	switch {
	case d.columns != nil:
		return *d.columns
	case o.column.Text != "" && (len(d.selects) != 1 || o.plain):
		return o.column
	case len(d.selects) > 0:
		var list []string
		for _, name := range d.selects {
			if s.m != nil && s.m.Field(name) != nil {
				name = gormmodel.Quote(s.m.Field(name).Column)
			}
			list = append(list, name)
		}
		return sqltext.Frag(strings.Join(list, ", "))
	case len(d.omits) > 0 && s.m != nil:
		var list []string
		for _, f := range s.m.Fields {
			if !slices.Contains(d.omits, f.Column) && !slices.Contains(d.omits, f.Name) {
				list = append(list, sqltext.PrefixMark+gormmodel.Quote(f.Column))
			}
		}
		return sqltext.Frag(strings.Join(list, ", "))
	case s.m != nil && s.destModel != nil && s.destModel != s.m:
		var list []string
		for _, f := range s.destModel.Fields {
			list = append(list, sqltext.PrefixMark+gormmodel.Quote(f.Column))
		}
		return sqltext.Frag(strings.Join(list, ", "))
	case len(d.joins)+len(d.related) > 0 && s.m != nil:
		return sqltext.Frag(sqltext.PrefixMark + "*")
	}
	return sqltext.Frag("*")
}

// relatedJoin gives the join with the table of a relation.
func (in *run) relatedJoin(s *subject, text, alias string) (sqltext.Fragment, bool) {
	i := strings.LastIndexByte(text, ' ')
	kind, name := text[:i], text[i+1:]
	if s.m == nil {
		return sqltext.Fragment{}, false
	}
	r := s.m.Relation(name)
	if r == nil {
		return sqltext.Frag(" " + name), true // a text after all
	}
	other := in.lib.models().Model(r.Other)
	if r.Kind != gormmodel.BelongsTo && r.Kind != gormmodel.HasOne || other == nil || other.Table == "" {
		return sqltext.Fragment{}, false
	}
	q := gormmodel.Quote(name)
	var on []string
	for i := range r.Own {
		on = append(on, sqltext.PrefixMark+gormmodel.Quote(r.Own[i])+" = "+q+"."+gormmodel.Quote(r.Theirs[i]))
	}
	if other.Deleted != nil {
		on = append(on, q+"."+gormmodel.Quote(other.Deleted.Column)+" IS NULL")
	}
	return sqltext.Frag(" " + kind + " " + gormmodel.QuoteTable(other.Table) + " " + q + " ON " + strings.Join(on, " AND ")), true
}

// subquery gives the text of a chain that stands in another statement.
func (in *run) subquery(c *chain) sqltext.Fragment {
	s := in.subjectOf(draftOf(in.Memory, c), nil)
	f, ok := in.selectText(s, reading{})
	if !ok {
		return sqltext.Frag(client.Hole)
	}
	return f
}

// read sends a query, and takes its rows to dest.
func (in *run) read(r *chain, dest memory.Value, o reading) {
	d := draftOf(in.Memory, r)
	s := in.subjectOf(d, dest)
	if s.m != nil && s.m.Odd != "" {
		in.lostRead(r, s, dest, s.m.Odd)
		return
	}
	f, ok := in.selectText(s, o)
	if !ok {
		in.lostRead(r, s, dest, "a query of GORM whose table is not known")
		return
	}
	rs := in.SendText(r.h, f)
	in.receive(r, s, rs, dest, o)
}

// lostRead is a query that is not modelled.
func (in *run) lostRead(r *chain, s *subject, dest memory.Value, why string) {
	in.Anything(r.h, s.tables(), true, why)
	if dest != nil {
		in.Expose(dest)
	}
	in.setResult(r, in.SomeError(), in.SomeCount())
}

// setResult sets Error and RowsAffected.
func (in *run) setResult(r *chain, err *memory.Failure, count memory.Value) {
	if !in.Reached() {
		return
	}
	in.Put(r.err, in.OrFails(r.h, err))
	if count != nil {
		in.Put(r.count, count)
	}
}

// receive takes the rows of a query to dest.
func (in *run) receive(r *chain, s *subject, rs *memory.Rows, dest memory.Value, o reading) {
	p, isPointer := memory.Unbox(dest).(*memory.Pointer)
	if !isPointer {
		rs.Query.Returned = true
		in.Execute(rs)
		in.Expose(dest)
		in.setResult(r, in.rowsError(rs, o), in.SomeCount())
		return
	}
	if _, isSlice := p.To.T.Underlying().(*types.Slice); isSlice && gotypes.IsList(p.To.T) {
		if in.gathered(r, s, rs, p, o) {
			return
		}
		count := in.Counted(rs)
		in.All(rs, dest)
		in.setResult(r, in.rowsError(rs, o), count)
		in.preload(r, s, nil)
		in.hook(r, s, "AfterFind")
		return
	}
	rs.One = true
	in.Execute(rs)
	if q, ok := p.To.T.Underlying().(*types.Pointer); ok && s.dest == nil { // a pointer to a struct, or to a value
		c := in.NewCell(q.Elem(), "row", memory.Zeroed)
		in.Store(p.To, &memory.Pointer{To: c})
		p = &memory.Pointer{To: c}
		if _, isStruct := q.Elem().Underlying().(*types.Struct); isStruct {
			s.dest = c
		}
	}
	if o.reset && rs.Mine && s.dest != nil && !memory.Same(in.Load(s.dest), in.Zero(s.dest.T)) {
		in.Either(in.Found(rs), func() { in.Store(s.dest, in.Zero(s.dest.T)) }, func() {})
	}
	var err memory.Value
	if s.dest != nil && !gotypes.IsTime(s.dest.T) && !gotypes.Storable(s.dest.T) {
		err = in.takeRow(rs, &memory.Pointer{To: s.dest}, s)
	} else {
		err = in.Scan(rs, []memory.Value{p})
	}
	f, ok := err.(*memory.Failure)
	if !ok {
		f = &memory.Failure{}
	}
	if !rs.Mine {
		in.setResult(r, in.rowsError(rs, o), in.SomeCount())
		in.preload(r, s, nil)
		return
	}
	found := in.Found(rs)
	if o.must {
		f = &memory.Failure{NoRows: client.Not(found), Other: f.Other}
	} else {
		f = &memory.Failure{Other: f.Other}
	}
	in.setResult(r, f, in.Choice(found, memory.Of(memory.ConstInt(1), client.Int), memory.Of(memory.ConstInt(0), client.Int)))
	if len(s.d.preloads) > 0 || in.hasHook(s, "AfterFind") {
		in.Either(found, func() {
			in.preload(r, s, s.dest)
			in.hook(r, s, "AfterFind")
		}, func() {})
	}
}

// gathered takes all rows of a query to a slice of structs, if nothing changes them after that. It reports whether it has.
func (in *run) gathered(r *chain, s *subject, rs *memory.Rows, p *memory.Pointer, o reading) bool {
	elem := p.To.T.Underlying().(*types.Slice).Elem()
	if s.m == nil || len(s.d.preloads) > 0 || len(s.d.related) > 0 || in.hasHook(s, "AfterFind") || in.lib.models().Model(elem) == nil || gotypes.IsTime(elem) || gotypes.Storable(elem) {
		return false
	}
	list, err, ok := session.Gather(in.Session, rs, p.To.T, func(p *memory.Pointer) memory.Value { return in.takeRow(rs, p, s) })
	if !ok {
		return false
	}
	in.Store(p.To, list)
	f := &memory.Failure{Other: err.Other}
	if o.must {
		f.NoRows = memory.Op("==", list.N, memory.ConstInt(0))
	}
	in.setResult(r, f, memory.Of(list.N, client.Int))
	return true
}

// rowsError is the error of a query whose rows are not looked at one by one.
func (in *run) rowsError(rs *memory.Rows, o reading) *memory.Failure {
	switch {
	case !o.must:
		return &memory.Failure{}
	case !rs.Mine:
		return in.SomeError()
	}
	return &memory.Failure{NoRows: client.Not(in.Found(rs))}
}

// takeRow stores the row of a query in a struct, by the names of its columns. A
// NULL makes a field zero.
func (in *run) takeRow(rs *memory.Rows, p *memory.Pointer, s *subject) memory.Value {
	c, ok := in.StructCell(p)
	if !ok {
		rs.Query.Returned = true
		in.Expose(p)
		return in.SomeError()
	}
	m := in.lib.models().Model(c.T)
	if m == nil {
		rs.Query.Returned = true
		in.Forget(c)
		return in.SomeError()
	}
	var only []string
	if s != nil {
		only = selected(s)
	}
	for _, f := range m.Fields {
		if !f.Read || only != nil && !slices.Contains(only, f.Column) && !slices.Contains(only, f.Name) {
			continue
		}
		fc := memory.PartAt(c, f.Path)
		if fc == nil {
			rs.Query.Returned = true
			continue
		}
		if !rs.Mine {
			in.Forget(fc)
			continue
		}
		in.TakeColumn(rs, fc, f.Column, f.Key, f.NotNull)
	}
	if s != nil && len(s.d.related) > 0 {
		rs.Query.Returned = true
		for _, r := range m.Relations {
			joined := func(text string) bool { return strings.HasSuffix(text, " "+r.Name) }
			if rc := memory.PartAt(c, r.Path); rc != nil && slices.ContainsFunc(s.d.related, joined) {
				in.Forget(rc)
			}
		}
	}
	return &memory.Failure{}
}

// columnWord matches what a column of a query is called: the last name of it.
var columnWord = regexp.MustCompile(`(?i)(?:^|[\s.)"])"?(\w+)"?\s*$`)

// selected gives the names of the columns that Select names, nil for all.
func selected(s *subject) []string {
	texts := s.d.selects
	if s.d.columns != nil {
		texts = []string{s.d.columns.Text}
	}
	if s.d.raw != nil || len(texts) == 0 {
		return nil
	}
	var out []string
	for _, t := range texts {
		for _, part := range splitTop(t) {
			part = strings.TrimSpace(part)
			if strings.HasSuffix(part, "*") || strings.Contains(part, client.Hole) {
				return nil
			}
			if f := s.field(part); f != "" {
				out = append(out, f)
			} else if m := columnWord.FindStringSubmatch(part); m != nil {
				out = append(out, m[1])
			} else if i := strings.IndexByte(part, '('); i > 0 { // a function names its column
				out = append(out, strings.ToLower(part[:i]))
			}
		}
	}
	return out
}

func (s *subject) field(name string) string {
	if s.m == nil || s.m.Field(name) == nil {
		return ""
	}
	return s.m.Field(name).Column
}

// splitTop splits a text at commas outside of parentheses.
func splitTop(text string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, text[start:i])
				start = i + 1
			}
		}
	}
	return append(out, text[start:])
}
