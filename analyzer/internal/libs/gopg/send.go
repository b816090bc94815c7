package gopg

import (
	"cmp"
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
)

// anything stands for a statement that is not modelled, and may change what its arguments
// point to.
func (in *run) anything(inv *session.Invocation, h *memory.Handle, tables []string, readOnly bool, why string) memory.Value {
	for _, a := range inv.Args[1:] {
		in.EmitValue(a)
	}
	in.Anything(h, tables, readOnly, why)
	for _, a := range inv.Args[1:] {
		in.Expose(a)
	}
	return in.Fresh(inv.T, "result", memory.Unknown)
}

// lost is a statement on a model that is not modelled; what says which where the model is.
func (in *run) lost(inv *session.Invocation, q *query, s *statement, readOnly bool, what string) memory.Value {
	in.EmitValue(s.draft)
	if s.model != nil {
		in.EmitValue(s.model.V)
		in.AskCaller(s.model.V, "the model of a query of go-pg comes from its caller")
	}
	out := in.anything(inv, q.h, s.plainTables(), readOnly, cmp.Or(s.why(), what))
	if s.model != nil {
		in.Expose(s.model.V)
	}
	return out
}

// result gives the results of a call that sends a statement: the outcome, if it gives one,
// and the error.
func (in *run) result(inv *session.Invocation, rs *memory.Rows, err memory.Value) memory.Value {
	t, ok := inv.T.(*types.Tuple)
	if !ok {
		return err
	}
	out := make(memory.Tuple, t.Len())
	out[0], out[len(out)-1] = &memory.Outcome{Query: rs.Query, Mine: rs.Mine}, err
	return out
}

// destination is where the rows of a statement go.
type destination struct {
	row    *memory.Cell // a struct
	t      *table
	fields []*field       // that are taken, nil for all
	list   memory.Value   // a pointer to a slice
	vars   []memory.Value // pointers to variables, for the columns of one row
	none   bool           // nowhere
}

// destinationOf gives what an argument for rows is; scan says that a pointer to a variable
// is one for a column.
func (in *run) destinationOf(v memory.Value, scan bool) (d destination, ok bool) {
	if memory.IsNilValue(memory.Unbox(v)) {
		return destination{none: true}, true
	}
	switch x := memory.Unbox(v).(type) {
	case *scanned:
		return destination{vars: x.dests}, true
	case *memory.Pointer:
		t, many := in.lib.tableOf(memory.RefTo(v).T)
		_, isSlice := x.To.T.Underlying().(*types.Slice)
		switch {
		case isSlice:
			return destination{list: x}, true
		case t != nil && !many:
			row, known := in.StructCell(x)
			return destination{row: row, t: t}, known && t.odd == ""
		case scan && x.To.Whole():
			return destination{vars: []memory.Value{x}}, true
		}
	}
	return d, false
}

// scanned is what pg.Scan gives.
type scanned struct{ dests []memory.Value }

func (s *scanned) Live() bool                      { return false }
func (s *scanned) Sends() bool                     { return false }
func (s *scanned) Same(o memory.Value) bool        { return o == memory.Value(s) }
func (s *scanned) Depends() ([]memory.Value, bool) { return s.dests, true }

// take gives rows to a destination, and the error: one says that there must be just one row,
// single that there is one at most.
func (in *run) take(rs *memory.Rows, d destination, one, single bool) *memory.Failure {
	switch {
	case d.none:
		in.Execute(rs)
	case d.list != nil:
		return in.All(rs, d.list)
	default:
		rs.One = true
		in.Execute(rs)
		in.columns(rs, d)
	}
	if !one {
		return &memory.Failure{}
	}
	if !rs.Mine {
		return in.SomeError()
	}
	err := &memory.Failure{NoRows: client.Not(in.Found(rs))}
	if !single {
		err.Other = memory.Op(">", in.ScalarOf(in.Counted(rs)).E, memory.ConstInt(1))
	}
	return err
}

// columns takes the columns of a row to a struct, or to variables. A NULL makes one zero.
func (in *run) columns(rs *memory.Rows, d destination) {
	fields := d.fields
	if fields == nil && d.t != nil {
		fields = d.t.fields
	}
	for _, f := range fields {
		c := memory.PartAt(d.row, f.path)
		switch {
		case c == nil:
			rs.Query.Returned = true
		case rs.Mine:
			in.TakeColumn(rs, c, f.name, f.key, f.notNull)
		default:
			in.Forget(c)
		}
	}
	for _, v := range d.vars {
		p, ok := memory.Unbox(v).(*memory.Pointer)
		switch {
		case !ok:
			rs.Query.Returned = true
			in.Expose(v)
		case rs.Mine && p.To.Whole():
			in.TakeColumn(rs, p.To, "", false, false)
		default:
			rs.Query.Returned = true
			in.Forget(p.To)
		}
	}
}

// execCall is Exec or ExecOne: a text with parameters.
func (in *run) execCall(inv *session.Invocation, h *memory.Handle, args []memory.Value, one bool) memory.Value {
	params, ok := in.ListOf(args[len(args)-1])
	if !ok {
		return in.anything(inv, h, nil, false, "a statement of go-pg with parameters that are not known")
	}
	rs := in.sendText(h, in.formatted(nil, args[0], params))
	if !one {
		in.Execute(rs)
		return in.result(inv, rs, &memory.Failure{})
	}
	n := in.ScalarOf(in.Counted(rs)).E
	in.Execute(rs)
	return in.result(inv, rs, &memory.Failure{NoRows: memory.Op("==", n, memory.ConstInt(0)), Other: memory.Op(">", n, memory.ConstInt(1))})
}

// sendText makes the query of a text of the program.
func (in *run) sendText(h *memory.Handle, f sqltext.Fragment) *memory.Rows {
	rs := in.SendText(h, f)
	rs.Query.Standard = false
	return rs
}

// queryCall is Query or QueryOne: a model for the rows, and a text with parameters.
func (in *run) queryCall(inv *session.Invocation, h *memory.Handle, args []memory.Value, one bool) memory.Value {
	params, ok := in.ListOf(args[len(args)-1])
	d, known := in.destinationOf(args[0], false)
	if !ok {
		return in.anything(inv, h, nil, false, "a statement of go-pg with parameters that are not known")
	}
	rs := in.sendText(h, in.formatted(nil, args[1], params))
	if !known {
		rs.Query.Returned = true
		in.Execute(rs)
		in.Expose(args[0])
		return in.result(inv, rs, in.SomeError())
	}
	return in.result(inv, rs, in.take(rs, d, one, false))
}

// selectCall is Select, First or Last.
func (in *run) selectCall(inv *session.Invocation, q *query, values []memory.Value, o selection) memory.Value {
	s := in.statement(draftOf(in.Memory, q))
	f, ok := in.selectText(s, o)
	if !ok {
		return in.lost(inv, q, s, true, toUnknown)
	}
	d, ok := in.target(s, values)
	if !ok {
		return in.lost(inv, q, s, true, toUnknown)
	}
	if d.row != nil {
		if d.fields, ok = s.chosen(s.t.fields); !ok {
			d.fields = nil
		}
	}
	rs := in.SendText(q.h, f)
	return in.result(inv, rs, in.take(rs, d, d.list == nil, o.one || s.byKey))
}

// target gives where the rows of a statement go: to the values, if there are any, or to its
// model.
func (in *run) target(s *statement, values []memory.Value) (destination, bool) {
	switch {
	case len(values) == 1:
		return in.destinationOf(values[0], true)
	case len(values) > 1:
		return destination{vars: values}, true
	case s.model == nil:
		return destination{}, false
	}
	return in.destinationOf(memory.Box{V: s.model.V, T: s.model.T}, false)
}

// toUnknown says why a query is lost.
const toUnknown = "a query of go-pg with rows that go to what is not known"

// oneRow sends a query of which at most one row is looked at.
func (in *run) oneRow(q *query, s *statement, what selection) (*memory.Rows, bool) {
	f, ok := in.selectText(s, what)
	if !ok {
		return nil, false
	}
	rs := in.SendText(q.h, f)
	rs.One = true
	in.Execute(rs)
	return rs, true
}

// countCall is Count.
func (in *run) countCall(inv *session.Invocation, q *query) memory.Value {
	s := in.statement(draftOf(in.Memory, q))
	if s.distinct || len(s.group) > 0 {
		return in.lost(inv, q, s, true, "a count of groups with go-pg")
	}
	rs, ok := in.oneRow(q, s, selection{columns: "count(*)", bare: true})
	if !ok {
		return in.lost(inv, q, s, true, toUnknown)
	}
	if !rs.Mine {
		return in.Answer(inv.T, in.Fresh(types.Typ[types.Int], "count", memory.Unknown))
	}
	v := in.Temp("count", client.Int, false) // there always is a row
	rs.Query.Into = []string{v}
	return in.Answer(inv.T, memory.Of(client.V(v), client.Int))
}

// existsCall is Exists.
func (in *run) existsCall(inv *session.Invocation, q *query) memory.Value {
	s := in.statement(draftOf(in.Memory, q))
	rs, ok := in.oneRow(q, s, selection{columns: "1", unordered: true, one: true})
	if !ok {
		return in.lost(inv, q, s, true, toUnknown)
	}
	if !rs.Mine {
		return in.Answer(inv.T, in.Fresh(types.Typ[types.Bool], "exists", memory.Unknown))
	}
	return in.Answer(inv.T, memory.Of(in.Found(rs), client.Bool))
}

// insertCall is Insert.
func (in *run) insertCall(inv *session.Invocation, q *query, values []memory.Value) memory.Value {
	s := in.statement(draftOf(in.Memory, q))
	if !s.known() || s.t == nil || s.many || len(values) > 0 && len(s.returning) == 0 || s.conflict != nil && s.conflict.Holed() {
		return in.lost(inv, q, s, false, "an INSERT of go-pg with values that are not known, or of several rows")
	}
	cols, ok := in.insertion(s)
	if !ok {
		return in.lost(inv, q, s, false, "an INSERT of go-pg with values that are not known, or of several rows")
	}
	var out memory.Value
	in.eachInsert(cols, 0, func(cols []inserted) {
		f, back := in.insertText(s, cols)
		rs := in.SendText(q.h, f)
		d, known := in.target(s, values)
		if len(s.returning) == 0 {
			d, known = destination{row: s.row, t: s.t, fields: back, none: len(back) == 0}, true
		}
		out = in.written(inv, rs, s, d, known)
	})
	if !in.Reached() {
		return in.QuietDead(inv.T)
	}
	if t, several := inv.T.(*types.Tuple); several && memory.Unbox(out) != nil && len(cols) != countSettled(cols) {
		// Which of the statements it was does not show in the result.
		return in.answerOf(t, s)
	}
	return out
}

// countSettled counts the columns of which it is known whether they have a value.
func countSettled(cols []inserted) int {
	n := 0
	for _, x := range cols {
		if x.set == nil {
			n++
		}
	}
	return n
}

// answerOf is the result of one of several INSERTs: how many rows it inserted is one, unless
// there may be a conflict.
func (in *run) answerOf(t *types.Tuple, s *statement) memory.Value {
	out := make(memory.Tuple, t.Len())
	out[0] = &memory.Outcome{Query: &client.Query{}}
	out[len(out)-1] = &memory.Failure{}
	if s.conflict != nil && s.returns() {
		out[len(out)-1] = in.SomeError()
	}
	return out
}

// eachInsert calls send with each choice of the columns that may have a value or not.
func (in *run) eachInsert(cols []inserted, from int, send func(cols []inserted)) {
	for i := from; i < len(cols); i++ {
		if cols[i].set == nil {
			continue
		}
		with := func(absent bool) []inserted {
			out := append([]inserted(nil), cols...)
			out[i].absent = absent
			return out
		}
		in.Either(cols[i].set, func() { in.eachInsert(with(false), i+1, send) }, func() { in.eachInsert(with(true), i+1, send) })
		return
	}
	send(cols)
}

// written executes a write, and takes what it gives back.
func (in *run) written(inv *session.Invocation, rs *memory.Rows, s *statement, d destination, known bool) memory.Value {
	switch {
	case !s.returns() && len(s.returning) == 0 && !d.none && d.fields != nil: // defaults come back, if a row was inserted
		rs.One = s.conflict != nil
		in.Execute(rs)
		in.columns(rs, d)
	case !s.returns():
		in.Execute(rs)
	case !known:
		rs.Query.Returned = true
		in.Execute(rs)
		in.Expose(s.model.V)
		return in.result(inv, rs, in.SomeError())
	default:
		if d.row != nil && !returnsAll(s) {
			d.fields = in.returned(s)
		}
		return in.result(inv, rs, in.take(rs, d, d.list == nil, s.byKey))
	}
	return in.result(inv, rs, &memory.Failure{})
}

// returnsAll reports whether all columns come back.
func returnsAll(s *statement) bool { return len(s.returning) == 1 && s.returning[0].Text == "*" }

// returned gives the fields that RETURNING names; one that is an expression is of none.
func (in *run) returned(s *statement) []*field {
	out := []*field{}
	for _, r := range s.returning {
		for name := range strings.SplitSeq(r.Text, ",") {
			if f := s.t.field(strings.Trim(strings.TrimSpace(name), `"`)); f != nil {
				out = append(out, f)
			}
		}
	}
	return out
}

// updateCall is Update or UpdateNotZero.
func (in *run) updateCall(inv *session.Invocation, q *query, s *statement, values []memory.Value, omitZero bool) memory.Value {
	f, ok := in.updateText(s, omitZero)
	d, known := in.target(s, values)
	if !ok || !known && s.returns() && s.model == nil {
		return in.lost(inv, q, s, false, "an UPDATE of go-pg with values that are not known, or of several rows")
	}
	return in.written(inv, in.SendText(q.h, f), s, d, known)
}

// deleteCall is Delete, or (force) ForceDelete.
func (in *run) deleteCall(inv *session.Invocation, q *query, values []memory.Value, force bool) memory.Value {
	d := *draftOf(in.Memory, q)
	s := in.statement(&d)
	if s.t != nil && s.t.deleted != nil && !force {
		now := memory.Of(client.V(in.NewVar("now", client.Time, false, memory.Unknown)), client.Time)
		d.set = []sqltext.Fragment{sqltext.Frag(s.t.deleted.column+" = "+sqltext.ParamMark, now)}
		if s.row != nil {
			if c := memory.PartAt(s.row, s.t.deleted.path); c != nil {
				in.Store(c, now)
			}
		}
		return in.updateCall(inv, q, s, values, false)
	}
	if force {
		d.onlyDeleted, d.withDeleted = true, false
	}
	f, ok := in.deleteText(s)
	to, known := in.target(s, values)
	if !ok {
		return in.lost(inv, q, s, false, "a DELETE of go-pg without a condition that is known, or of several rows")
	}
	return in.written(inv, in.SendText(q.h, f), s, to, known)
}

// forEachCall is ForEach: a function that gets each row.
func (in *run) forEachCall(inv *session.Invocation, q *query, fn memory.Value) memory.Value {
	s := in.statement(draftOf(in.Memory, q))
	f, ok := in.selectText(s, selection{})
	c, isFunction := memory.Unbox(fn).(*memory.Closure)
	if !ok || !isFunction || c.Fn == nil {
		return in.lost(inv, q, s, true, toUnknown)
	}
	rs := in.SendText(q.h, f)
	if !rs.Mine || in.IsSent(rs) {
		rs.Query.Returned = true
		in.Execute(rs)
		in.UnknownCall("a function for each row", []memory.Value{fn}, nil)
		return in.SomeError()
	}
	return in.EachRow(rs, func(fails func(f *memory.Failure)) {
		var args []memory.Value
		for v := range c.Fn.Signature.Params().Variables() {
			args = append(args, in.rowArg(rs, v.Type(), c.Fn.Signature.Params().Len() == 1))
		}
		inner := &session.Invocation{C: inv.C, Fn: c, Args: args, At: inv.At, T: gotypes.ErrorType}
		if err, ok := memory.Unbox(in.Control.CallFunction(inner, c)).(*memory.Failure); ok && in.Reached() && !memory.IsTrue(client.Not(in.Failed(err))) {
			fails(err)
		}
	})
}

// rowArg gives what a function for each row gets: a struct (whole), or one of its columns.
func (in *run) rowArg(rs *memory.Rows, t types.Type, whole bool) memory.Value {
	elem := t
	if p, ok := t.Underlying().(*types.Pointer); ok && whole {
		elem = p.Elem()
	}
	c := in.NewCell(elem, "row", memory.Zeroed)
	d := destination{vars: []memory.Value{&memory.Pointer{To: c}}}
	if tab, many := in.lib.tableOf(elem); whole && tab != nil && !many && tab.odd == "" {
		d = destination{row: c, t: tab}
	}
	in.columns(rs, d)
	if elem != t {
		return &memory.Pointer{To: c}
	}
	return in.Load(c)
}
