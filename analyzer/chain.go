package analyzer

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// chain is a *gorm.DB on which a statement is built call by call. One without
// conditions, on which every call begins a new statement, is a *handle.
type chain struct {
	h *handle
	// s holds the *draft of the statement.
	s    *cell
	mode chainMode
	// owns, of a mixed chain, says whether it is an owned one.
	owns client.Expr
	// err and count hold its fields Error and RowsAffected.
	err, count *cell
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
	raw *fragment
	// model is the argument of Model, table the text of Table, with alias as the
	// name that columns have in front. badTable says that it is not known.
	model    *modelRef
	table    string
	tableArg []scalar
	alias    string
	badTable bool
	selects  []string
	columns  *fragment
	distinct bool
	omits    []string
	where    []cond
	joins    []fragment
	related  []string // relations that are joined
	group    string
	having   []cond
	order    []fragment
	limit    value
	offset   value
	locks    string
	conflict *conflict
	// returning says that the changed rows come back; all that they do with all
	// columns.
	returning, all bool
	unscoped       bool
	preloads       []string
	attrs, assigns []value
	skipHooks      bool
	fullSave       bool // rows in fields are updated, too
	global         bool // statements without conditions are allowed
}

// isGorm reports whether a handle is a *gorm.DB.
func isGorm(h *handle) bool { return h.t != nil && isNamed(h.t, "gorm.io/gorm", "DB") }

func (in *interp) newChain(h *handle, d *draft) *chain {
	c := &chain{h: h, s: in.newCell(hiddenType, "statement", zeroed),
		err:   in.newCell(errorType, "err", zeroed),
		count: in.newCell(types.Typ[types.Int64], "affected", zeroed)}
	in.st.mem[c.s] = d
	return c
}

// draftOf gives the statement of a chain.
func (in *interp) draftOf(c *chain) *draft {
	if c.s == nil {
		return &draft{}
	}
	d, ok := in.st.mem[c.s].(*draft)
	if !ok {
		return &draft{lost: "a statement that is built in a loop"}
	}
	return d
}

// instance gives the chain that a call on c works on.
func (in *interp) instance(c *chain) *chain {
	if c.s != nil && c.mode == owned {
		return c
	}
	r := in.newChain(c.h, in.draftOf(c))
	if c.s != nil {
		in.st.mem[r.err] = in.load(c.err)
	}
	return r
}

// change adds something to the statement of c. f gets the condition under which
// it does so, nil for always.
func (in *interp) change(c *chain, f func(d *draft, when client.Expr)) *chain {
	r := in.instance(c)
	d := *in.draftOf(r)
	f(&d, nil)
	in.st.mem[r.s] = &d
	if c.s != nil && c.mode == mixed {
		old := *in.draftOf(c)
		f(&old, c.owns)
		in.st.mem[c.s] = &old
	}
	return r
}

// fork makes a chain whose statement later calls copy.
func (in *interp) fork(c *chain, copies bool) value {
	if c.s == nil {
		return c.h
	}
	r := *c
	r.mode, r.owns = forked, nil
	if copies || c.mode != owned {
		r = *in.newChain(c.h, in.draftOf(c))
		r.mode = forked
		in.st.mem[r.err] = in.load(c.err)
	}
	return &r
}

// with gives the chain c for another transaction.
func (in *interp) with(c *chain, h *handle) value {
	if c.s == nil {
		return h
	}
	d := in.draftOf(c)
	if d.lost == "" && len(d.where) == 0 && d.model == nil && d.table == "" && d.raw == nil {
		return h
	}
	r := in.newChain(h, d)
	r.mode = forked
	return r
}

// chainField is the address of a field of a *gorm.DB, or of rows and prepared
// statements that have others embedded.
func (in *interp) chainField(v *ssa.FieldAddr) (value, bool) {
	elem := v.Type().(*types.Pointer).Elem()
	if r := resultTypes[typeName(elem)]; r == queryRole || r == queryRowRole || r == prepareRole {
		switch x := unbox(in.value(v.X)).(type) {
		case *rows, *prepared:
			c := in.newCell(elem, "embedded", zeroed)
			in.st.mem[c] = x
			return &pointer{to: c}, true
		}
	}
	if h, ok := unbox(in.value(v.X)).(*handle); ok {
		if s, isStruct := deref(v.X.Type()).Underlying().(*types.Struct); isStruct {
			if q, ok := in.entEntity(h, v.X.Type(), s.Field(v.Field)); ok {
				c := in.newCell(elem, "entity", zeroed)
				in.st.mem[c] = q
				return &pointer{to: c}, true
			}
		}
	}
	if !isNamed(v.X.Type(), "gorm.io/gorm", "DB") {
		return nil, false
	}
	s, ok := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return nil, false
	}
	var c *chain
	switch x := unbox(in.value(v.X)).(type) {
	case *handle:
		c = &chain{h: x}
	case *chain:
		c = x
	default:
		return nil, false
	}
	f := s.Field(v.Field)
	switch f.Name() {
	case "Error", "RowsAffected":
		switch {
		case c.s == nil:
			return &pointer{to: in.newCell(f.Type(), f.Name(), zeroed)}, true
		case f.Name() == "Error":
			return &pointer{to: c.err}, true
		}
		return &pointer{to: c.count}, true
	case "Statement":
		if c.s != nil { // whoever has it may change it
			in.st.mem[c.s] = &draft{lost: "a statement that the program changes itself", model: in.draftOf(c).model}
		}
	}
	return &pointer{to: in.newCell(f.Type(), f.Name(), unknown)}, true
}

// joinBuilders joins statements that are built, and maps, that come by several
// paths.
func (in *interp) joinBuilders(name string, edges []*edge, vals []value) (value, bool) {
	if v, ok := in.joinEntries(edges, vals); ok {
		return v, true
	}
	if v, ok := in.joinDicts(edges, vals); ok {
		return v, true
	}
	if allOf[*draft](vals) {
		return in.joinDrafts(edges, vals), true
	}
	if v, ok := in.joinSQLBuilders(edges, vals); ok {
		return v, true
	}
	if v, ok := joinForeign(vals); ok {
		return v, true
	}
	return in.joinChains(name, edges, vals)
}

// joinChains joins chains, and databases on which none is begun.
func (in *interp) joinChains(name string, edges []*edge, vals []value) (value, bool) {
	var list []*chain
	var handles []value
	for _, v := range vals {
		switch v := v.(type) {
		case *handle:
			if !isGorm(v) {
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
	h, ok := joinHandles(handles)
	if !ok {
		return nil, false
	}
	out := &chain{h: h.(*handle), mode: list[0].mode, s: in.newCell(hiddenType, "statement", zeroed),
		err:   in.newCell(errorType, "err", zeroed),
		count: in.newCell(types.Typ[types.Int64], "affected", zeroed)}
	drafts, errs, counts := make([]value, len(list)), make([]value, len(list)), make([]value, len(list))
	for i, c := range list {
		in.ahead(edges[i], func() {
			drafts[i] = in.draftOf(c)
			errs[i], counts[i] = &failure{}, scalar{constInt(0), client.Int}
			if c.s != nil {
				errs[i], counts[i] = in.load(c.err), in.load(c.count)
				out.s.alias = append(out.s.alias, c.s)
			}
		})
		if c.mode != out.mode {
			out.mode = mixed
		}
	}
	if out.mode == mixed {
		out.owns = in.joinWhen(edges, func(i int) client.Expr {
			switch list[i].mode {
			case owned:
				return client.True
			case forked:
				return client.False
			}
			return list[i].owns
		})
	}
	in.joined[out.s] = in.join("statement", nil, edges, drafts)
	in.joined[out.err] = in.join("err", nil, edges, errs)
	in.joined[out.count] = in.join("affected", nil, edges, counts)
	return out, true
}

// joinDrafts joins statements: a condition that is not on all paths gets one of
// its own. Where they differ in other ways, nothing is known of the result but
// the table.
func (in *interp) joinDrafts(edges []*edge, vals []value) value {
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
	limits, offsets := make([]value, len(vals)), make([]value, len(vals))
	for i, v := range vals {
		d := v.(*draft)
		if d.lost != "" {
			out.lost = d.lost
		}
		limits[i], offsets[i] = orNull(d.limit), orNull(d.offset)
		switch {
		case d.model == nil || out.model == nil:
			out.model = cmp.Or(out.model, d.model)
		case d.model != out.model && (d.model.t == nil || out.model.t == nil || !types.Identical(d.model.t, out.model.t)):
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
			in.ahead(e, func() { in.emitValue(vals[i]) })
		}
	}
	out.where = in.joinConds(edges, vals)
	if out.limit = in.join("limit", nil, edges, limits); isNilValue(out.limit) {
		out.limit = nil
	}
	if out.offset = in.join("offset", nil, edges, offsets); isNilValue(out.offset) {
		out.offset = nil
	}
	return &out
}

func orNull(v value) value {
	if v == nil {
		return scalar{client.C(ir.Null), client.Int}
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

// joinConds joins lists of conditions.
func (in *interp) joinConds(edges []*edge, vals []value) []cond {
	var all []cond
	for _, v := range vals {
		for _, c := range v.(*draft).where {
			if !slices.ContainsFunc(all, func(d cond) bool { return d.id == c.id }) {
				all = append(all, c)
			}
		}
	}
	for k := range all {
		id := all[k].id
		all[k].when = in.joinWhen(edges, func(i int) client.Expr {
			for _, c := range vals[i].(*draft).where {
				if c.id == id {
					return c.when
				}
			}
			return client.False
		})
	}
	return all
}

// modelRef is an argument of Model, or what takes its place.
type modelRef struct {
	v value
	t types.Type
}

func refTo(v value) *modelRef {
	r := &modelRef{v: unbox(v)}
	if b, ok := v.(box); ok {
		r.t = b.t
	} else if p, ok := r.v.(*pointer); ok {
		r.t = types.NewPointer(p.to.t)
	}
	return r
}

// without is a statement of which nothing but the table is known: it is built in
// a loop.
func (d *draft) without() *draft {
	return &draft{lost: "a statement that is built in a loop", model: d.model, table: d.table, tableArg: d.tableArg, alias: d.alias,
		badTable: d.badTable, unscoped: d.unscoped, skipHooks: d.skipHooks, global: d.global}
}

// loopBuilder gives what is known of a statement that is built in a loop: what it
// is sent through, and mostly its table.
func (in *interp) loopBuilder(v value) (value, bool) {
	switch v := v.(type) {
	case *draft:
		return v.without(), true
	case *handle:
		if isGorm(v) {
			return in.newChain(v, (&draft{}).without()), true
		}
	case *chain:
		r := in.newChain(v.h, in.draftOf(v).without())
		r.mode, r.owns = v.mode, v.owns
		return r, true
	case *sqlBuilder:
		return &sqlBuilder{verb: v.verb, runner: v.runner, table: v.table, lost: true}, true
	case *foreign:
		return &foreign{h: v.h, what: v.what, entity: v.entity}, true
	}
	return nil, false
}

// checkBuilder gives up where a loop changes what loopBuilder takes to stay.
func (in *interp) checkBuilder(v, at value) {
	ok := true
	switch at := at.(type) {
	case *draft:
		d, is := v.(*draft)
		ok = is && d.table == at.table && d.badTable == at.badTable && d.raw == nil && (d.model == at.model || d.model != nil && at.model != nil &&
			d.model.t != nil && at.model.t != nil && types.Identical(d.model.t, at.model.t))
	case *chain:
		switch w := v.(type) {
		case *chain:
			ok = sameHandle(w.h, at.h)
			if ok && w.s != nil {
				in.checkBuilder(in.draftOf(w), in.draftOf(at))
			}
		case *handle:
			ok = sameHandle(w, at.h)
		default:
			ok = false
		}
	case *sqlBuilder:
		b, is := v.(*sqlBuilder)
		ok = is && b.verb == at.verb && b.table.text == at.table.text && len(b.joins) == 0 && (b.runner == at.runner || b.runner != nil && at.runner != nil && sameHandle(b.runner, at.runner))
	case *foreign:
		q, is := v.(*foreign)
		ok = is && sameHandle(q.h, at.h)
	}
	if !ok {
		panic(tooMuch{"a loop that changes what a statement is about"})
	}
}
