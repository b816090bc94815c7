package gopg

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// query is an *orm.Query: a statement that calls add to, in place. c holds its *draft; it
// is nil where nothing is known of the statement.
type query struct {
	h *memory.Handle
	c *memory.Cell
}

// draft is what a query has. It is never changed, but replaced.
type draft struct {
	// lost, if not "", says why the statement is not modelled, further that it may be
	// about other tables than that of its model then.
	lost           string
	further        bool
	model          *memory.Ref
	tables         []sqltext.Fragment
	columns        []column
	distinct       bool
	joins          []sqltext.Fragment
	where          []sqltext.Cond
	byKey          bool // WherePK
	updateWhere    []sqltext.Cond
	set            []sqltext.Fragment
	values         []sqltext.Setting // of Value: the text is in a *sqltext.Raw
	group, order   []sqltext.Fragment
	having         []sqltext.Cond
	limit, offset  memory.Value
	lock, conflict *sqltext.Fragment
	returning      []sqltext.Fragment
	// withDeleted and onlyDeleted are about soft deletion.
	withDeleted, onlyDeleted bool
}

// column is a name, or an expression.
type column struct {
	name string
	expr *sqltext.Fragment
}

func newQuery(in *memory.Memory, h *memory.Handle, d *draft) *query {
	q := &query{h: h, c: in.NewCell(memory.HiddenType, "query", memory.Zeroed)}
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
	return &draft{lost: "a query of go-pg that is made elsewhere, or in a loop", further: true}
}

func (q *query) Live() bool                      { return q.h.Kind == memory.Transaction }
func (q *query) Sends() bool                     { return true }
func (q *query) Depends() ([]memory.Value, bool) { return nil, false }

func (q *query) Same(o memory.Value) bool {
	r, ok := o.(*query)
	return ok && q.c == r.c && memory.SameHandle(q.h, r.h)
}

// Join joins queries: a call on the result changes whichever it is, so that nothing is
// known of the others then.
func (q *query) Join(in *memory.Memory, _ string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*query](vals) {
		return nil, false
	}
	handles, drafts := make([]memory.Value, len(vals)), make([]memory.Value, len(vals))
	out := &query{c: in.NewCell(memory.HiddenType, "query", memory.Zeroed)}
	for i, v := range vals {
		r := v.(*query)
		handles[i] = r.h
		in.Ahead(edges[i], func() { drafts[i] = draftOf(in, r) })
		if r.c != nil {
			out.c.Alias = append(out.c.Alias, r.c)
		}
	}
	h, ok := memory.JoinHandles(in, handles)
	if !ok {
		return nil, false
	}
	out.h = h.(*memory.Handle)
	in.Joined[out.c] = in.Join("query", nil, edges, drafts)
	return out, true
}

func (d *draft) Live() bool               { return false }
func (d *draft) Sends() bool              { return false }
func (d *draft) Same(o memory.Value) bool { return o == memory.Value(d) }

func (d *draft) Depends() ([]memory.Value, bool) {
	var out []memory.Value
	for _, list := range [][]sqltext.Fragment{d.tables, d.joins, d.set, d.group, d.order, d.returning} {
		for _, f := range list {
			out = append(out, f.Values()...)
		}
	}
	for _, list := range [][]sqltext.Cond{d.where, d.updateWhere, d.having} {
		for _, c := range list {
			out = append(append(out, c.F.Values()...), memory.Depending(c.When)...)
		}
	}
	return out, false
}

// without is a draft of which nothing but the table is known.
func (d *draft) without(why string) *draft {
	return &draft{lost: cmp.Or(d.lost, why), further: d.further || len(d.joins) > 0 || len(d.tables) > 0, model: d.model, tables: d.tables}
}

// InLoop gives what stays known of a query that a loop changes.
func (d *draft) InLoop(*memory.Memory) memory.Value {
	return d.without("a query of go-pg that a loop changes")
}

// Stays reports whether a round leaves the table as it is.
func (d *draft) Stays(_ *memory.Memory, v memory.Value) bool {
	o, ok := v.(*draft)
	return ok && d.about(o)
}

// about reports whether two drafts are about the same table.
func (d *draft) about(o *draft) bool {
	if len(d.tables) != len(o.tables) || slices.ContainsFunc(d.tables, func(f sqltext.Fragment) bool { return f.Text != o.tables[0].Text }) {
		return false
	}
	return d.model == o.model || d.model != nil && o.model != nil && d.model.T != nil && o.model.T != nil && types.Identical(d.model.T, o.model.T)
}

// Join joins drafts: a condition that is not on all paths gets one of its own. Where they
// differ in other ways, nothing is known of the result but the table.
func (d *draft) Join(in *memory.Memory, _ string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*draft](vals) {
		return nil, false
	}
	out := *vals[0].(*draft)
	limits, offsets := make([]memory.Value, len(vals)), make([]memory.Value, len(vals))
	for i, v := range vals {
		o := v.(*draft)
		limits[i], offsets[i] = orNull(o.limit), orNull(o.offset)
		switch {
		case o.lost != "" || out.lost != "":
			out.lost = cmp.Or(out.lost, o.lost)
		case !out.about(o) || !sameModel(out.model, o.model):
			out.lost = "a query of go-pg whose model depends on the path"
		case !out.likes(o):
			out.lost = "a query of go-pg whose form depends on the path"
		}
		out.further = out.further || o.further || len(o.joins)+len(o.tables) > 0
		if !out.about(o) {
			out.model, out.tables = nil, nil
		}
	}
	if out.lost == "" {
		out.further = false
	} else {
		for i, e := range edges {
			in.Ahead(e, func() { in.EmitValue(vals[i]) })
		}
		return out.without(""), true
	}
	out.where = sqltext.JoinConds(in, edges, func(i int) []sqltext.Cond { return vals[i].(*draft).where })
	if out.limit = in.Join("limit", nil, edges, limits); memory.IsNilValue(out.limit) {
		out.limit = nil
	}
	if out.offset = in.Join("offset", nil, edges, offsets); memory.IsNilValue(out.offset) {
		out.offset = nil
	}
	return &out, true
}

func orNull(v memory.Value) memory.Value {
	if v == nil {
		return memory.Of(client.C(ir.Null), client.Int)
	}
	return v
}

// likes reports whether two drafts differ in nothing but their tables, conditions and
// limits.
func (d *draft) likes(o *draft) bool {
	same := func(a, b []sqltext.Fragment) bool { return slices.EqualFunc(a, b, sqltext.Fragment.Equal) }
	one := func(a, b *sqltext.Fragment) bool { return a == b || a != nil && b != nil && a.Equal(*b) }
	return slices.EqualFunc(d.columns, o.columns, func(a, b column) bool { return a.name == b.name && one(a.expr, b.expr) }) &&
		d.distinct == o.distinct && same(d.joins, o.joins) && d.byKey == o.byKey && len(d.updateWhere) == len(o.updateWhere) &&
		same(d.set, o.set) && len(d.values) == len(o.values) && same(d.group, o.group) && same(d.order, o.order) && len(d.having) == len(o.having) &&
		one(d.lock, o.lock) && one(d.conflict, o.conflict) && same(d.returning, o.returning) && d.withDeleted == o.withDeleted && d.onlyDeleted == o.onlyDeleted
}

// sameModel reports whether two models are the same value.
func sameModel(a, b *memory.Ref) bool { return a == b || a != nil && b != nil && memory.Same(a.V, b.V) }
