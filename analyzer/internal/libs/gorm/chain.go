package gorm

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// chain is a *gorm.DB on which a statement is built call by call. One without
// conditions, on which every call begins a new statement, is a *handle.
type chain struct {
	h *memory.Handle
	// s holds the *draft of the statement.
	s    *memory.Cell
	mode chainMode
	// owns, of a mixed chain, says whether it is an owned one.
	owns client.Expr
	// err and count hold its fields Error and RowsAffected.
	err, count *memory.Cell
}

// chainMode says what a call does to a chain.
type chainMode uint8

const (
	owned  chainMode = iota // a call changes it
	forked                  // a call copies it
	mixed                   // one or the other: it comes by several paths
)

// draft is a statement that is built. It is never changed, but replaced.
type draft struct {
	// lost, if not "", says why nothing is known of the conditions.
	lost string
	// raw is the text, if the program gives all of it.
	raw *sqltext.Fragment
	// model is the argument of Model, table the text of Table, with alias as the
	// name that columns have in front. badTable says that it is not known.
	model    *memory.Ref
	table    string
	tableArg []memory.Scalar
	alias    string
	badTable bool
	selects  []string
	columns  *sqltext.Fragment
	distinct bool
	omits    []string
	where    []sqltext.Cond
	joins    []sqltext.Fragment
	related  []string // relations that are joined
	group    string
	having   []sqltext.Cond
	order    []sqltext.Fragment
	limit    memory.Value
	offset   memory.Value
	locks    string
	conflict *conflict
	// returning says that the changed rows come back; all that they do with all
	// columns.
	returning, all bool
	unscoped       bool
	preloads       []string
	attrs, assigns []memory.Value
	skipHooks      bool
	fullSave       bool // rows in fields are updated, too
	global         bool // statements without conditions are allowed
}

// isDB reports whether a handle is a *gorm.DB.
func isDB(h *memory.Handle) bool { return h.T != nil && gotypes.IsNamed(h.T, "gorm.io/gorm", "DB") }

func newChain(in *memory.Memory, h *memory.Handle, d *draft) *chain {
	c := &chain{h: h, s: in.NewCell(memory.HiddenType, "statement", memory.Zeroed),
		err:   in.NewCell(gotypes.ErrorType, "err", memory.Zeroed),
		count: in.NewCell(types.Typ[types.Int64], "affected", memory.Zeroed)}
	in.Put(c.s, d)
	return c
}

// within gives the chain for statements with a context, nil for that which it has.
func (c *chain) within(ctx memory.Value) *chain {
	r := *c
	r.h = c.h.Within(ctx)
	return &r
}

// draftOf gives the statement of a chain.
func draftOf(in *memory.Memory, c *chain) *draft {
	if c.s == nil {
		return &draft{}
	}
	d, ok := in.Held(c.s).(*draft)
	if !ok {
		return &draft{lost: "a statement that is built in a loop"}
	}
	return d
}

// instance gives the chain that a call on c works on.
func (in *run) instance(c *chain) *chain {
	if c.s != nil && c.mode == owned {
		return c
	}
	r := newChain(in.Memory, c.h, draftOf(in.Memory, c))
	if c.s != nil {
		in.Put(r.err, in.Load(c.err))
	}
	return r
}

// change adds something to the statement of c. f gets the condition under which
// it does so, nil for always.
func (in *run) change(c *chain, f func(d *draft, when client.Expr)) *chain {
	r := in.instance(c)
	d := *draftOf(in.Memory, r)
	f(&d, nil)
	in.Put(r.s, &d)
	if c.s != nil && c.mode == mixed {
		old := *draftOf(in.Memory, c)
		f(&old, c.owns)
		in.Put(c.s, &old)
	}
	return r
}

// fork makes a chain whose statement later calls copy.
func (in *run) fork(c *chain, copies bool) memory.Value {
	if c.s == nil {
		return c.h
	}
	r := *c
	r.mode, r.owns = forked, nil
	if copies || c.mode != owned {
		r = *newChain(in.Memory, c.h, draftOf(in.Memory, c))
		r.mode = forked
		in.Put(r.err, in.Load(c.err))
	}
	return &r
}

// with gives the chain c for another transaction.
func (in *run) with(c *chain, h *memory.Handle) memory.Value {
	if c.s == nil {
		return h
	}
	d := draftOf(in.Memory, c)
	if d.lost == "" && len(d.where) == 0 && d.model == nil && d.table == "" && d.raw == nil {
		return h
	}
	r := newChain(in.Memory, h, d)
	r.mode = forked
	return r
}

// fieldOfDB is the address of a field of a *gorm.DB.
func (in *run) fieldOfDB(recv memory.Value, owner types.Type, f *types.Var) (memory.Value, bool) {
	if !gotypes.IsNamed(owner, "gorm.io/gorm", "DB") {
		return nil, false
	}
	c := asChain(recv)
	if c == nil {
		return nil, false
	}
	switch f.Name() {
	case "Error", "RowsAffected":
		switch {
		case c.s == nil:
			return &memory.Pointer{To: in.NewCell(f.Type(), f.Name(), memory.Zeroed)}, true
		case f.Name() == "Error":
			return &memory.Pointer{To: c.err}, true
		}
		return &memory.Pointer{To: c.count}, true
	case "Statement":
		if c.s != nil { // whoever has it may change it
			in.Put(c.s, &draft{lost: "a statement that the program changes itself", model: draftOf(in.Memory, c).model})
		}
	}
	return &memory.Pointer{To: in.NewCell(f.Type(), f.Name(), memory.Unknown)}, true
}

// joinChains joins chains, and databases on which none is begun.
func joinChains(in *memory.Memory, name string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	var list []*chain
	var handles []memory.Value
	for _, v := range vals {
		switch v := v.(type) {
		case *memory.Handle:
			if !isDB(v) {
				return nil, false
			}
			list = append(list, &chain{h: v, mode: forked})
		case *chain:
			list = append(list, v)
		default:
			return nil, false
		}
		handles = append(handles, list[len(list)-1].h)
	}
	h, ok := memory.JoinHandles(in, handles)
	if !ok {
		return nil, false
	}
	out := &chain{h: h.(*memory.Handle), mode: list[0].mode, s: in.NewCell(memory.HiddenType, "statement", memory.Zeroed),
		err:   in.NewCell(gotypes.ErrorType, "err", memory.Zeroed),
		count: in.NewCell(types.Typ[types.Int64], "affected", memory.Zeroed)}
	drafts, errs, counts := make([]memory.Value, len(list)), make([]memory.Value, len(list)), make([]memory.Value, len(list))
	for i, c := range list {
		in.Ahead(edges[i], func() {
			drafts[i] = draftOf(in, c)
			errs[i], counts[i] = &memory.Failure{}, memory.Of(memory.ConstInt(0), client.Int)
			if c.s != nil {
				errs[i], counts[i] = in.Load(c.err), in.Load(c.count)
				out.s.Alias = append(out.s.Alias, c.s)
			}
		})
		if c.mode != out.mode {
			out.mode = mixed
		}
	}
	if out.mode == mixed {
		out.owns = in.JoinWhen(edges, func(i int) client.Expr {
			switch list[i].mode {
			case owned:
				return client.True
			case forked:
				return client.False
			}
			return list[i].owns
		})
	}
	in.Joined[out.s] = in.Join("statement", nil, edges, drafts)
	in.Joined[out.err] = in.Join("err", nil, edges, errs)
	in.Joined[out.count] = in.Join("affected", nil, edges, counts)
	return out, true
}

// joinDrafts joins statements: a condition that is not on all paths gets one of
// its own. Where they differ in other ways, nothing is known of the result but
// the table.
func joinDrafts(in *memory.Memory, edges []*memory.Edge, vals []memory.Value) memory.Value {
	first := *vals[0].(*draft)
	same := true
	for _, v := range vals[1:] {
		if v != vals[0] {
			same = false
		}
	}
	if same {
		return vals[0]
	}
	out := first
	limits, offsets := make([]memory.Value, len(vals)), make([]memory.Value, len(vals))
	for i, v := range vals {
		d := v.(*draft)
		if d.lost != "" {
			out.lost = d.lost
		}
		limits[i], offsets[i] = orNull(d.limit), orNull(d.offset)
		switch {
		case d.model == nil || out.model == nil:
			out.model = cmp.Or(out.model, d.model)
		case d.model != out.model && (d.model.T == nil || out.model.T == nil || !types.Identical(d.model.T, out.model.T)):
			out.lost = "a statement whose table depends on the path"
			out.badTable = true
		}
		switch {
		case d.table != out.table || d.badTable != out.badTable:
			out.lost, out.badTable = "a statement whose table depends on the path", true
		case !d.likes(&first):
			out.lost = "a statement whose form depends on the path"
		}
		if len(d.order) != len(first.order) {
			out.order = nil // which rows of several come first does not matter here
		}
	}
	if out.lost != "" {
		for i, e := range edges {
			in.Ahead(e, func() { in.EmitValue(vals[i]) })
		}
	}
	out.where = sqltext.JoinConds(in, edges, func(i int) []sqltext.Cond { return vals[i].(*draft).where })
	if out.limit = in.Join("limit", nil, edges, limits); memory.IsNilValue(out.limit) {
		out.limit = nil
	}
	if out.offset = in.Join("offset", nil, edges, offsets); memory.IsNilValue(out.offset) {
		out.offset = nil
	}
	return &out
}

func orNull(v memory.Value) memory.Value {
	if v == nil {
		return memory.Of(client.C(ir.Null), client.Int)
	}
	return v
}

// likes reports whether two statements differ in nothing but their tables,
// conditions, order and limits.
func (d *draft) likes(o *draft) bool {
	return d.raw == o.raw && slices.Equal(d.selects, o.selects) && d.columns == o.columns && d.distinct == o.distinct &&
		slices.Equal(d.omits, o.omits) && len(d.joins) == len(o.joins) && slices.Equal(d.related, o.related) && d.group == o.group &&
		len(d.having) == len(o.having) && d.locks == o.locks && d.conflict == o.conflict && d.returning == o.returning && d.all == o.all &&
		d.unscoped == o.unscoped && slices.Equal(d.preloads, o.preloads) && len(d.attrs) == len(o.attrs) && len(d.assigns) == len(o.assigns) &&
		d.skipHooks == o.skipHooks && d.fullSave == o.fullSave && d.global == o.global
}

// without is a statement of which nothing but the table is known: it is built in
// a loop.
func (d *draft) without() *draft {
	return &draft{lost: "a statement that is built in a loop", model: d.model, table: d.table, tableArg: d.tableArg, alias: d.alias,
		badTable: d.badTable, unscoped: d.unscoped, skipHooks: d.skipHooks, global: d.global}
}

// A chain, and the statement that it builds, come by several paths, or out of a loop.

func (c *chain) Live() bool  { return c.h.Kind == memory.Transaction }
func (c *chain) Sends() bool { return true }

func (c *chain) Same(o memory.Value) bool {
	d, ok := o.(*chain)
	return ok && (c == d || *c == *d)
}

func (c *chain) Depends() ([]memory.Value, bool) { return nil, false }

func (c *chain) Join(in *memory.Memory, name string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	return joinChains(in, name, edges, vals)
}

func (c *chain) InLoop(in *memory.Memory) memory.Value {
	r := newChain(in, c.h, draftOf(in, c).without())
	r.mode, r.owns = c.mode, c.owns
	return r
}

func (c *chain) Stays(in *memory.Memory, v memory.Value) bool {
	switch w := v.(type) {
	case *chain:
		return memory.SameHandle(w.h, c.h) && (w.s == nil || draftOf(in, c).Stays(in, draftOf(in, w)))
	case *memory.Handle:
		return memory.SameHandle(w, c.h)
	}
	return false
}

func (d *draft) Live() bool               { return false }
func (d *draft) Sends() bool              { return false }
func (d *draft) Same(o memory.Value) bool { return o == memory.Value(d) }

func (d *draft) Depends() ([]memory.Value, bool) {
	var out []memory.Value
	for _, list := range [][]sqltext.Cond{d.where, d.having} {
		for _, c := range list {
			out = append(append(out, c.F.Values()...), memory.Depending(c.When)...)
		}
	}
	return out, false
}

func (d *draft) Join(in *memory.Memory, _ string, edges []*memory.Edge, vals []memory.Value) (memory.Value, bool) {
	if !memory.AllOf[*draft](vals) {
		return nil, false
	}
	return joinDrafts(in, edges, vals), true
}

func (d *draft) InLoop(*memory.Memory) memory.Value { return d.without() }

func (d *draft) Stays(_ *memory.Memory, v memory.Value) bool {
	w, is := v.(*draft)
	return is && w.table == d.table && w.badTable == d.badTable && w.raw == nil && (w.model == d.model || w.model != nil && d.model != nil &&
		w.model.T != nil && d.model.T != nil && types.Identical(w.model.T, d.model.T))
}

func (a *assignments) Live() bool                      { return false }
func (a *assignments) Sends() bool                     { return false }
func (a *assignments) Same(o memory.Value) bool        { return o == memory.Value(a) }
func (a *assignments) Depends() ([]memory.Value, bool) { return nil, true }

// loopHandle gives what is known of a statement on a database that a loop begins.
func loopHandle(in *memory.Memory, h *memory.Handle) (memory.Value, bool) {
	if !isDB(h) {
		return nil, false
	}
	return newChain(in, h, (&draft{}).without()), true
}
