package analyzer

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// subject is what a statement of GORM is about.
type subject struct {
	d *draft
	// m is the model whose table it is, nil if the table has a name of its own.
	m *gormmodel.Model
	// dest is the struct that rows go to, or come from; destModel its model.
	dest      *cell
	destModel *gormmodel.Model
	// destType is the type of what the argument points to.
	destType types.Type
}

// subjectOf finds out what a statement is about; dest is the argument of the call
// that sends it, nil for none.
func (in *interp) subjectOf(d *draft, dest value) *subject {
	s := &subject{d: d}
	if dest != nil {
		r := refTo(dest)
		s.destType = r.t
		if p, ok := r.v.(*pointer); ok {
			if s.destType == nil || types.IsInterface(s.destType) {
				s.destType = types.NewPointer(p.to.t)
			}
			s.dest, _ = in.structCell(p)
		}
		if s.destType != nil {
			s.destModel = in.p.models().Model(s.destType)
		}
	}
	s.m = s.destModel
	defer func() {
		if d.table == "" && d.raw == nil && !d.badTable {
			in.p.noteModel(s.m, in.p.position(in.pos), false)
		}
	}()
	if d.model != nil {
		s.m = nil
		if d.model.t != nil {
			s.m = in.p.models().Model(d.model.t)
		}
	}
	return s
}

// from gives the text for the table, and the name that its columns have in front.
// ok is false if the table is not known.
func (s *subject) from() (text fragment, alias string, ok bool) {
	d := s.d
	switch {
	case d.badTable:
		return fragment{}, "", false
	case d.table != "":
		return fragment{d.table, d.tableArg}, d.alias, true
	case s.m == nil || s.m.Table == "":
		return fragment{}, "", false
	}
	return frag(gormmodel.QuoteTable(s.m.Table)), s.m.Table[strings.LastIndexByte(s.m.Table, '.')+1:], true
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
func (s *subject) softDelete(where []cond) []cond {
	if s.m == nil || s.m.Deleted == nil || s.d.unscoped {
		return where
	}
	if slices.ContainsFunc(where, func(c cond) bool { return c.or }) {
		if f, perhaps, ok := whereOf(where); ok {
			c := newCond(frag("(").plus(f, frag(")")))
			c.perhaps = perhaps
			where = []cond{c}
		}
	}
	return append(where[:len(where):len(where)], newCond(frag(prefixMark+gormmodel.Quote(s.m.Deleted.Column)+" IS NULL")))
}

// reading says how a query is sent.
type reading struct {
	one    bool     // LIMIT 1
	must   bool     // no row is an error
	last   bool     // the last row by key
	byKey  bool     // in the order of the key
	column fragment // instead of the columns, if not ""
	plain  bool     // without ORDER BY
	// noKeys says that the keys of the destination are no conditions, reset that it
	// becomes zero before a row goes there.
	noKeys, reset bool
}

// selectText gives the text of the query. ok is false if its table is not known.
func (in *interp) selectText(s *subject, o reading) (fragment, bool) {
	d := s.d
	if d.raw != nil {
		return *d.raw, true
	}
	from, alias, ok := s.from()
	if !ok {
		return fragment{}, false
	}
	where := s.softDelete(d.where)
	if s.m != nil && s.dest != nil && s.destModel == s.m && !o.noKeys {
		where = in.withKeys(s, where)
	}
	out := frag("SELECT ")
	if d.distinct {
		out.text += "DISTINCT "
	}
	out = out.plus(in.columnsOf(s, o, alias), frag(" FROM "), from)
	for _, name := range d.related {
		f, ok := in.relatedJoin(s, name, alias)
		if !ok {
			return fragment{}, false
		}
		out = out.plus(f)
	}
	for _, j := range d.joins {
		out = out.plus(frag(" "), j)
	}
	if d.lost != "" {
		out.text += " WHERE " + client.Hole
	} else if w, _, ok := whereOf(where); ok {
		out = out.plus(frag(" WHERE "), w)
	}
	if d.group != "" {
		out.text += " GROUP BY " + d.group
		if h, _, ok := whereOf(d.having); ok {
			out = out.plus(frag(" HAVING "), h)
		}
	}
	order := d.order
	if o.byKey {
		text := prefixMark + keyMark
		if o.last {
			text += " DESC"
		}
		order = append(order[:len(order):len(order)], frag(text))
	}
	if len(order) > 0 && (!o.plain || d.group != "") {
		out = out.plus(frag(" ORDER BY "), joinFragments(order, ", "))
	}
	switch {
	case o.one:
		out.text += " LIMIT 1"
	case d.limit != nil:
		out = out.plus(frag(" LIMIT "), in.number(d.limit))
	}
	if d.offset != nil {
		out = out.plus(frag(" OFFSET "), in.number(d.offset))
	}
	if d.locks != "" {
		out.text += " " + d.locks
	}
	return out.named(s.marks()), true
}

// number gives the text for a number.
func (in *interp) number(v value) fragment {
	if c, ok := constOf(v); ok && c.Kind == ir.KindInt {
		return frag(itoa(int(c.I)))
	}
	return frag(paramMark, in.scalarOf(v))
}

// withKeys adds the keys of the destination that are not zero.
func (in *interp) withKeys(s *subject, where []cond) []cond {
	for _, k := range s.m.Keys {
		c := partAt(s.dest, k.Path)
		if c == nil {
			continue
		}
		v := in.load(c)
		when := in.nonZero(v, k.Type)
		if is, known := in.known(when); known {
			if !is {
				continue
			}
			when = nil
		}
		f, _ := in.equalTo(prefixMark+gormmodel.Quote(k.Column), box{v, k.Type})
		w := newCond(f)
		w.when = when
		where = append(where[:len(where):len(where)], w)
	}
	return where
}

// columnsOf gives what stands behind SELECT.
func (in *interp) columnsOf(s *subject, o reading, alias string) fragment {
	d := s.d
	switch {
	case d.columns != nil:
		return *d.columns
	case o.column.text != "" && (len(d.selects) != 1 || o.plain):
		return o.column
	case len(d.selects) > 0:
		var list []string
		for _, name := range d.selects {
			if s.m != nil && s.m.Field(name) != nil {
				name = gormmodel.Quote(s.m.Field(name).Column)
			}
			list = append(list, name)
		}
		return frag(strings.Join(list, ", "))
	case len(d.omits) > 0 && s.m != nil:
		var list []string
		for _, f := range s.m.Fields {
			if !slices.Contains(d.omits, f.Column) && !slices.Contains(d.omits, f.Name) {
				list = append(list, prefixMark+gormmodel.Quote(f.Column))
			}
		}
		return frag(strings.Join(list, ", "))
	case s.m != nil && s.destModel != nil && s.destModel != s.m:
		var list []string
		for _, f := range s.destModel.Fields {
			list = append(list, prefixMark+gormmodel.Quote(f.Column))
		}
		return frag(strings.Join(list, ", "))
	case len(d.joins)+len(d.related) > 0 && s.m != nil:
		return frag(prefixMark + "*")
	}
	return frag("*")
}

// relatedJoin gives the join with the table of a relation.
func (in *interp) relatedJoin(s *subject, text, alias string) (fragment, bool) {
	i := strings.LastIndexByte(text, ' ')
	kind, name := text[:i], text[i+1:]
	if s.m == nil {
		return fragment{}, false
	}
	r := s.m.Relation(name)
	if r == nil {
		return frag(" " + name), true // a text after all
	}
	other := in.p.models().Model(r.Other)
	if r.Kind != gormmodel.BelongsTo && r.Kind != gormmodel.HasOne || other == nil || other.Table == "" {
		return fragment{}, false
	}
	q := gormmodel.Quote(name)
	var on []string
	for i := range r.Own {
		on = append(on, prefixMark+gormmodel.Quote(r.Own[i])+" = "+q+"."+gormmodel.Quote(r.Theirs[i]))
	}
	if other.Deleted != nil {
		on = append(on, q+"."+gormmodel.Quote(other.Deleted.Column)+" IS NULL")
	}
	return frag(" " + kind + " " + gormmodel.QuoteTable(other.Table) + " " + q + " ON " + strings.Join(on, " AND ")), true
}

// subquery gives the text of a chain that stands in another statement.
func (in *interp) subquery(c *chain) fragment {
	s := in.subjectOf(in.draftOf(c), nil)
	f, ok := in.selectText(s, reading{})
	if !ok {
		return frag(client.Hole)
	}
	return f
}

// read sends a query, and takes its rows to dest.
func (in *interp) read(r *chain, dest value, o reading) {
	d := in.draftOf(r)
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
	rs := in.sendText(r.h, f)
	in.receive(r, s, rs, dest, o)
}

// sendText makes the query of a statement.
func (in *interp) sendText(h *handle, f fragment) *rows {
	text, args := f.numbered()
	rs := in.statement(h, scalar{client.C(ir.Text(text)), client.Text}, args, f.holed(), nil)
	rs.query.Standard = true
	return rs
}

// lostRead is a query that is not modelled.
func (in *interp) lostRead(r *chain, s *subject, dest value, why string) {
	in.anything(r.h, s.tables(), true, why)
	if dest != nil {
		in.expose(dest)
	}
	in.setResult(r, in.someError(), in.someCount())
}

// setResult sets Error and RowsAffected.
func (in *interp) setResult(r *chain, err *failure, count value) {
	if in.st == nil {
		return
	}
	in.st.mem[r.err] = err
	if count != nil {
		in.st.mem[r.count] = count
	}
}

// receive takes the rows of a query to dest.
func (in *interp) receive(r *chain, s *subject, rs *rows, dest value, o reading) {
	p, isPointer := unbox(dest).(*pointer)
	if !isPointer {
		rs.query.Returned = true
		in.execute(rs)
		in.expose(dest)
		in.setResult(r, in.rowsError(rs, o), in.someCount())
		return
	}
	if _, isSlice := p.to.t.Underlying().(*types.Slice); isSlice && isList(p.to.t) {
		count := in.counted(rs)
		in.all(rs, dest)
		in.setResult(r, in.rowsError(rs, o), count)
		in.preload(r, s, nil)
		in.hook(r, s, "AfterFind")
		return
	}
	rs.one = true
	in.execute(rs)
	if q, ok := p.to.t.Underlying().(*types.Pointer); ok && s.dest == nil { // a pointer to a struct, or to a value
		c := in.newCell(q.Elem(), "row", zeroed)
		in.store(p.to, &pointer{to: c})
		p = &pointer{to: c}
		if _, isStruct := q.Elem().Underlying().(*types.Struct); isStruct {
			s.dest = c
		}
	}
	if o.reset && rs.mine && s.dest != nil && !same(in.load(s.dest), in.zero(s.dest.t)) {
		in.either(in.found(rs), func() { in.store(s.dest, in.zero(s.dest.t)) }, func() {})
	}
	var err value
	if s.dest != nil && !isTime(s.dest.t) && !storable(s.dest.t) {
		err = in.takeRow(rs, &pointer{to: s.dest}, s)
	} else {
		err = in.scan(rs, []value{p})
	}
	f, ok := err.(*failure)
	if !ok {
		f = &failure{}
	}
	if !rs.mine {
		in.setResult(r, in.rowsError(rs, o), in.someCount())
		in.preload(r, s, nil)
		return
	}
	found := in.found(rs)
	if o.must {
		f = &failure{noRows: client.Not(found), other: f.other}
	} else {
		f = &failure{other: f.other}
	}
	in.setResult(r, f, in.choice(found, scalar{constInt(1), client.Int}, scalar{constInt(0), client.Int}))
	if len(s.d.preloads) > 0 || in.hasHook(s, "AfterFind") {
		in.either(found, func() {
			in.preload(r, s, s.dest)
			in.hook(r, s, "AfterFind")
		}, func() {})
	}
}

// rowsError is the error of a query whose rows are not looked at one by one.
func (in *interp) rowsError(rs *rows, o reading) *failure {
	switch {
	case !o.must:
		return &failure{}
	case !rs.mine:
		return in.someError()
	}
	return &failure{noRows: client.Not(in.found(rs))}
}

// counted gives the number of rows of a query.
func (in *interp) counted(rs *rows) value {
	if !rs.mine {
		return in.someCount()
	}
	rs.query.Count = in.temp("affected", client.Int, false)
	return scalar{client.V(rs.query.Count), client.Int}
}

// choice is one of two values, as a condition says.
func (in *interp) choice(cond client.Expr, a, b scalar) value {
	if is, known := in.known(cond); known {
		if is {
			return a
		}
		return b
	}
	null := a.kind == client.Any || isNilValue(a) || isNilValue(b)
	v := in.temp("v", a.kind, null)
	in.emit(&client.If{At: in.at(), Cond: cond, Then: []client.Stmt{&client.Assign{At: in.at(), Var: v, Expr: a.e}},
		Else: []client.Stmt{&client.Assign{At: in.at(), Var: v, Expr: b.e}}})
	in.noteChoice(v, cond, a, b)
	return scalar{client.V(v), a.kind}
}

// takeRow stores the row of a query in a struct, by the names of its columns. A
// NULL makes a field zero.
func (in *interp) takeRow(rs *rows, p *pointer, s *subject) value {
	c, ok := in.structCell(p)
	if !ok {
		rs.query.Returned = true
		in.expose(p)
		return in.someError()
	}
	m := in.p.models().Model(c.t)
	if m == nil {
		rs.query.Returned = true
		in.forget(c)
		return in.someError()
	}
	var only []string
	if s != nil {
		only = selected(s)
	}
	for _, f := range m.Fields {
		if !f.Read || only != nil && !slices.Contains(only, f.Column) && !slices.Contains(only, f.Name) {
			continue
		}
		fc := partAt(c, f.Path)
		if fc == nil {
			rs.query.Returned = true
			continue
		}
		if !rs.mine {
			in.forget(fc)
			continue
		}
		in.takeColumn(rs, fc, f)
	}
	if s != nil && len(s.d.related) > 0 {
		rs.query.Returned = true
		for _, r := range m.Relations {
			joined := func(text string) bool { return strings.HasSuffix(text, " "+r.Name) }
			if rc := partAt(c, r.Path); rc != nil && slices.ContainsFunc(s.d.related, joined) {
				in.forget(rc)
			}
		}
	}
	return &failure{}
}

// takeColumn stores a column in a field.
func (in *interp) takeColumn(rs *rows, c *cell, f *gormmodel.Field) {
	k, null := destination(c.t)
	may := !null && !f.Key && !f.NotNull && kindOf(c.t) != client.Time
	v := in.temp(c.name, k, null || may || k == client.Time)
	rs.query.ByName = append(rs.query.ByName, client.Arg{Name: f.Column, Expr: client.V(v)})
	if f.Key && rs.one {
		in.keys[v] = in.found(rs)
	}
	if may {
		w := in.temp(c.name, k, false)
		in.emit(&client.If{At: in.at(), Cond: op("null", client.V(v)),
			Then: []client.Stmt{&client.Assign{At: in.at(), Var: w, Expr: client.C(zeroOf(c.t))}},
			Else: []client.Stmt{&client.Assign{At: in.at(), Var: w, Expr: client.V(v)}}})
		v = w
	}
	in.arrive(rs, c, v)
}

// columnWord matches what a column of a query is called: the last name of it.
var columnWord = regexp.MustCompile(`(?i)(?:^|[\s.)"])"?(\w+)"?\s*$`)

// selected gives the names of the columns that Select names, nil for all.
func selected(s *subject) []string {
	texts := s.d.selects
	if s.d.columns != nil {
		texts = []string{s.d.columns.text}
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
