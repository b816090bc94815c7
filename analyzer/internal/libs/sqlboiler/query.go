package sqlboiler

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// query is a *queries.Query, which calls change in place: c holds its *draft, nil where
// nothing is known of it.
type query struct{ c *memory.Cell }

// draft is what a query has. It is never changed, but replaced.
type draft struct {
	// lost, if not "", says why its text is not known.
	lost                string
	raw                 *raw
	columns, from       []string
	joins, group, with  []sqltext.Fragment
	where               []clause
	having, order       []sqltext.Fragment
	distinct            *sqltext.Fragment
	limit, offset       *sqltext.Fragment
	lock                *sqltext.Fragment
	count, remove       bool
	set                 []sqltext.Setting
	loads               []string
	manual, withDeleted bool
}

// raw is a text of the program with its values; open says that they are not known.
type raw struct {
	sql  memory.Value
	args []memory.Value
	open bool
}

// rawOf gives a text with values as the program gives it.
func (in *run) rawOf(args []memory.Value) *raw {
	list, ok := in.ListOf(args[1])
	if !ok {
		in.EmitValue(args[1])
	}
	return &raw{args[0], list, !ok}
}

// clause is a condition, or ( or ) of qm.Expr. or says that OR stands before it.
type clause struct {
	f           sqltext.Fragment
	or          bool
	open, close bool
	// deleted says that it leaves out rows which are deleted softly, perhaps that it may not be there.
	deleted, perhaps bool
}

// unclear reports whether a condition may not be there in a list with OR: what that stands between depends on it then.
func unclear(list []clause) bool {
	return slices.ContainsFunc(list, func(c clause) bool { return c.or }) && slices.ContainsFunc(list, func(c clause) bool { return c.perhaps })
}

func newQuery(in *memory.Memory, d *draft) *query {
	q := &query{in.NewCell(memory.HiddenType, "query", memory.Zeroed)}
	in.Put(q.c, d)
	return q
}

// draftOf gives what a query has.
func draftOf(in *memory.Memory, q *query) *draft {
	if q.c != nil {
		if d, ok := in.Held(q.c).(*draft); ok {
			return d
		}
	}
	return &draft{lost: "a query of sqlboiler that is made elsewhere, or in a loop"}
}

func (q *query) Live() bool                      { return false }
func (q *query) Sends() bool                     { return true }
func (q *query) Depends() ([]memory.Value, bool) { return nil, false }

func (q *query) Same(o memory.Value) bool {
	r, ok := o.(*query)
	return ok && q.c == r.c
}

func (d *draft) Live() bool               { return false }
func (d *draft) Sends() bool              { return false }
func (d *draft) Same(o memory.Value) bool { return o == memory.Value(d) }

func (d *draft) Depends() ([]memory.Value, bool) {
	var out []memory.Value
	for _, list := range [][]sqltext.Fragment{d.joins, d.group, d.with, d.having, d.order} {
		for _, f := range list {
			out = append(out, f.Values()...)
		}
	}
	for _, c := range d.where {
		out = append(out, c.f.Values()...)
	}
	if d.raw != nil {
		out = append(append(out, d.raw.sql), d.raw.args...)
	}
	return out, false
}

// InLoop gives what stays known of a query that a loop changes.
func (d *draft) InLoop(*memory.Memory) memory.Value {
	return &draft{lost: "a query of sqlboiler that a loop changes"}
}

// Stays reports whether a round leaves a query as it is.
func (d *draft) Stays(_ *memory.Memory, v memory.Value) bool {
	o, ok := v.(*draft)
	return ok && o.lost != ""
}

// Join joins queries that differ on several paths: nothing is known of the result.
func (d *draft) Join(in *memory.Memory, _ string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*draft](vals) {
		return nil, false
	}
	for i, e := range edges {
		in.Ahead(e, func() { in.EmitValue(vals[i]) })
	}
	return &draft{lost: "a query of sqlboiler that depends on the path"}, true
}

// mod is a part of a query that a function of package qm makes.
type mod struct {
	apply func(in *run, d *draft)
	made  []memory.Value
	// when, if not nil, says when it is part of the query.
	when client.Expr
}

// Where gives a part that is one of the query if a condition holds, too.
func (m *mod) Where(there client.Expr) memory.Value {
	n := *m
	if n.when = there; m.when != nil {
		n.when = client.And(m.when, there)
	}
	return &n
}

func (m *mod) Live() bool               { return false }
func (m *mod) Sends() bool              { return false }
func (m *mod) Same(o memory.Value) bool { return o == memory.Value(m) }
func (m *mod) Depends() ([]memory.Value, bool) {
	return slices.Concat(m.made, memory.Depending(m.when)), false
}

// with appends to a list that other drafts may share.
func with[T any](list []T, more ...T) []T { return append(slices.Clip(list), more...) }

// mods are the functions of package qm, by name.
var mods = map[string]func(in *run, d *draft, args []memory.Value) bool{
	"Where": whereMod(false), "And": whereMod(false), "Or": whereMod(true),
	"WhereIn": inMod(" IN ", false), "AndIn": inMod(" IN ", false), "OrIn": inMod(" IN ", true),
	"WhereNotIn": inMod(" NOT IN ", false), "AndNotIn": inMod(" NOT IN ", false), "OrNotIn": inMod(" NOT IN ", true),
	"Expr": exprMod, "Or2": or2Mod,
	"Select": func(in *run, d *draft, args []memory.Value) bool {
		names, known := in.TextArgs(args)
		d.columns = with(d.columns, names...)
		return known
	},
	"From": func(in *run, d *draft, args []memory.Value) bool {
		names, known := in.TextArgs(args)
		d.from = with(d.from, names...)
		return known
	},
	"InnerJoin": joinMod(" INNER JOIN "), "LeftOuterJoin": joinMod(" LEFT JOIN "), "RightOuterJoin": joinMod(" RIGHT JOIN "), "FullOuterJoin": joinMod(" FULL JOIN "),
	"GroupBy": listMod(func(d *draft) *[]sqltext.Fragment { return &d.group }),
	"OrderBy": listMod(func(d *draft) *[]sqltext.Fragment { return &d.order }),
	"Having":  listMod(func(d *draft) *[]sqltext.Fragment { return &d.having }),
	"With":    listMod(func(d *draft) *[]sqltext.Fragment { return &d.with }),
	"Limit": func(in *run, d *draft, args []memory.Value) bool {
		f := in.Number(memory.Unbox(args[0]))
		d.limit = &f
		return true
	},
	"Offset": func(in *run, d *draft, args []memory.Value) bool {
		f := in.Number(memory.Unbox(args[0]))
		d.offset = &f
		return true
	},
	"Distinct": oneMod(func(d *draft) **sqltext.Fragment { return &d.distinct }),
	"For":      oneMod(func(d *draft) **sqltext.Fragment { return &d.lock }),
	"SQL": func(in *run, d *draft, args []memory.Value) bool {
		d.raw = in.rawOf(args)
		return true
	},
	"Load": func(in *run, d *draft, args []memory.Value) bool {
		name, known := memory.ConstText(args[0])
		d.loads = with(d.loads, name)
		return known && len(args) > 1 && isEmpty(in, args[1])
	},
	"Comment": func(*run, *draft, []memory.Value) bool { return true },
	"WithDeleted": func(_ *run, d *draft, _ []memory.Value) bool {
		d.withDeleted = true
		return true
	},
}

func isEmpty(in *run, v memory.Value) bool {
	list, known := in.ListOf(v)
	return known && len(list) == 0
}

// mod makes a part of a query.
func (in *run) mod(add func(in *run, d *draft, args []memory.Value) bool, args []memory.Value) memory.Value {
	return &mod{made: args, apply: func(in *run, d *draft) {
		if !add(in, d, args) {
			in.lose(d, "a part of a query of sqlboiler that is not known", args)
		}
	}}
}

// lose gives up a draft of which a part is not known.
func (in *run) lose(d *draft, why string, args []memory.Value) {
	for _, a := range args {
		in.EmitValue(a)
	}
	if d.lost == "" {
		d.lost = why
	}
}

func whereMod(or bool) func(in *run, d *draft, args []memory.Value) bool {
	return func(in *run, d *draft, args []memory.Value) bool {
		d.where = with(d.where, clause{f: in.withArgs(args), or: or})
		return true
	}
}

// withArgs gives a text with its values, or a part that is not known.
func (in *run) withArgs(args []memory.Value) sqltext.Fragment {
	text, known := memory.ConstText(args[0])
	var list []memory.Value
	ok := known
	for _, a := range args[1:] {
		more, is := in.ListOf(a)
		list, ok = append(list, more...), ok && is
	}
	if !ok || strings.Contains(text, `\?`) {
		for _, a := range args {
			in.EmitValue(a)
		}
		return sqltext.Frag(client.Hole)
	}
	return in.filled(text, list)
}

// filled puts values in the places of ?, each as one value.
func (in *run) filled(text string, args []memory.Value) sqltext.Fragment {
	parts := strings.Split(text, "?")
	out := sqltext.Frag(parts[0])
	for i, p := range parts[1:] {
		if i >= len(args) {
			return sqltext.Frag(client.Hole)
		}
		out = out.Plus(in.value(args[i]), sqltext.Frag(p))
	}
	return out
}

// value is the text for a value that is sent as one parameter.
func (in *run) value(v memory.Value) sqltext.Fragment {
	return sqltext.Frag(sqltext.ParamMark, in.ScalarOf(v))
}

func joinMod(word string) func(in *run, d *draft, args []memory.Value) bool {
	return func(in *run, d *draft, args []memory.Value) bool {
		f := in.withArgs(args)
		d.joins = with(d.joins, sqltext.Frag(word).Plus(f))
		return !f.Holed()
	}
}

func listMod(of func(d *draft) *[]sqltext.Fragment) func(in *run, d *draft, args []memory.Value) bool {
	return func(in *run, d *draft, args []memory.Value) bool {
		f := in.withArgs(args)
		*of(d) = with(*of(d), f)
		return !f.Holed() || of(d) == &d.order
	}
}

func oneMod(of func(d *draft) **sqltext.Fragment) func(in *run, d *draft, args []memory.Value) bool {
	return func(in *run, d *draft, args []memory.Value) bool {
		f := in.withArgs(args)
		*of(d) = &f
		return !f.Holed()
	}
}

// inMod is a condition of the form "a, b in ?".
func inMod(word string, or bool) func(in *run, d *draft, args []memory.Value) bool {
	return func(in *run, d *draft, args []memory.Value) bool {
		list, known := in.ListOf(args[1])
		text, constant := memory.ConstText(args[0])
		upper := strings.ToUpper(text)
		at := strings.LastIndex(upper, word)
		c := clause{f: sqltext.Frag(client.Hole), or: or}
		if known && len(list) == 0 {
			if c.f = sqltext.Frag("1=0"); word != " IN " {
				c.f = sqltext.Frag("1=1")
			}
		} else if constant && at > 0 && !strings.Contains(text[:at], ",") && strings.TrimSpace(text[at+len(word):]) == "?" {
			c.f = sqltext.Frag(quoted(strings.TrimSpace(text[:at])) + word)
			if known {
				c.f = c.f.Plus(in.Listed(list, ""))
			} else {
				c.f.Text += "(" + client.Hole + ")"
			}
		}
		if !known || c.f.Holed() {
			for _, a := range args {
				in.EmitValue(a)
			}
		}
		d.where = with(d.where, c)
		return true
	}
}

// exprMod puts parentheses around conditions.
func exprMod(in *run, d *draft, args []memory.Value) bool {
	list, known := in.ListOf(args[0])
	if !known {
		d.where = with(d.where, clause{f: sqltext.Frag(client.Hole)})
		in.EmitValue(args[0])
		return in.lib.conditionsOnly()
	}
	from := len(d.where)
	d.manual = true
	d.where = with(d.where, clause{open: true})
	for _, v := range list {
		if !in.applyOne(d, v) {
			return false
		}
	}
	if len(d.where) > from+1 {
		d.where[from].or = d.where[from+1].or
		d.where[from+1].or = false
	}
	d.where = with(d.where, clause{close: true})
	return true
}

// or2Mod puts OR before a condition.
func or2Mod(in *run, d *draft, args []memory.Value) bool {
	from := len(d.where)
	if !in.applyOne(d, args[0]) || len(d.where) == from {
		return false
	}
	d.where[from].or = true
	return true
}

// compared is qmhelper.Where.
func compared(in *run, args []memory.Value) (memory.Value, bool) {
	name, known := memory.ConstText(args[0])
	op, isConst := memory.ConstText(args[1])
	if !known || !isConst {
		return in.mod(unknownCondition, args), true
	}
	return in.mod(func(in *run, d *draft, args []memory.Value) bool {
		d.where = with(d.where, clause{f: sqltext.Frag(name + " " + op + " ").Plus(in.value(args[2]))})
		return true
	}, args), true
}

// unknownCondition adds a condition of which nothing is known.
func unknownCondition(in *run, d *draft, args []memory.Value) bool {
	for _, a := range args {
		in.EmitValue(a)
	}
	d.where = with(d.where, clause{f: sqltext.Frag(client.Hole)})
	return true
}

// helperMods are the functions of package qmhelper that make conditions.
var helperMods = map[string]func(in *run, args []memory.Value) (memory.Value, bool){
	"Where": compared,
	"WhereNullEQ": func(in *run, args []memory.Value) (memory.Value, bool) {
		name, known := memory.ConstText(args[0])
		negated, isConst := memory.ConstOf(args[1])
		if !known || !isConst {
			return in.mod(unknownCondition, args), true
		}
		return in.mod(func(in *run, d *draft, args []memory.Value) bool {
			f, not := in.EqualTo(name, args[2])
			if negated.IsTrue() {
				f = not
			}
			d.where = with(d.where, clause{f: f})
			return true
		}, args), true
	},
	"WhereIsNull":    nullMod(" is null"),
	"WhereIsNotNull": nullMod(" is not null"),
}

func nullMod(word string) func(in *run, args []memory.Value) (memory.Value, bool) {
	return func(in *run, args []memory.Value) (memory.Value, bool) {
		name, known := memory.ConstText(args[0])
		if !known {
			return in.mod(unknownCondition, args), true
		}
		return in.mod(func(_ *run, d *draft, _ []memory.Value) bool {
			deleted := word == " is null" && strings.HasSuffix(name, `"deleted_at"`)
			d.where = with(d.where, clause{f: sqltext.Frag(name + word), deleted: deleted})
			return true
		}, args), true
	}
}

// apply adds the parts in a list to a query.
func (in *run) apply(q *query, list memory.Value) {
	d := *draftOf(in.Memory, q)
	in.addAll(&d, list)
	in.replace(q, &d)
}

// addAll adds the parts in a list to a draft.
func (in *run) addAll(d *draft, list memory.Value) {
	parts, known := in.ListOf(list)
	if !known {
		in.EmitValue(list)
		if in.lib.asked["Load"] {
			d.loads = with(d.loads, anyRelation)
		}
		if !in.lib.conditionsOnly() {
			in.lose(d, "a query of sqlboiler with parts that are not known", nil)
			return
		}
		d.where = with(d.where, clause{f: sqltext.Frag(client.Hole)})
		return
	}
	for _, v := range parts {
		in.applyOne(d, v)
	}
}

// applyOne adds a part to a draft. It reports whether the part is known.
func (in *run) applyOne(d *draft, v memory.Value) bool {
	m, ok := memory.Unbox(v).(*mod)
	if !ok {
		in.lose(d, "a part of a query of sqlboiler that is not known", []memory.Value{v})
		return false
	}
	if m.when == nil {
		m.apply(in, d)
		return d.lost == ""
	}
	n := *d
	m.apply(in, &n)
	if n.where, ok = conditional(n.where, len(d.where), m.when); !ok || !n.differsInRows(d) {
		in.lose(d, "a query of sqlboiler whose form depends on the path", m.made)
		return false
	}
	*d = n
	return d.lost == ""
}

// conditional puts a condition before the clauses from a place on; ok is false where that cannot be said.
func conditional(list []clause, from int, when client.Expr) (out []clause, ok bool) {
	out = slices.Clone(list)
	for i := from; i < len(out); i++ {
		if out[i].or || out[i].open || out[i].close {
			return nil, false
		}
		if out[i].perhaps = true; out[i].f.Text != client.Hole {
			out[i].f = sqltext.Frag("(NOT "+sqltext.ParamMark+" OR (", memory.Of(when, client.Bool)).Plus(out[i].f, sqltext.Frag("))"))
		}
	}
	return out, true
}

// differsInRows reports whether two queries differ in their conditions only, and in what else is read.
func (d *draft) differsInRows(o *draft) bool {
	return len(d.columns) == len(o.columns) && len(d.from) == len(o.from) && len(d.joins) == len(o.joins) && len(d.group) == len(o.group) && len(d.with) == len(o.with) &&
		len(d.having) == len(o.having) && len(d.order) == len(o.order) && d.distinct == o.distinct && d.limit == o.limit && d.offset == o.offset && d.lock == o.lock &&
		d.raw == o.raw && d.withDeleted == o.withDeleted && d.manual == o.manual
}

// harmless are the functions of package qm whose parts choose rows, and name no table.
var harmless = []string{"Where", "And", "Or", "Or2", "Expr", "WhereIn", "AndIn", "OrIn", "WhereNotIn", "AndNotIn", "OrNotIn", "OrderBy", "Limit", "Offset", "Comment", "Rels", "Apply", "Load"}

// anyRelation stands for relations of which it is not known which are loaded.
const anyRelation = "*"

// conditionsOnly reports whether whatever part the program may have made chooses rows only. It makes parts with
// functions of package qm, unless it has types of its own for them.
func (u *usage) conditionsOnly() bool { return u.asksOnly() }

// asksOnly reports whether the program makes parts of queries with functions only that are harmless, or among others.
func (u *usage) asksOnly(others ...string) bool {
	for name := range u.asked {
		if !slices.Contains(harmless, name) && !slices.Contains(others, name) {
			return false
		}
	}
	return true
}

func (in *run) replace(q *query, d *draft) {
	if q.c != nil {
		in.Put(q.c, d)
	}
}

// setters are the functions of package queries that change a query.
var setters = map[string]string{"SetDialect": "", "SetLimit": "Limit", "SetOffset": "Offset", "SetSelect": "select", "SetCount": "count", "SetDelete": "delete",
	"SetUpdate": "update", "GetSelect": "get", "SetFor": "For", "AppendSelect": "Select", "AppendFrom": "From", "AppendWhere": "Where", "AppendIn": "WhereIn",
	"AppendOrderBy": "OrderBy", "AppendGroupBy": "GroupBy", "AppendInnerJoin": "InnerJoin", "AppendLeftOuterJoin": "LeftOuterJoin", "SetSQL": "SQL"}

// set is a function of package queries that changes a query.
func (in *run) set(inv *session.Invocation, q *query, how string) (memory.Value, bool) {
	d := *draftOf(in.Memory, q)
	args := inv.Args[1:]
	switch how {
	case "":
	case "get":
		var list []memory.Value
		for _, c := range d.columns {
			list = append(list, textOf(c))
		}
		if d.lost != "" {
			return in.Fresh(inv.T, "columns", memory.Unknown), true
		}
		return in.NewList(list), true
	case "select":
		d.columns = nil
		if !memory.IsNilValue(memory.Unbox(args[0])) {
			names, known := in.TextArgs(args)
			if d.columns = names; !known {
				in.lose(&d, "columns that are not known", args)
			}
		}
	case "count":
		d.count = true
	case "delete":
		d.remove = true
	case "update":
		list, known := in.EntriesOf(args[0])
		if !known {
			in.lose(&d, "an UPDATE of sqlboiler whose columns are not known", args)
		}
		d.set = settings(list)
	default:
		if !mods[how](in, &d, args) {
			in.lose(&d, "a part of a query of sqlboiler that is not known", args)
		}
	}
	in.replace(q, &d)
	return nil, true
}

// settings gives the entries of a map, in the order of their names.
func settings(list []memory.Entry) []sqltext.Setting {
	var out []sqltext.Setting
	for _, e := range list {
		out = append(out, sqltext.Setting{Name: e.Key, Value: e.V, When: e.When})
	}
	slices.SortFunc(out, func(a, b sqltext.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// textOf is a constant text as a value.
func textOf(s string) memory.Value { return memory.Of(client.C(ir.Text(s)), client.Text) }

// equations gives "a"=$1 for each name, from a number on.
func equations(names []string, from int, sep string) string {
	var out []string
	for i, n := range names {
		out = append(out, `"`+n+`"=$`+strconv.Itoa(from+i))
	}
	return strings.Join(out, sep)
}
