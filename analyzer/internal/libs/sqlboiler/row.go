package sqlboiler

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
)

// columns is a boil.Columns. Its kinds are numbered as in package boil.
type columns struct {
	kind  int
	cols  []string
	known bool
}

const (
	noColumns = iota
	inferred
	whitelist
	greylist
	blacklist
)

func (c *columns) Live() bool                      { return false }
func (c *columns) Sends() bool                     { return false }
func (c *columns) Same(o memory.Value) bool        { return o == memory.Value(c) }
func (c *columns) Depends() ([]memory.Value, bool) { return nil, false }

// columnsAmong gives the lists of columns among arguments, in order.
func columnsAmong(args []memory.Value) (list []*columns, known bool) {
	known = true
	for _, a := range args {
		if c, ok := memory.Unbox(a).(*columns); ok {
			list, known = append(list, c), known && c.known
		}
	}
	return list, known && len(list) > 0
}

// onRow is a generated method of a struct that is a row.
func (in *run) onRow(inv *session.Invocation, h *memory.Handle, t *table, name string) (memory.Value, bool) {
	switch name {
	case "Insert", "Update", "Upsert", "Delete", "Reload", "Exists":
	default: // relations that are set, which are read
		return nil, false
	}
	p, ok := memory.Unbox(inv.Args[0]).(*memory.Pointer)
	var row *memory.Cell
	if ok && !memory.IsTrue(p.Nil()) {
		row, ok = in.StructCell(p)
	}
	cols, known := columnsAmong(inv.Args)
	if !ok || row == nil || (name == "Insert" || name == "Update") && !known {
		in.AskCaller(inv.Args[0], "a row that sqlboiler writes comes from its caller")
		return in.anything(inv, h, []string{t.plain}, name == "Reload" || name == "Exists", name+" of sqlboiler of a row or of columns that are not known"), true
	}
	switch name {
	case "Insert":
		return in.insert(inv, h, t, row, cols[0]), true
	case "Update":
		return in.update(inv, h, t, row, cols[0]), true
	case "Upsert":
		return in.upsert(inv, h, t, row, cols), true
	case "Delete":
		return in.remove(inv, h, t, row), true
	}
	d := &draft{from: []string{t.name}, columns: []string{t.name + ".*"}, where: in.byKey(t, row)}
	if t.softly {
		d.where = append(d.where, clause{f: sqltext.Frag(`"deleted_at" is null`)})
	}
	if name == "Exists" {
		return in.Answer(inv.T, in.exists(h, d)), true
	}
	f, _ := in.text(d)
	rs := in.SendText(h, f)
	rs.One = true
	in.Execute(rs)
	in.forgetRelations(row)
	if !rs.Mine {
		in.Forget(row)
		return in.SomeError(), true
	}
	in.take(rs, row, t.fields)
	return &memory.Failure{NoRows: client.Not(in.Found(rs))}, true
}

// byKey gives the condition that a row is the one of a struct.
func (in *run) byKey(t *table, row *memory.Cell) []clause {
	var out []clause
	for _, k := range t.keys() {
		out = append(out, clause{f: sqltext.Frag(quoted(k.name) + "=").Plus(in.fieldValue(row, k))})
	}
	return out
}

// fieldValue is the text for what a field holds.
func (in *run) fieldValue(row *memory.Cell, f *field) sqltext.Fragment {
	return in.value(memory.Box{V: in.Load(row.Part(f.at)), T: f.t})
}

// stamp sets the columns that a method sets, to the time: some only where they are zero.
func (in *run) stamp(t *table, row *memory.Cell, method string) {
	for _, f := range t.fields {
		if t.stamped[method][f.at] {
			in.Store(row.Part(f.at), in.Fresh(f.t, "now", memory.Unknown))
		}
	}
}

// maxUnclear bounds the columns with a default of which it is not known whether they have a value: there is a
// statement for each choice of them. Beyond that they have any value.
const maxUnclear = 2

// insert is Insert.
func (in *run) insert(inv *session.Invocation, h *memory.Handle, t *table, row *memory.Cell, c *columns) memory.Value {
	in.stamp(t, row, "Insert")
	in.eachInsert(t, row, c, func(list, back []*field) {
		f := in.insertText(t, row, list)
		in.sendBack(h, t, row, f, back, false)
	})
	if !in.Reached() {
		return in.QuietDead(inv.T)
	}
	return in.result(inv, in.SomeCount())
}

// sendBack sends a statement that gives columns back to a struct. absent says that there may be no row.
func (in *run) sendBack(h *memory.Handle, t *table, row *memory.Cell, f sqltext.Fragment, back []*field, absent bool) {
	if len(back) > 0 {
		names := make([]string, len(back))
		for i, b := range back {
			names[i] = quoted(b.name)
		}
		f.Text += " RETURNING " + strings.Join(names, ", ")
	}
	rs := in.SendText(h, f)
	rs.One = absent && len(back) > 0
	in.Execute(rs)
	switch {
	case len(back) == 0:
	case rs.Mine:
		in.take(rs, row, back)
	default:
		for _, b := range back {
			in.Forget(row.Part(b.at))
		}
	}
}

// eachInsert calls send with the columns of an INSERT and those that come back, for each choice of the columns of which
// it is not known whether they have a value.
func (in *run) eachInsert(t *table, row *memory.Cell, c *columns, send func(list, back []*field)) {
	var list, back []*field
	unclear := 0
	var next func(at int)
	next = func(at int) {
		if at == len(t.fields) {
			send(list, back)
			return
		}
		f := t.fields[at]
		named := slices.Contains(c.cols, f.name)
		with := func() {
			before := len(list)
			list = append(list[:before:before], f)
			next(at + 1)
			list = list[:before]
		}
		without := func() {
			before := len(back)
			if f.hasDefault {
				back = append(back[:before:before], f)
			}
			next(at + 1)
			back = back[:before]
		}
		switch {
		case f.generated:
			without()
		case c.kind == whitelist && named, c.kind == greylist && named, c.kind != whitelist && c.kind != noColumns && !f.hasDefault && !(c.kind == blacklist && named):
			with()
		case c.kind == whitelist, c.kind == noColumns, c.kind == blacklist && named:
			without()
		default:
			nz := in.NonZero(in.Load(row.Part(f.at)), f.t)
			is, known := in.Known(nz)
			switch {
			case known && is:
				with()
			case known:
				without()
			case unclear < maxUnclear:
				unclear++
				in.Either(nz, with, without)
				unclear--
			default:
				in.Forget(row.Part(f.at))
				with()
			}
		}
	}
	next(0)
}

// insertText gives the text of an INSERT of a struct.
func (in *run) insertText(t *table, row *memory.Cell, list []*field) sqltext.Fragment {
	if len(list) == 0 {
		return sqltext.Frag("INSERT INTO " + t.name + " DEFAULT VALUES")
	}
	var names []string
	var vals []sqltext.Fragment
	for _, f := range list {
		names = append(names, quoted(f.name))
		vals = append(vals, in.fieldValue(row, f))
	}
	return sqltext.Frag("INSERT INTO "+t.name+" ("+strings.Join(names, ", ")+") VALUES (").Plus(sqltext.Join(vals, ", "), sqltext.Frag(")"))
}

// updated gives the columns that an UPDATE sets.
func (c *columns) updated(t *table) []*field {
	var out []*field
	for _, f := range t.fields {
		named := slices.Contains(c.cols, f.name)
		if f.generated {
			continue
		}
		if c.kind == whitelist && named || c.kind == greylist && (named || !f.key) || c.kind == inferred && !f.key || c.kind == blacklist && !f.key && !named {
			out = append(out, f)
		}
	}
	return out
}

// update is Update.
func (in *run) update(inv *session.Invocation, h *memory.Handle, t *table, row *memory.Cell, c *columns) memory.Value {
	in.stamp(t, row, "Update")
	d := &draft{from: []string{t.name}, where: in.byKey(t, row), set: []sqltext.Setting{}}
	for _, f := range c.updated(t) {
		if c.kind != whitelist && f.kept {
			continue
		}
		d.set = append(d.set, sqltext.Setting{Name: f.name, Value: memory.Box{V: in.Load(row.Part(f.at)), T: f.t}})
	}
	if len(d.set) == 0 { // it gives an error
		return in.Fresh(inv.T, "result", memory.Unknown)
	}
	return in.write(inv, h, t, d)
}

// remove is Delete.
func (in *run) remove(inv *session.Invocation, h *memory.Handle, t *table, row *memory.Cell) memory.Value {
	hard := inv.Args[len(inv.Args)-1]
	if c, isConst := memory.ConstOf(hard); memory.Unbox(hard) != memory.Value(h) && (!isConst || !c.IsTrue()) {
		return in.anything(inv, h, []string{t.plain}, false, "a soft deletion of sqlboiler")
	}
	return in.write(inv, h, t, &draft{from: []string{t.name}, remove: true, where: in.byKey(t, row)})
}

// upsert is Upsert, as sqlboiler writes it for PostgreSQL.
func (in *run) upsert(inv *session.Invocation, h *memory.Handle, t *table, row *memory.Cell, cols []*columns) memory.Value {
	at := slices.IndexFunc(inv.Args, func(v memory.Value) bool { return memory.Unbox(v) == memory.Value(h) })
	last := inv.Args[len(inv.Args)-1]
	_, plain := memory.Unbox(last).(*columns)
	if len(cols) != 2 || !cols[0].known || !cols[1].known || len(inv.Args) < at+5 || !plain && !isEmpty(in, last) {
		return in.anything(inv, h, []string{t.plain}, false, "an upsert of sqlboiler with parts that are not known")
	}
	updates, isConst := memory.ConstOf(inv.Args[at+1])
	target, known := in.TextArgs(inv.Args[at+2 : at+3])
	if !isConst || !known {
		return in.anything(inv, h, []string{t.plain}, false, "an upsert of sqlboiler with parts that are not known")
	}
	in.stamp(t, row, "Upsert")
	set := cols[0].updated(t)
	conflict := " ON CONFLICT "
	if len(target) == 0 && updates.IsTrue() {
		for _, k := range t.keys() {
			target = append(target, k.name)
		}
	}
	if len(target) > 0 {
		conflict += "(" + quotedList(target) + ") "
	}
	if !updates.IsTrue() || len(set) == 0 {
		conflict += "DO NOTHING"
	} else {
		var parts []string
		for _, f := range set {
			parts = append(parts, quoted(f.name)+" = EXCLUDED."+quoted(f.name))
		}
		conflict += "DO UPDATE SET " + strings.Join(parts, ", ")
	}
	in.eachInsert(t, row, cols[1], func(list, _ []*field) {
		var back []*field
		for _, f := range t.fields {
			if !slices.Contains(list, f) || !slices.Contains(set, f) {
				back = append(back, f)
			}
		}
		f := in.insertText(t, row, list)
		f.Text += conflict
		in.sendBack(h, t, row, f, back, true)
	})
	if !in.Reached() {
		return in.QuietDead(inv.T)
	}
	return in.result(inv, in.SomeCount())
}

// onSlice is a generated method of a slice of rows: it writes, or reads, any rows.
func (in *run) onSlice(inv *session.Invocation, h *memory.Handle, t *table, name string) (memory.Value, bool) {
	d := &draft{from: []string{t.name}, where: []clause{{f: sqltext.Frag(client.Hole)}}}
	in.EmitValue(inv.Args[0])
	switch name {
	case "DeleteAll":
		hard := inv.Args[len(inv.Args)-1]
		if c, isConst := memory.ConstOf(hard); memory.Unbox(hard) != memory.Value(h) && (!isConst || !c.IsTrue()) {
			return in.anything(inv, h, []string{t.plain}, false, "a soft deletion of sqlboiler"), true
		}
		d.remove = true
	case "UpdateAll":
		list, known := in.EntriesOf(inv.Args[len(inv.Args)-1])
		if !known || len(list) == 0 {
			return in.anything(inv, h, []string{t.plain}, false, "an UPDATE of sqlboiler whose columns are not known"), true
		}
		d.set = settings(list)
	case "ReloadAll":
		return in.anything(inv, h, []string{t.plain}, true, "ReloadAll of sqlboiler, which gives rows that are not known"), true
	default:
		return nil, false
	}
	return in.write(inv, h, t, d), true
}
