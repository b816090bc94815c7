package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/client"
	"github.com/txrobust/robust/ir"
)

// library is a call of a function whose role is known.
func (in *interp) library(inv *invocation, r role, name string) (value, bool) {
	args := inv.args
	switch r {
	case newErrorRole:
		return &failure{other: constTrue, kind: in.p.sentinel(in.p.position(in.pos).String())}, true
	case wrapRole:
		return in.wrapped(args), true
	case isRole:
		f, ok := unbox(args[0]).(*failure)
		g, also := unbox(args[1]).(*failure)
		if !ok || !also {
			break
		}
		return scalar{in.isError(f, g), client.Bool}, true
	case formatRole:
		format, ok := constOf(args[0])
		list, known := in.listOf(args[1])
		if !ok || !known {
			break
		}
		return scalar{in.sprintf(format.S, list), client.Text}, true
	case joinRole:
		list, known := in.listOf(args[0])
		sep, ok := constOf(args[1])
		if !known || !ok {
			break
		}
		out := client.Expr(client.C(ir.Text("")))
		for i, v := range list {
			if i > 0 {
				out = concat(out, client.C(sep))
			}
			out = concat(out, in.scalarOf(v).e)
		}
		return scalar{out, client.Text}, true
	case builderRole:
		return in.textBuilder(inv, name)
	case pureRole:
		k := kindOf(inv.t)
		if k == client.Any {
			return in.derive(inv.t, name, args...), true
		}
		return scalar{&client.Call{Name: name, Args: in.exprs(args), Kind: k}, k}, true
	case sameRole:
		if t, ok := inv.t.(*types.Tuple); ok {
			out := in.quiet(t).(tuple)
			out[0] = args[len(args)-1]
			return out, true
		}
		return args[len(args)-1], true
	case freshRole:
		v := in.freshValue(inv.t)
		return v, true
	case anyRole:
		return in.quiet(inv.t), true
	case idleRole:
		return in.idle(inv), true
	case exitRole:
		in.abort()
		return in.quietDead(inv.t), true
	case inTxRole:
		return in.inTransaction(inv)
	case collectRole, collectOne, forEachRole:
		return in.collect(inv, r)
	case getRole, selectRole, namedExecRole:
		for i, a := range args {
			if h, ok := unbox(a).(*handle); ok {
				return in.send(inv, h, r, args[i+1:])
			}
		}
	}
	return nil, false
}

func (in *interp) quietDead(t types.Type) value {
	if tt, ok := t.(*types.Tuple); ok {
		return in.deadValue(tt)
	}
	return scalar{client.C(ir.Null), client.Any}
}

// wrapped is an error that wraps those among its arguments.
func (in *interp) wrapped(args []value) value {
	var flat []value
	for _, a := range args {
		if list, ok := in.listOf(a); ok {
			flat = append(flat, list...)
		} else {
			flat = append(flat, a)
		}
	}
	for _, a := range flat {
		f, ok := unbox(a).(*failure)
		if !ok {
			continue
		}
		if is, known := truth(in.failed(f)); known && is || len(flat) > 1 {
			// The wrapped error may be nil, of which an error is made.
			return &failure{noRows: f.noRows, other: or(f.other, not(or(f.noRows, f.other))), kind: f.kind, code: f.code}
		}
		return f
	}
	return &failure{other: constTrue, kind: in.p.sentinel(in.p.position(in.pos).String())}
}

// freshValue gives a value that nobody used before, with no error.
func (in *interp) freshValue(t types.Type) value {
	if tt, ok := t.(*types.Tuple); ok {
		out := in.quiet(tt).(tuple)
		out[0] = in.freshValue(tt.At(0).Type())
		return out
	}
	k := kindOf(t)
	if k == client.Any {
		k = client.Text
	}
	v := in.temp("fresh", k, false)
	in.fresheds[v] = true
	in.emit(&client.Havoc{At: in.at(), Var: v, Fresh: true})
	return scalar{client.V(v), k}
}

// textBuilder is a method of strings.Builder or bytes.Buffer, or fmt.Fprintf to
// one.
func (in *interp) textBuilder(inv *invocation, name string) (value, bool) {
	p, ok := unbox(inv.args[0]).(*pointer)
	if !ok || !isBuilder(p.to.t) {
		return nil, false
	}
	have := in.scalarOf(in.load(p.to)).e
	add := func(e client.Expr) (value, bool) {
		in.store(p.to, scalar{concat(have, e), client.Text})
		return in.quiet(inv.t), true
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "WriteString":
		return add(in.scalarOf(inv.args[1]).e)
	case "WriteByte", "WriteRune":
		if c, ok := constOf(inv.args[1]); ok && c.Kind == ir.KindInt {
			return add(client.C(ir.Text(string(rune(c.I)))))
		}
		return add(&client.Call{Name: "char", Args: in.exprs(inv.args[1:]), Kind: client.Text})
	case "Fprintf":
		format, ok := constOf(inv.args[1])
		list, known := in.listOf(inv.args[2])
		if !ok || !known {
			return add(&client.Call{Name: "format", Args: in.exprs(inv.args[1:]), Kind: client.Text})
		}
		return add(in.sprintf(format.S, list))
	case "String":
		return scalar{have, client.Text}, true
	case "Len":
		return scalar{&client.Call{Name: "len", Args: []client.Expr{have}, Kind: client.Int}, client.Int}, true
	case "Reset":
		in.store(p.to, scalar{client.C(ir.Text("")), client.Text})
		return in.quiet(inv.t), true
	}
	return nil, false
}

// isBuilder reports whether a type builds a text.
func isBuilder(t types.Type) bool {
	return isNamed(t, "strings", "Builder") || isNamed(t, "bytes", "Buffer")
}

// onHandle is a call of a method of a value of the database.
func (in *interp) onHandle(inv *invocation, name string, sig *types.Signature) (value, bool) {
	args := inv.args[1:]
	switch recv := unbox(inv.args[0]).(type) {
	case *handle:
		if isNamed(recv.t, "gorm.io/gorm", "DB") {
			return in.onChain(inv, &chain{h: recv}, name, args)
		}
		return in.onDatabase(inv, recv, name, sig, args)
	case *chain:
		return in.onChain(inv, recv, name, args)
	case *foreign:
		return in.onForeign(inv, recv, name, args)
	case *sqlBuilder:
		return in.onBuilder(inv, recv, name, args)
	case *rows:
		return in.onRows(inv, recv, name, args)
	case *outcome:
		return in.onOutcome(inv, recv, name)
	case *prepared:
		return in.onPrepared(inv, recv, name, args)
	case *batch:
		return in.onBatch(inv, recv, name, args)
	case *pointer:
		if b, ok := in.batchAt(recv); ok {
			return in.onBatch(inv, b, name, args)
		}
	}
	return nil, false
}

// withoutContext drops a context in front.
func (in *interp) withoutContext(sig *types.Signature, args []value) []value {
	if sig.Params().Len() > 0 && isNamed(sig.Params().At(0).Type(), "context", "Context") {
		return args[1:]
	}
	return args
}

func (in *interp) onDatabase(inv *invocation, h *handle, name string, sig *types.Signature, args []value) (value, bool) {
	args = in.withoutContext(sig, args)
	if q, ok := in.beginForeign(h, name, args); ok {
		return q, true
	}
	if entType(sig.Recv().Type()) != "" && (name == "Client" || name == "Debug") {
		return &handle{kind: h.kind, site: h.site, point: h.point, t: inv.t}, true
	}
	r := methods[name]
	switch r {
	case execRole, queryRole, queryRowRole, getRole, selectRole, namedExecRole, namedRowsRole:
		return in.send(inv, h, r, args)
	case beginRole:
		if !in.p.begins(sig) {
			return nil, false
		}
		tx := in.begin(h, args)
		if t, ok := inv.t.(*types.Tuple); ok {
			out := in.quiet(t).(tuple)
			out[0] = tx
			return out, true
		}
		return tx, true
	case commitRole:
		in.commit(h)
		return in.quiet(inv.t), true
	case rollbackRole:
		in.rollback(h)
		return in.quiet(inv.t), true
	case prepareRole:
		p := &prepared{h: h, sql: args[len(args)-1], byName: strings.HasPrefix(name, "PrepareNamed")}
		for _, a := range args { // pgx: name, SQL
			if s, ok := a.(scalar); ok && s.kind == client.Text {
				p.sql = s
			}
		}
		if t, ok := inv.t.(*types.Tuple); ok {
			out := in.quiet(t).(tuple)
			out[0] = p
			return out, true
		}
		return p, true
	case inTxRole:
		return in.inTransaction(inv)
	case copyRole:
		return in.copyFrom(inv, h, args), true
	case sendBatchRole:
		return in.sendBatch(inv, h, args), true
	case withRole:
		if t, ok := inv.t.(*types.Tuple); ok {
			out := in.quiet(t).(tuple)
			out[0] = h
			return out, true
		}
		return h, true
	case sameRole:
		if len(args) == 0 {
			return h, true
		}
		v := args[len(args)-1]
		if p, ok := unbox(v).(*prepared); ok { // tx.Stmt(p)
			return &prepared{h: h, sql: p.sql}, true
		}
		return v, true
	case idleRole:
		return in.idle(inv), true
	}
	return nil, false
}

// begin begins a transaction.
func (in *interp) begin(h *handle, args []value) *handle {
	if h.kind == transaction { // in a transaction: a savepoint
		in.points++
		n := &handle{kind: transaction, site: h.site, point: "point" + itoa(in.points), t: h.t}
		if in.owns(h) && in.st.phase == open {
			in.emit(&client.Savepoint{At: in.at(), Name: n.point})
		}
		return n
	}
	site := in.path()
	tx := &handle{kind: transaction, site: site, t: h.t}
	in.newSite(site)
	if site != in.site {
		return tx
	}
	in.st.phase, in.begun = open, true
	in.beginPos = in.p.position(in.pos)
	if level := in.levelOf(args); level != "" {
		in.level = level
	}
	b := &client.Block{At: in.at(), Label: beginLabel}
	in.emit(b)
	return tx
}

// beginLabel marks where the transaction begins.
const beginLabel = "begin"

// path says where an instruction stands: its position, and the calls around.
func (in *interp) path() string {
	s := in.p.position(in.pos).String()
	for f := in.fr; f != nil && f.caller != nil; f = f.caller {
		s = in.p.position(f.at).String() + " > " + s
	}
	return s
}

// owns reports whether a handle is one of the transaction that is written.
func (in *interp) owns(h *handle) bool {
	return h.kind == transaction && in.site != "" && h.site == in.site
}

func (in *interp) commit(h *handle) {
	if !in.owns(h) || in.st.phase != open || h.point != "" {
		return
	}
	in.emit(&client.Commit{At: in.at()})
	in.st.phase = done
}

func (in *interp) rollback(h *handle) {
	switch {
	case !in.owns(h) || in.st.phase != open:
	case h.point != "":
		in.emit(&client.RollbackTo{At: in.at(), Name: h.point})
	default:
		in.emit(&client.Rollback{At: in.at()})
		in.st.phase, in.st.rolled = done, true
	}
}

// inTransaction runs a function in a transaction, as libraries do.
func (in *interp) inTransaction(inv *invocation) (value, bool) {
	var h *handle
	var from *chain
	var fn value
	for _, a := range inv.args {
		switch a := unbox(a).(type) {
		case *handle:
			if h == nil {
				h = a
			}
		case *chain:
			h, from = a.h, a
		case *closure, *asked:
			fn = a
		}
	}
	if h == nil || fn == nil {
		return nil, false
	}
	tx := in.begin(h, inv.args)
	sig := in.functionType(inv)
	call := &invocation{c: inv.c, fn: fn, at: inv.at, t: sig.Results()}
	if sig.Results().Len() == 1 {
		call.t = sig.Results().At(0).Type()
	}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if in.p.handleType(t) != "" {
			if from != nil {
				call.args = append(call.args, in.with(from, tx))
			} else {
				call.args = append(call.args, tx)
			}
		} else {
			call.args = append(call.args, in.quiet(t))
		}
	}
	var result value
	switch fn := fn.(type) {
	case *closure:
		result = in.callFunction(call, fn)
	case *asked:
		in.callers("the function " + fn.name + " comes from its caller")
		result = in.unknownCall("a call of a function that is not known", call.args, call.t)
	}
	if in.st == nil {
		return in.quietDead(inv.t), true
	}
	f, ok := unbox(result).(*failure)
	if !ok {
		f = &failure{}
		if call.t != nil && isError(call.t) { // which may be nil
			in.emitValue(result)
			f = in.fresh(call.t, "err", unknown).(*failure)
		}
	}
	in.either(in.failed(f), func() { in.rollback(tx) }, func() { in.commit(tx) })
	return f, true
}

// functionType gives the type of the function among the arguments.
func (in *interp) functionType(inv *invocation) *types.Signature {
	for _, a := range inv.c.Args {
		if sig, ok := a.Type().Underlying().(*types.Signature); ok {
			return sig
		}
	}
	return types.NewSignatureType(nil, nil, nil, nil, nil, false)
}

// levelOf gives the isolation level among the options of a transaction.
func (in *interp) levelOf(args []value) string {
	for _, a := range args {
		v := unbox(a)
		if p, ok := v.(*pointer); ok && !isTrue(p.nil()) {
			v = in.load(p.to)
		}
		o, ok := v.(*aggregate)
		if !ok {
			continue
		}
		ts, names := parts(o.t)
		for i, name := range names {
			if name != "Isolation" && name != "IsoLevel" {
				continue
			}
			c, ok := constOf(o.parts[i])
			if !ok {
				return ""
			}
			if c.Kind == ir.KindText {
				return c.S
			}
			_ = ts
			return sqlLevels[c.I]
		}
	}
	return ""
}

// sqlLevels are the constants of sql.IsolationLevel.
var sqlLevels = map[int64]string{1: "read uncommitted", 2: "read committed", 3: "read committed", 4: "repeatable read", 5: "repeatable read",
	6: "serializable", 7: "serializable"}

// send is a statement that is sent through a handle.
func (in *interp) send(inv *invocation, h *handle, r role, args []value) (value, bool) {
	if len(args) == 0 {
		return nil, false
	}
	var dest value
	if r == getRole || r == selectRole {
		dest, args = args[0], args[1:]
		if _, ok := unbox(dest).(*pointer); !ok || len(args) == 0 {
			return nil, false
		}
	}
	var rest []value
	open := false
	for _, a := range args[1:] {
		list, ok := in.listOf(a)
		if !ok {
			open = true
			continue
		}
		rest = append(rest, list...)
	}
	var named value
	if r == namedExecRole || r == namedRowsRole {
		named, rest, open = args[1], nil, false
	}
	rs := in.statement(h, args[0], rest, open, named)
	switch r {
	case execRole, namedExecRole:
		in.execute(rs)
		out := &outcome{rs.query, rs.mine}
		if t, ok := inv.t.(*types.Tuple); ok {
			v := in.quiet(t).(tuple)
			v[0] = out
			return v, true
		}
		return out, true
	case queryRowRole:
		rs.one = true
		in.execute(rs)
		return rs, true
	case queryRole, namedRowsRole:
		if t, ok := inv.t.(*types.Tuple); ok {
			v := in.quiet(t).(tuple)
			v[0] = rs
			return v, true
		}
		return rs, true
	case getRole:
		rs.one = true
		in.execute(rs)
		return in.into1(rs, dest, true), true
	case selectRole:
		in.all(rs, dest)
		return &failure{}, true
	}
	return nil, false
}

// execute writes a query apart from a loop.
func (in *interp) execute(r *rows) {
	if !r.mine || r.emitted || in.st == nil {
		return
	}
	r.emitted = true
	in.emit(r.query)
}

// all stores all rows of a query in a slice: the program may look at each.
func (in *interp) all(rs *rows, dest value) {
	rs.query.Returned = true
	in.execute(rs)
	if p, ok := unbox(dest).(*pointer); ok {
		in.forget(p.to)
	}
}

// statement makes the query of a statement, which execute or a loop writes.
func (in *interp) statement(h *handle, sql value, args []value, more bool, named value) *rows {
	e := in.scalarOf(sql).e
	texts := in.textsOf(e)
	if in.st.phase == done {
		h = &handle{kind: database}
	}
	rs := &rows{h: h, pos: in.p.position(in.pos), mine: in.owns(h) && in.st.phase == open}
	text := texts[0]
	if len(texts) > 1 {
		text = commonText(texts)
	}
	q := &client.Query{At: client.At{Pos: rs.pos}, SQL: text, Open: more}
	rs.query = q
	for _, a := range args {
		if list := in.namedArgs(a); list != nil && isNamedArg(a) {
			q.Named = append(q.Named, list...)
			continue
		}
		if isOption(a) {
			continue
		}
		s := in.scalarOf(a)
		if rs.mine {
			q.Args = append(q.Args, s.e)
		} else {
			in.emitValue(a)
			q.Args = append(q.Args, s.e)
		}
	}
	if named != nil {
		q.Named = in.namedArgs(named)
		q.Open = q.Named == nil
	}
	if lead, _, found := strings.Cut(text, client.Hole); found && strings.TrimSpace(lead) == "" && in.site == "" && in.result.text == "" && in.given(e) {
		in.result.text = "the text of a statement comes from its caller"
	}
	if h.kind != transaction && in.site == "" {
		in.auto(rs, texts, args)
	}
	return rs
}

// isNamedArg reports whether an argument is for parameters with names.
func isNamedArg(v value) bool {
	b, ok := v.(box)
	if !ok {
		return false
	}
	n := typeName(b.t)
	return n == "database/sql.NamedArg" || strings.HasSuffix(n, ".NamedArgs") || strings.HasSuffix(n, ".StrictNamedArgs")
}

// isOption reports whether an argument is no value but an option of pgx.
func isOption(v value) bool {
	b, ok := v.(box)
	if !ok {
		return false
	}
	n := typeName(b.t)
	return strings.HasSuffix(n, "pgx/v5.QueryExecMode") || strings.HasSuffix(n, "pgx/v5.QueryResultFormats")
}

// namedArgs gives the values of named parameters in a struct or pgx.NamedArgs.
func (in *interp) namedArgs(v value) []client.Arg {
	if _, isMap := unbox(v).(*dict); isMap {
		list, known := in.entriesOf(v)
		out := []client.Arg{}
		for _, e := range list {
			known = known && e.when == nil
			out = append(out, client.Arg{Name: e.key, Expr: in.scalarOf(e.v).e})
		}
		if !known {
			return nil
		}
		return out
	}
	b, ok := v.(box)
	if !ok {
		return nil
	}
	x := unbox(v)
	if p, isPointer := x.(*pointer); isPointer {
		x = in.load(p.to)
	}
	if sql, ok := x.(*aggregate); ok && typeName(b.t) == "database/sql.NamedArg" {
		if name, known := constOf(sql.parts[len(sql.parts)-2]); known {
			return []client.Arg{{Name: name.S, Expr: in.scalarOf(sql.parts[len(sql.parts)-1]).e}}
		}
		return nil
	}
	a, ok := x.(*aggregate)
	if !ok || storable(b.t) || isTime(b.t) {
		return nil
	}
	var out []client.Arg
	for i, name := range columnNames(a.t) {
		if name != "" {
			out = append(out, client.Arg{Name: name, Expr: in.scalarOf(a.parts[i]).e})
		}
	}
	return out
}

// columnNames gives the columns that the fields of a struct stand for: their tag
// db, or their name.
func columnNames(t types.Type) []string {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	out := make([]string, s.NumFields())
	for i := range out {
		tag := structTag(s.Tag(i), "db")
		tag, _, _ = strings.Cut(tag, ",")
		switch {
		case tag == "-", !s.Field(i).Exported():
		case tag != "":
			out[i] = tag
		default:
			out[i] = strings.ToLower(s.Field(i).Name())
		}
	}
	return out
}

// onRows is a method of rows.
func (in *interp) onRows(inv *invocation, r *rows, name string, args []value) (value, bool) {
	switch name {
	case "Next":
		return in.next(inv, r), true
	case "Scan":
		list, ok := in.listOf(args[0])
		if !ok {
			in.execute(r)
			r.query.Returned = true
			return in.fresh(inv.t, "err", unknown), true
		}
		return in.scan(r, list), true
	case "StructScan":
		return in.into1(r, args[0], true), true
	case "Err", "Close":
		if name == "Err" && r.one { // *sql.Row
			return in.rowError(r), true
		}
		return in.quiet(inv.t), true
	case "CommandTag":
		return &outcome{r.query, r.mine}, true
	case "NextResultSet", "Columns", "ColumnTypes", "FieldDescriptions", "Values", "MapScan", "SliceScan", "RawValues":
		r.query.Returned = true
		in.execute(r)
		return in.quiet(inv.t), true
	}
	return nil, false
}

func (in *interp) next(inv *invocation, r *rows) value {
	f := in.fr
	b := inv.site
	if !r.mine || b == nil {
		in.execute(r)
		return scalar{client.V(in.newVar("more", client.Bool, false, unknown)), client.Bool}
	}
	block := inv.site.(ssa.Instruction).Block()
	if t := f.targets[block]; t != nil && t.head != nil && !r.emitted && t.head.rows == nil {
		t.head.rows, t.head.next = r, inv.site
		return scalar{client.V("next"), client.Bool}
	}
	// Once, for the first row.
	in.execute(r)
	return scalar{in.found(r), client.Bool}
}

// rowError is the error of a row that is not there.
func (in *interp) rowError(r *rows) value {
	if !r.mine {
		return in.fresh(types.Universe.Lookup("error").Type(), "err", unknown)
	}
	return &failure{noRows: not(in.found(r))}
}

// scan stores the columns of the row in variables.
func (in *interp) scan(r *rows, dests []value) value {
	if !r.mine {
		for _, d := range dests {
			if p, ok := unbox(d).(*pointer); ok {
				in.forget(p.to)
			}
		}
		if r.one {
			return in.fresh(types.Universe.Lookup("error").Type(), "err", unknown)
		}
		return &failure{}
	}
	if len(dests) == 1 {
		if p, ok := unbox(dests[0]).(*pointer); ok {
			if ts, _ := parts(p.to.t); ts != nil && !optional(p.to.t) {
				return in.into1(r, dests[0], false)
			}
		}
	}
	for len(r.query.Into) < len(dests) {
		r.query.Into = append(r.query.Into, "")
	}
	for i, d := range dests {
		p, ok := unbox(d).(*pointer)
		if !ok || isTrue(p.nil()) {
			continue
		}
		v := r.query.Into[i]
		if v == "" {
			v = in.column(p.to)
			r.query.Into[i] = v
		}
		in.arrive(r, p.to, v)
	}
	return in.scanned(r)
}

// column makes the variable for a column that goes to a cell.
func (in *interp) column(c *cell) string {
	k, null := destination(c.t)
	return in.temp(c.name, k, null)
}

// destination gives the kind of values that a variable takes, and whether it
// takes NULL.
func destination(t types.Type) (client.Kind, bool) {
	if at, ok := optionalValue(t); ok {
		ts, _ := parts(t)
		return kindOf(ts[at[0]]), true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return kindOf(p.Elem()), true
	}
	k := kindOf(t)
	return k, k == client.Any
}

// arrive stores a column in a cell, if there is a row.
func (in *interp) arrive(r *rows, c *cell, v string) {
	var w value
	switch at, ok := optionalValue(c.t); {
	case ok:
		w = in.optionalOf(c.t, at, v)
	case isPointer(c.t):
		e := c.t.Underlying().(*types.Pointer).Elem()
		to := in.newCell(e, c.name, zeroed)
		in.st.mem[to] = scalar{client.V(v), kindOf(e)}
		w = &pointer{to: to, isNil: op("null", client.V(v))}
	default:
		w = scalar{client.V(v), kindOf(c.t)}
	}
	if c.start != zeroed {
		in.emitExpr(client.V(v))
	}
	if !r.one || c.start == unknown || same(in.load(c), in.zero(c.t)) {
		in.store(c, w)
		return
	}
	in.found(r)
	in.either(client.V(r.query.Found), func() { in.store(c, w) }, func() {})
}

// found makes the variable that says whether there was a row.
func (in *interp) found(r *rows) client.Expr {
	if r.query.Found == "" {
		r.query.Found = in.temp("found", client.Bool, false)
	}
	return client.V(r.query.Found)
}

// scanned is the error of Scan.
func (in *interp) scanned(r *rows) value {
	f := &failure{}
	if r.query.Null == "" {
		r.query.Null = in.temp("null", client.Bool, false)
	}
	if r.one {
		f.noRows = not(in.found(r))
	}
	f.other = client.V(r.query.Null)
	return f
}

// into1 stores the row in a struct or variable, by the names of its columns or
// their order.
func (in *interp) into1(r *rows, dest value, byName bool) value {
	p, ok := unbox(dest).(*pointer)
	if !ok {
		r.query.Returned = true
		return in.fresh(types.Universe.Lookup("error").Type(), "err", unknown)
	}
	if !r.mine {
		in.forget(p.to)
		return in.fresh(types.Universe.Lookup("error").Type(), "err", unknown)
	}
	if p.to.whole() || optional(p.to.t) {
		return in.scan(r, []value{dest})
	}
	if !byName {
		var list []value
		for i := range p.to.parts {
			list = append(list, &pointer{to: p.to.part(i)})
		}
		return in.scan(r, list)
	}
	in.byName(r, p.to, nil)
	return in.scanned(r)
}

// byName fills the fields of a struct, those of embedded ones included.
func (in *interp) byName(r *rows, c *cell, path []string) {
	s := c.t.Underlying().(*types.Struct)
	for i, name := range columnNames(c.t) {
		f := c.part(i)
		if s.Field(i).Embedded() && f != nil && !f.whole() && structTag(s.Tag(i), "db") == "" {
			in.byName(r, f, path)
			continue
		}
		if name == "" {
			continue
		}
		if at := slices.IndexFunc(r.query.ByName, func(a client.Arg) bool { return a.Name == name }); at >= 0 {
			in.arrive(r, f, r.query.ByName[at].Expr.(*client.VarExpr).Name)
			continue
		}
		if f.whole() || optional(f.t) {
			v := in.column(f)
			r.query.ByName = append(r.query.ByName, client.Arg{Name: name, Expr: client.V(v)})
			in.arrive(r, f, v)
		}
	}
}

func (in *interp) onOutcome(inv *invocation, o *outcome, name string) (value, bool) {
	switch name {
	case "RowsAffected":
		var v value
		switch {
		case !o.mine:
			v = in.fresh(types.Typ[types.Int64], "affected", unknown)
		case o.query.Count == "":
			o.query.Count = in.temp("affected", client.Int, false)
			fallthrough
		default:
			v = scalar{client.V(o.query.Count), client.Int}
		}
		if t, ok := inv.t.(*types.Tuple); ok {
			out := in.quiet(t).(tuple)
			out[0] = v
			return out, true
		}
		return v, true
	case "LastInsertId":
		v := in.temp("inserted", client.Int, false)
		in.emit(&client.Havoc{At: in.at(), Var: v, Fresh: true})
		out := in.quiet(inv.t).(tuple)
		out[0] = scalar{client.V(v), client.Int}
		return out, true
	case "String", "Insert", "Update", "Delete", "Select":
		return in.quiet(inv.t), true
	}
	return nil, false
}

func (in *interp) onPrepared(inv *invocation, p *prepared, name string, args []value) (value, bool) {
	r := methods[name]
	switch r {
	case execRole, queryRole, queryRowRole, getRole, selectRole:
		sig := inv.c.Signature()
		args = in.withoutContext(sig, args)
		if p.byName {
			return in.sendByName(inv, p, r, args)
		}
		if r == getRole || r == selectRole {
			args = append([]value{args[0], p.sql}, args[1:]...)
		} else {
			args = append([]value{p.sql}, args...)
		}
		return in.send(inv, p.h, r, args)
	}
	return in.idle(inv), true
}

// copyFrom is pgx's COPY: an insertion of rows that are not known.
func (in *interp) copyFrom(inv *invocation, h *handle, args []value) value {
	for _, a := range args {
		in.emitValue(a)
	}
	table := ""
	if list, ok := in.listOf(args[0]); ok {
		for _, v := range list {
			if c, known := constOf(v); known {
				table = c.S
			} else {
				table = ""
			}
		}
	}
	if in.owns(h) && in.st.phase == open {
		u := &client.Unknown{At: in.at(), Reason: "CopyFrom"}
		if table != "" {
			u.Tables = []string{table}
		}
		in.emit(u)
	} else if h.kind != transaction && in.site == "" {
		text := "INSERT INTO " + client.Hole
		if table != "" {
			text = "INSERT INTO " + table + " " + client.Hole
		}
		in.auto(&rows{h: h, pos: in.p.position(in.pos), query: &client.Query{At: in.at(), SQL: text}}, []string{text}, nil)
	}
	return in.quiet(inv.t)
}
