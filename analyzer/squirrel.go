package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// sqlBuilder is a statement that github.com/Masterminds/squirrel builds. It is
// never changed, but replaced.
type sqlBuilder struct {
	// verb is SELECT, INSERT, UPDATE or DELETE, "" for one that may become any.
	verb string
	// runner is what the statement is sent through, nil if nothing is.
	runner value
	lost   bool
	table  fragment
	// columns are those of SELECT and INSERT, sets those of UPDATE with their values.
	columns  []fragment
	sets     []setting
	rows     [][]fragment
	from     fragment // the query of INSERT
	joins    []fragment
	where    []cond
	group    []string
	having   []cond
	order    []fragment
	limit    *fragment
	offset   *fragment
	prefix   []fragment
	suffix   []fragment
	distinct bool
}

const squirrelPath = "github.com/Masterminds/squirrel"

// builderVerbs are the types of squirrel that build statements.
var builderVerbs = map[string]string{
	squirrelPath + ".StatementBuilderType": "", squirrelPath + ".SelectBuilder": "SELECT", squirrelPath + ".InsertBuilder": "INSERT",
	squirrelPath + ".UpdateBuilder": "UPDATE", squirrelPath + ".DeleteBuilder": "DELETE",
}

// isSQLBuilder reports whether a type builds statements.
func isSQLBuilder(t types.Type) bool {
	_, ok := builderVerbs[typeName(t)]
	return ok && !isPointer(t)
}

// builderSends are the methods of builders that send the statement.
var builderSends = map[string]role{
	"Exec": execRole, "ExecContext": execRole, "Query": queryRole, "QueryContext": queryRole, "QueryRow": queryRowRole,
	"QueryRowContext": queryRowRole, "Scan": getRole, "ScanContext": getRole,
}

// comparisons are the types of squirrel that are maps of columns and values.
var comparisons = map[string]string{
	squirrelPath + ".Eq": "=", squirrelPath + ".NotEq": "<>", squirrelPath + ".Lt": "<", squirrelPath + ".LtOrEq": "<=",
	squirrelPath + ".Gt": ">", squirrelPath + ".GtOrEq": ">=", squirrelPath + ".Like": "LIKE", squirrelPath + ".NotLike": "NOT LIKE",
	squirrelPath + ".ILike": "ILIKE", squirrelPath + ".NotILike": "NOT ILIKE",
}

// beginBuilder is a function of squirrel, or a method of StatementBuilderType,
// that begins a statement.
func (in *interp) beginBuilder(name string, args []value) (*sqlBuilder, bool) {
	b := &sqlBuilder{}
	switch name {
	case "Select":
		b.verb = "SELECT"
		in.addColumns(b, args)
	case "Insert", "Replace":
		b.verb, b.lost = "INSERT", name == "Replace"
	case "Update":
		b.verb = "UPDATE"
	case "Delete":
		b.verb = "DELETE"
	default:
		return nil, false
	}
	if b.verb != "SELECT" {
		b.table = in.textOr(args[0])
	}
	return b, true
}

// textOr is a text, or a part that is not known.
func (in *interp) textOr(v value) fragment {
	if s, ok := constText(v); ok {
		return frag(s)
	}
	if list := in.textsOf(in.scalarOf(v).e); len(list) == 1 {
		return frag(list[0])
	}
	return frag(client.Hole)
}

func (in *interp) addColumns(b *sqlBuilder, args []value) {
	names, known := in.textArgs(args)
	for _, n := range names {
		b.columns = append(b.columns[:len(b.columns):len(b.columns)], frag(n))
	}
	if !known {
		b.columns = append(b.columns[:len(b.columns):len(b.columns)], frag(client.Hole))
	}
}

// onBuilder is a method of a builder.
func (in *interp) onBuilder(inv *invocation, b *sqlBuilder, name string, args []value) (value, bool) {
	if r := builderSends[name]; r != unknownRole {
		return in.sendBuilder(inv, b, r, args), true
	}
	n := *b
	switch name {
	case "ToSql", "MustSql":
		return in.sqlAndArgs(inv.t, in.builderText(b)), true
	case "PlaceholderFormat":
		return b, true
	case "RunWith":
		n.runner = unbox(args[0])
		return &n, true
	}
	if b.verb == "" {
		if s, ok := in.beginBuilder(name, args); ok {
			s.runner = b.runner
			return s, true
		}
	}
	if !in.addToBuilder(&n, name, args) {
		for _, a := range args {
			in.emitValue(a)
		}
		n.lost = true
	}
	return &n, true
}

// addToBuilder adds to a statement. It reports whether the method is modelled.
func (in *interp) addToBuilder(n *sqlBuilder, name string, args []value) bool {
	add := func(to *[]fragment, f fragment) { *to = append((*to)[:len(*to):len(*to)], f) }
	withArgs := func() fragment {
		list, ok := in.listOf(args[len(args)-1])
		text, known := constText(args[0])
		if !ok || !known {
			for _, a := range args {
				in.emitValue(a)
			}
			return frag(client.Hole)
		}
		return in.filled(text, list)
	}
	switch name {
	case "From":
		if _, isSub := unbox(args[0]).(*sqlBuilder); isSub {
			return false
		}
		if n.verb == "UPDATE" {
			return false
		}
		n.table = in.textOr(args[0])
	case "Into", "Table":
		n.table = in.textOr(args[0])
	case "Columns":
		in.addColumns(n, args)
	case "Column":
		f, ok := in.predicate(args[0], args[1:])
		if !ok {
			return false
		}
		add(&n.columns, f)
	case "RemoveColumns":
		n.columns = nil
	case "Distinct":
		n.distinct = true
	case "Join", "InnerJoin":
		add(&n.joins, frag(" JOIN ").plus(withArgs()))
	case "LeftJoin":
		add(&n.joins, frag(" LEFT JOIN ").plus(withArgs()))
	case "RightJoin":
		add(&n.joins, frag(" RIGHT JOIN ").plus(withArgs()))
	case "CrossJoin":
		add(&n.joins, frag(" CROSS JOIN ").plus(withArgs()))
	case "JoinClause":
		add(&n.joins, frag(" ").plus(withArgs()))
	case "Where", "Having":
		f, ok := in.predicate(args[0], args[1:])
		if !ok {
			in.emitValue(args[0])
			f = frag(client.Hole)
		}
		c := newCond(f)
		c.raw = true
		if f.text == "" {
			return true
		}
		if name == "Having" {
			n.having = append(n.having[:len(n.having):len(n.having)], c)
		} else {
			n.where = append(n.where[:len(n.where):len(n.where)], c)
		}
	case "GroupBy":
		names, known := in.textArgs(args)
		if !known {
			return false
		}
		n.group = append(n.group[:len(n.group):len(n.group)], names...)
	case "OrderBy":
		names, known := in.textArgs(args)
		for _, s := range names {
			add(&n.order, frag(s))
		}
		if !known {
			add(&n.order, frag(client.Hole))
		}
	case "OrderByClause":
		add(&n.order, withArgs())
	case "Limit", "Offset":
		f := in.number(unbox(args[0]))
		if name == "Limit" {
			n.limit = &f
		} else {
			n.offset = &f
		}
	case "RemoveLimit":
		n.limit = nil
	case "RemoveOffset":
		n.offset = nil
	case "Prefix":
		add(&n.prefix, withArgs())
	case "Suffix":
		add(&n.suffix, withArgs())
	case "Set":
		s, ok := constText(args[0])
		if !ok {
			return false
		}
		n.sets = append(n.sets[:len(n.sets):len(n.sets)], setting{name: s, v: args[1]})
	case "SetMap":
		return in.setMap(n, args[0])
	case "Values":
		list, ok := in.listOf(args[0])
		if !ok {
			return false
		}
		var row []fragment
		for _, v := range list {
			row = append(row, in.paramOf(v))
		}
		n.rows = append(n.rows[:len(n.rows):len(n.rows)], row)
	case "Select":
		sub, ok := unbox(args[0]).(*sqlBuilder)
		if !ok || sub.lost {
			return false
		}
		n.from = in.builderText(sub)
	default:
		return false
	}
	return true
}

// setMap adds the entries of a map.
func (in *interp) setMap(n *sqlBuilder, m value) bool {
	list, ok := in.entriesOf(m)
	if !ok {
		return false
	}
	var row []fragment
	for _, e := range list {
		if n.verb == "INSERT" {
			if e.when != nil {
				return false
			}
			n.columns = append(n.columns[:len(n.columns):len(n.columns)], frag(e.key))
			row = append(row, in.paramOf(e.v))
			continue
		}
		n.sets = append(n.sets[:len(n.sets):len(n.sets)], setting{e.key, e.v, e.when})
	}
	if n.verb == "INSERT" {
		n.rows = [][]fragment{row}
	}
	return true
}

// predicate gives the text of a condition: a text with values, a map of columns,
// a list of conditions, or an expression. ok is false if it is not known.
func (in *interp) predicate(v value, rest []value) (f fragment, ok bool) {
	var args []value
	for _, a := range rest {
		l, known := in.listOf(a)
		if !known {
			in.emitValue(a)
			return fragment{}, false
		}
		args = append(args, l...)
	}
	name := ""
	if b, isBox := v.(box); isBox {
		name = typeName(b.t)
	}
	switch x := unbox(v).(type) {
	case *rawSQL:
		return x.f, true
	case *sqlBuilder:
		return frag("(").plus(in.builderText(x), frag(")")), true
	case *dict:
		compare := comparisons[name]
		if compare == "" && name == "" {
			compare = "="
		}
		list, known := in.entriesOf(x)
		if !known || compare == "" {
			return fragment{}, false
		}
		var parts []fragment
		for _, e := range list {
			g := in.comparison(e.key, compare, e.v)
			if e.when != nil {
				g = frag("(NOT "+paramMark+" OR ", scalar{e.when, client.Bool}).plus(g, frag(")"))
			}
			parts = append(parts, g)
		}
		return joinFragments(parts, " AND "), true
	case *list, span:
		sep := map[string]string{squirrelPath + ".And": " AND ", squirrelPath + ".Or": " OR "}[name]
		if sep == "" {
			return fragment{}, false
		}
		elems, _ := in.listOf(x)
		var parts []fragment
		for _, e := range elems {
			g, known := in.predicate(e, nil)
			if !known {
				in.emitValue(e)
				g = frag(client.Hole)
			}
			if g.text != "" {
				parts = append(parts, g)
			}
		}
		if len(parts) == 0 {
			return fragment{}, true
		}
		return frag("(").plus(joinFragments(parts, sep), frag(")")), true
	}
	if text, isText := constText(v); isText {
		return in.filled(text, args), true
	}
	if texts := in.textsOf(in.scalarOf(v).e); len(texts) == 1 {
		for _, a := range append(args, v) {
			in.emitValue(a)
		}
		return frag(client.Hole), true
	}
	return fragment{}, false
}

// comparison compares a column with a value.
func (in *interp) comparison(column, compare string, v value) fragment {
	if compare == "=" || compare == "<>" {
		if l, known := in.listOf(v); known && len(l) == 0 && !isNilValue(unbox(v)) {
			if compare == "=" {
				return frag("(1=0)")
			}
			return frag("(1=1)")
		}
		f, not := in.equalTo(column, v)
		if compare == "=" {
			return f
		}
		return not
	}
	return frag(column + " " + compare + " ").plus(in.paramOf(v))
}

// builderText gives the text of a statement.
func (in *interp) builderText(b *sqlBuilder) fragment {
	var out fragment
	for _, p := range b.prefix {
		out = out.plus(p, frag(" "))
	}
	where := fragment{}
	if w, _, ok := whereOf(b.where); ok {
		where = frag(" WHERE ").plus(w)
	}
	switch b.verb {
	case "SELECT":
		out.text += "SELECT "
		if b.distinct {
			out.text += "DISTINCT "
		}
		out = out.plus(joinFragments(b.columns, ", "))
		if b.table.text != "" {
			out = out.plus(frag(" FROM "), b.table)
		}
		out = out.plus(b.joins...).plus(where)
		if len(b.group) > 0 {
			out.text += " GROUP BY " + strings.Join(b.group, ", ")
		}
		if h, _, ok := whereOf(b.having); ok {
			out = out.plus(frag(" HAVING "), h)
		}
	case "INSERT":
		out = out.plus(frag("INSERT INTO "), b.table)
		if len(b.columns) > 0 {
			out = out.plus(frag(" ("), joinFragments(b.columns, ", "), frag(")"))
		}
		if b.from.text != "" {
			out = out.plus(frag(" "), b.from)
			break
		}
		var rows []fragment
		for _, r := range b.rows {
			rows = append(rows, frag("(").plus(joinFragments(r, ", "), frag(")")))
		}
		out = out.plus(frag(" VALUES "), joinFragments(rows, ", "))
	case "UPDATE":
		var sets []fragment
		for _, s := range b.sets {
			g := in.paramOf(s.v)
			if s.when != nil {
				g = frag("CASE WHEN "+paramMark+" THEN ", scalar{s.when, client.Bool}).plus(g, frag(" ELSE "+s.name+" END"))
			}
			sets = append(sets, frag(s.name+" = ").plus(g))
		}
		out = out.plus(frag("UPDATE "), b.table, frag(" SET "), joinFragments(sets, ", "), where)
	case "DELETE":
		out = out.plus(frag("DELETE FROM "), b.table, where)
	default:
		return frag(client.Hole)
	}
	if len(b.order) > 0 {
		out = out.plus(frag(" ORDER BY "), joinFragments(b.order, ", "))
	}
	if b.limit != nil {
		out = out.plus(frag(" LIMIT "), *b.limit)
	}
	if b.offset != nil {
		out = out.plus(frag(" OFFSET "), *b.offset)
	}
	for _, s := range b.suffix {
		out = out.plus(frag(" "), s)
	}
	if b.lost {
		head := fragment{}
		switch {
		case b.table.text == "" || b.table.holed():
			return frag(client.Hole)
		case b.verb == "SELECT":
			head = frag("SELECT " + client.Hole + " FROM ")
		case b.verb == "INSERT":
			head = frag("INSERT INTO ")
		case b.verb == "UPDATE":
			head = frag("UPDATE ")
		case b.verb == "DELETE":
			head = frag("DELETE FROM ")
		}
		return head.plus(b.table, frag(" "+client.Hole))
	}
	return out
}

// sendBuilder sends the statement through what RunWith was given.
func (in *interp) sendBuilder(inv *invocation, b *sqlBuilder, r role, args []value) value {
	f := in.builderText(b)
	h, ok := b.runner.(*handle)
	if !ok {
		for _, a := range args {
			in.expose(a)
		}
		if in.site != "" && in.st.phase == open {
			in.emitValue(b)
			in.unknown("a statement that is sent through what is not known")
		}
		return in.fresh(inv.t, "result", unknown)
	}
	text, vals := f.numbered()
	if r == getRole {
		list, known := in.listOf(args[len(args)-1])
		rs := in.statement(h, scalar{client.C(ir.Text(text)), client.Text}, vals, f.holed(), nil)
		rs.one = true
		in.execute(rs)
		if !known {
			rs.query.Returned = true
			return in.fresh(inv.t, "err", unknown)
		}
		return in.scan(rs, list)
	}
	sql := scalar{client.C(ir.Text(text)), client.Text}
	out, _ := in.send(inv, h, r, []value{sql, &list{elems: vals}})
	return out
}

// joinSQLBuilders joins statements that come by several paths: a condition that
// is not on all of them gets one of its own.
func (in *interp) joinSQLBuilders(edges []*edge, vals []value) (value, bool) {
	if !allOf[*sqlBuilder](vals) {
		return nil, false
	}
	first := vals[0].(*sqlBuilder)
	out := *first
	var all []cond
	for _, v := range vals {
		b := v.(*sqlBuilder)
		if b.lost || b.verb != first.verb || b.runner != first.runner || b.table.text != first.table.text || len(b.columns) != len(first.columns) ||
			len(b.sets) != len(first.sets) || len(b.rows) != len(first.rows) || len(b.joins) != len(first.joins) || len(b.group) != len(first.group) ||
			len(b.having) != len(first.having) || b.limit != first.limit || b.offset != first.offset || len(b.prefix) != len(first.prefix) ||
			len(b.suffix) != len(first.suffix) || b.from.text != first.from.text || b.distinct != first.distinct {
			out.lost = true
			out.table = frag(client.Hole)
			if b.table.text == first.table.text && b.verb == first.verb && len(b.joins)+len(first.joins) == 0 {
				out.table = first.table
			}
		}
		if len(b.order) != len(out.order) {
			out.order = nil
		}
		for _, c := range b.where {
			if !slices.ContainsFunc(all, func(d cond) bool { return d.id == c.id }) {
				all = append(all, c)
			}
		}
	}
	if out.lost {
		for i, e := range edges {
			in.ahead(e, func() { in.emitValue(vals[i]) })
		}
		return &out, true
	}
	for k := range all {
		id := all[k].id
		all[k].when = in.joinWhen(edges, func(i int) client.Expr {
			for _, c := range vals[i].(*sqlBuilder).where {
				if c.id == id {
					return c.when
				}
			}
			return client.False
		})
	}
	out.where = all
	return &out, true
}

// builderArgs are the values that a statement depends on.
func (b *sqlBuilder) builderArgs() []scalar {
	var out []scalar
	for _, l := range [][]fragment{b.columns, b.joins, b.order, b.prefix, b.suffix} {
		for _, f := range l {
			out = append(out, f.args...)
		}
	}
	for _, r := range b.rows {
		for _, f := range r {
			out = append(out, f.args...)
		}
	}
	for _, c := range append(slices.Clone(b.where), b.having...) {
		out = append(out, c.f.args...)
		if c.when != nil {
			out = append(out, scalar{c.when, client.Bool})
		}
	}
	for _, f := range []*fragment{b.limit, b.offset} {
		if f != nil {
			out = append(out, f.args...)
		}
	}
	return out
}

// squirrelFunction is a function of squirrel that makes a part of a statement.
func squirrelFunction(in *interp, name string, args []value) (value, bool) {
	short, ok := strings.CutPrefix(name, squirrelPath+".")
	if !ok {
		return nil, false
	}
	if short == "Expr" {
		return &rawSQL{in.rawText(args)}, true
	}
	if b, ok := in.beginBuilder(short, args); ok {
		return b, true
	}
	return nil, false
}
