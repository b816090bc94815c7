package sqlboiler

import (
	"cmp"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
)

// querySends are the methods of *queries.Query that send it through their argument.
var querySends = map[string]program.Role{"Exec": program.ExecRole, "Query": program.QueryRole, "QueryRow": program.QueryRowRole, "Bind": program.GetRole}

// plainName gives the name of a method without what says that it gets a context.
func plainName(name string) string { return strings.TrimSuffix(name, "Context") }

// handleAmong gives the first database or transaction among arguments, nil if there is none.
func handleAmong(args []memory.Value) *memory.Handle {
	for _, a := range args {
		if h, ok := memory.Unbox(a).(*memory.Handle); ok {
			return h
		}
	}
	return nil
}

// onQuery is a method of *queries.Query.
func (in *run) onQuery(inv *session.Invocation, q *query, name string, args []memory.Value) (memory.Value, bool) {
	role, sends := querySends[plainName(name)]
	h := handleAmong(args)
	if !sends || h == nil {
		return nil, false
	}
	d := draftOf(in.Memory, q)
	f, ok := in.text(d)
	var rs *memory.Rows
	switch {
	case d.raw != nil && d.lost == "":
		rs = in.Statement(h, d.raw.sql, d.raw.args, d.raw.open, nil)
		in.MayNotBeSent(h, rs)
	case !ok || len(d.loads) > 0:
		return in.lost(inv, h, d, role != program.ExecRole), true
	default:
		rs = in.SendText(h, f)
	}
	switch role {
	case program.QueryRole:
		return in.Answer(inv.T, rs), true
	case program.QueryRowRole:
		rs.One = true
		in.Execute(rs)
		return rs, true
	case program.ExecRole:
		in.Execute(rs)
		return in.Answer(inv.T, &memory.Outcome{Query: rs.Query, Mine: rs.Mine}), true
	}
	return in.bind(rs, args[len(args)-1]), true
}

// bind stores the rows of a query in what the program gives: a struct, or a slice.
func (in *run) bind(rs *memory.Rows, dest memory.Value) memory.Value {
	p, ok := memory.Unbox(dest).(*memory.Pointer)
	_, isStruct := memory.RefTo(dest).T.Underlying().(*types.Pointer)
	if !ok || !isStruct {
		rs.Query.Returned = true
		in.Execute(rs)
		in.Expose(dest)
		return in.SomeError()
	}
	if s, isStruct := p.To.T.Underlying().(*types.Struct); isStruct && rs.Mine {
		rs.One = true
		in.Execute(rs)
		for i := range s.NumFields() {
			c, name := p.To.Part(i), columnOf(s, i)
			switch {
			case c == nil:
				rs.Query.Returned = true
			case name != "" && (c.Whole() || gotypes.Optional(c.T)):
				in.TakeColumn(rs, c, name, false, false)
			default:
				rs.Query.Returned = true
				in.Forget(c)
			}
		}
		return &memory.Failure{NoRows: client.Not(in.Found(rs)), Other: client.V(in.NewVar("unfit", client.Bool, false, memory.Unknown))}
	}
	rs.Query.Returned = true
	in.Execute(rs)
	memory.OfRows(in.Memory, func() { in.Forget(p.To) })
	return in.SomeError()
}

// lost is a statement whose text is not known. The unknown parts of a query that reads name no table, if the program
// uses only parts without tables.
func (in *run) lost(inv *session.Invocation, h *memory.Handle, d *draft, reads bool) memory.Value {
	in.EmitValue(d)
	if !reads || d.raw != nil || len(d.from) == 0 || !in.lib.asksOnly("Select", "Distinct", "GroupBy", "Having", "For") {
		return in.anything(inv, h, nil, false, cmp.Or(d.lost, "a query of sqlboiler that is not known"))
	}
	rs := in.SendText(h, sqltext.Frag("SELECT "+client.Hole+" FROM "+quotedList(d.from)+" "+client.Hole))
	rs.Query.Returned = true
	in.Execute(rs)
	for _, a := range inv.Args {
		in.EmitValue(a)
		in.Expose(a)
	}
	return in.Fresh(inv.T, "result", memory.Unknown)
}

// anything stands for a statement that is not modelled, and may change what its arguments point to.
func (in *run) anything(inv *session.Invocation, h *memory.Handle, tables []string, reads bool, why string) memory.Value {
	in.Anything(h, tables, reads, why)
	for _, a := range inv.Args {
		in.EmitValue(a)
		in.Expose(a)
	}
	return in.Fresh(inv.T, "result", memory.Unknown)
}

// generated is a call of a function of a file that sqlboiler generated.
func (in *run) generated(inv *session.Invocation, f *ssa.Function) (memory.Value, bool) {
	if in.lib.p.GeneratedBy(f) != generator {
		return nil, false
	}
	r := f.Signature.Results()
	if f.Name() == "NewQuery" && r.Len() == 1 && isQuery(r.At(0).Type()) && len(inv.Args) == 1 {
		d := &draft{}
		in.addAll(d, inv.Args[0])
		return newQuery(in.Memory, d), true
	}
	h := handleAmong(inv.Args)
	if h == nil {
		return nil, false
	}
	recv := f.Signature.Recv()
	if recv == nil {
		return in.onFunction(inv, h, f)
	}
	n := gotypes.NamedOf(recv.Type())
	if n == nil {
		return nil, false
	}
	if _, isStruct := n.Underlying().(*types.Struct); isStruct && strings.HasPrefix(f.Name(), "Load") {
		return in.anything(inv, h, nil, true, "relations that sqlboiler loads"), true
	}
	if q, ok := queryIn(inv.Args[0]); ok {
		one := in.lib.method(n, "One")
		if one == nil || one.Signature.Results().Len() == 0 {
			return nil, false
		}
		t := in.lib.tableOf(elementOf(one.Signature.Results().At(0).Type()))
		if t == nil || in.lib.hooked[t.named.Obj().Name()] {
			return in.anything(inv, h, nil, false, "a query of sqlboiler with hooks, or on a table that is not known"), true
		}
		return in.finish(inv, h, q, t, f.Name())
	}
	t := in.lib.tableOf(elementOf(recv.Type()))
	if t == nil {
		return nil, false
	}
	if in.lib.hooked[t.named.Obj().Name()] {
		return in.anything(inv, h, nil, false, "a statement of sqlboiler with hooks"), true
	}
	if _, isSlice := n.Underlying().(*types.Slice); isSlice {
		return in.onSlice(inv, h, t, f.Name())
	}
	return in.onRow(inv, h, t, f.Name())
}

// queryIn gives the query that a value of a generated type such as userQuery embeds.
func queryIn(v memory.Value) (*query, bool) {
	a, ok := memory.Unbox(v).(*memory.Aggregate)
	if !ok || len(a.Parts) != 1 {
		return nil, false
	}
	q, ok := memory.Unbox(a.Parts[0]).(*query)
	return q, ok
}

// onFunction is a generated function that finds a row, or says whether it is there.
func (in *run) onFunction(inv *session.Invocation, h *memory.Handle, f *ssa.Function) (memory.Value, bool) {
	name, find := strings.CutPrefix(f.Name(), "Find")
	if !find {
		var exists bool
		if name, exists = strings.CutSuffix(f.Name(), "Exists"); !exists {
			return nil, false
		}
	}
	o, ok := f.Pkg.Pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, false
	}
	t := in.lib.tableOf(gotypes.NamedOf(o.Type()))
	if t == nil || in.lib.hooked[name] {
		return in.anything(inv, h, nil, t != nil && !in.lib.hooked[name], "a row of a table of sqlboiler that is not known"), true
	}
	keys := t.keys()
	at := f.Signature.Params().Len() - len(keys)
	d := &draft{from: []string{t.name}, columns: []string{t.name + ".*"}}
	if find {
		at--
		if !isEmpty(in, inv.Args[len(inv.Args)-1]) {
			d.columns = nil // those that are chosen: the others stay zero
			d.lost = "columns that are chosen"
		}
	}
	if at < 0 {
		return nil, false
	}
	for i, k := range keys {
		d.where = append(d.where, clause{f: sqltext.Frag(quoted(k.name) + "=").Plus(in.value(inv.Args[at+i]))})
	}
	if t.softly {
		d.where = append(d.where, clause{f: sqltext.Frag(`"deleted_at" is null`)})
	}
	if !find {
		return in.Answer(inv.T, in.exists(h, d)), true
	}
	if d.lost != "" {
		d.lost = ""
		f, _ := in.text(d)
		rs := in.SendText(h, f)
		rs.One, rs.Query.Returned = true, true
		in.Execute(rs)
		return in.Fresh(inv.T, "row", memory.Unknown), true
	}
	return in.one(inv, h, t, d), true
}

// exists says whether there is a row.
func (in *run) exists(h *memory.Handle, d *draft) memory.Value {
	e := *d
	one := sqltext.Frag("1")
	e.columns, e.limit = []string{"1"}, &one
	f, _ := in.text(&e)
	rs := in.SendText(h, f)
	rs.One = true
	in.Execute(rs)
	if !rs.Mine {
		return in.Fresh(types.Typ[types.Bool], "exists", memory.Unknown)
	}
	return memory.Of(in.Found(rs), client.Bool)
}

// one sends a query for one row, and gives that and the error.
func (in *run) one(inv *session.Invocation, h *memory.Handle, t *table, d *draft) memory.Value {
	f, ok := in.text(d)
	fields, known := t.chosen(d)
	results, isTuple := inv.T.(*types.Tuple)
	if !ok || !isTuple || results.Len() != 2 {
		return in.lost(inv, h, d, true)
	}
	rs := in.SendText(h, f)
	rs.One = true
	in.Execute(rs)
	defer in.load(h, t, d)
	if !known || !rs.Mine {
		rs.Query.Returned = true
		return in.Fresh(inv.T, "row", memory.Unknown)
	}
	c := in.NewCell(t.named, "row", memory.Zeroed)
	in.take(rs, c, fields)
	if len(d.loads) > 0 {
		in.forgetRelations(c)
	}
	missing := client.Not(in.Found(rs))
	return memory.Tuple{&memory.Pointer{To: c, IsNil: missing}, &memory.Failure{NoRows: missing}}
}

// forgetRelations makes the relations of a struct unknown.
func (in *run) forgetRelations(c *memory.Cell) {
	s := c.T.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if p := c.Part(i); p != nil && s.Field(i).Name() == "R" {
			in.Forget(p)
		}
	}
}

// take stores the columns of a row in the fields of a struct.
func (in *run) take(rs *memory.Rows, c *memory.Cell, fields []*field) {
	for _, f := range fields {
		if p := c.Part(f.at); p != nil {
			in.TakeColumn(rs, p, f.name, f.key, false)
		} else {
			rs.Query.Returned = true
		}
	}
}

// chosen gives the fields that a query fills.
func (t *table) chosen(d *draft) (fields []*field, known bool) {
	if d.raw != nil || d.distinct != nil || len(d.group) > 0 {
		return nil, false
	}
	for _, c := range d.columns {
		plain := strings.ReplaceAll(c, `"`, "")
		if plain == t.plain+".*" {
			return t.fields, len(d.columns) == 1
		}
		f := t.field(strings.TrimPrefix(plain, t.plain+"."))
		if f == nil || len(d.joins) > 0 {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, len(fields) > 0
}

// load reads the relations that a query loads. Their values are not known.
func (in *run) load(h *memory.Handle, t *table, d *draft) {
	for _, name := range d.loads {
		tables, known := in.lib.related(t, name)
		if name == anyRelation || !known {
			in.Anything(h, nil, true, "relations that sqlboiler loads")
			continue
		}
		for _, table := range tables {
			in.Anything(h, []string{table}, true, "the relation "+name+" that sqlboiler loads")
		}
	}
}

// finish sends a query of a generated type.
func (in *run) finish(inv *session.Invocation, h *memory.Handle, q *query, t *table, name string) (memory.Value, bool) {
	d := *draftOf(in.Memory, q)
	switch name {
	case "One":
		one := sqltext.Frag("1")
		d.limit = &one
		return in.one(inv, h, t, &d), true
	case "All":
		return in.all(inv, h, t, &d), true
	case "Count", "Exists":
		d.columns, d.count, d.loads = nil, true, nil
		f, ok := in.text(&d)
		if !ok || d.lock != nil || d.offset != nil { // count(*) refuses locks
			return in.anything(inv, h, nil, false, cmp.Or(d.lost, "a count of sqlboiler with a lock or an offset")), true
		}
		if name == "Exists" && len(d.group) == 0 && d.distinct == nil {
			d.count = false
			return in.Answer(inv.T, in.exists(h, &d)), true
		}
		rs := in.SendText(h, f)
		rs.One = true
		in.Execute(rs)
		if !rs.Mine || name == "Exists" {
			rs.Query.Returned = true
			return in.Fresh(inv.T, "count", memory.Unknown), true
		}
		v := in.Temp("count", client.Int, false) // there always is a row
		rs.Query.Into = []string{v}
		return in.Answer(inv.T, memory.Of(client.V(v), client.Int)), true
	case "UpdateAll":
		list, known := in.EntriesOf(inv.Args[len(inv.Args)-1])
		if !known || len(list) == 0 {
			return in.anything(inv, h, []string{t.plain}, false, "an UPDATE of sqlboiler whose columns are not known"), true
		}
		d.set, d.loads = settings(list), nil
	case "DeleteAll":
		hard := inv.Args[len(inv.Args)-1]
		if c, isConst := memory.ConstOf(hard); memory.Unbox(hard) != memory.Value(h) && (!isConst || !c.IsTrue()) {
			return in.anything(inv, h, []string{t.plain}, false, "a soft deletion of sqlboiler"), true
		}
		d.remove, d.loads = true, nil
	default:
		return nil, false
	}
	return in.write(inv, h, t, &d), true
}

// write sends an UPDATE or DELETE. A condition that is not known chooses any rows.
func (in *run) write(inv *session.Invocation, h *memory.Handle, t *table, d *draft) memory.Value {
	f, ok := in.text(d)
	if !ok {
		return in.anything(inv, h, nil, false, cmp.Or(d.lost, "a statement of sqlboiler on "+t.plain+" that is not known"))
	}
	rs := in.SendText(h, f)
	n := in.Counted(rs)
	in.Execute(rs)
	return in.result(inv, n)
}

// result gives the results of a write: how many rows it changed, if it says so, and no error.
func (in *run) result(inv *session.Invocation, n memory.Value) memory.Value {
	if _, several := inv.T.(*types.Tuple); several {
		return in.Answer(inv.T, n)
	}
	return &memory.Failure{}
}

// all sends a query for all its rows.
func (in *run) all(inv *session.Invocation, h *memory.Handle, t *table, d *draft) memory.Value {
	f, ok := in.text(d)
	fields, known := t.chosen(d)
	results, isTuple := inv.T.(*types.Tuple)
	if !ok || !isTuple {
		return in.lost(inv, h, d, true)
	}
	rs := in.SendText(h, f)
	defer in.load(h, t, d)
	of := results.At(0).Type()
	if known && len(d.loads) == 0 && in.KeepRows(rs, of, func(p *memory.Pointer) { in.take(rs, p.To, fields) }) {
		return in.Answer(inv.T, in.Fresh(of, "rows", memory.Unknown))
	}
	rs.Query.Returned = true
	in.Execute(rs)
	var list memory.Value
	memory.OfRows(in.Memory, func() { list = in.Fresh(of, "rows", memory.Unknown) })
	return in.Answer(inv.T, list)
}
