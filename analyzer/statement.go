package analyzer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

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
			if r != namedExecRole && r != namedRowsRole { // it depends on it in a way that is not known
				in.emitValue(a)
			}
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
		return in.answer(inv.t, out), true
	case queryRowRole:
		rs.one = true
		in.execute(rs)
		return rs, true
	case queryRole, namedRowsRole:
		return in.answer(inv.t, rs), true
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
	if in.st == nil || !r.mine || in.st.sent[r] {
		return
	}
	in.st.sent[r] = true
	in.emit(r.query)
}

// flush writes the queries whose rows nobody has looked at yet: the statements keep
// their order.
func (in *interp) flush() {
	for _, q := range in.st.pending() {
		in.execute(q)
	}
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
	rs := &rows{h: h, pos: in.place(), mine: in.owns(h) && in.st.phase == open}
	if in.trace != nil {
		rs.pos = in.sent(h)
	}
	if rs.mine && slices.ContainsFunc(texts, setsSavepoint) {
		in.saves = true
	}
	texts = withoutTwins(texts)
	text := texts[0]
	if len(texts) > 1 {
		text = commonText(texts)
	}
	q := &client.Query{At: client.At{Pos: rs.pos}, SQL: text, Open: more}
	rs.query = q
	if len(texts) > 1 && !slices.Contains(texts, client.Hole) {
		in.alternatives[q] = alternative{e, texts}
	} else if strings.Contains(text, client.Hole) {
		in.emitExpr(e)
	}
	if list := in.gorpNamed(h, text, args); list != nil {
		q.Named, args = list, nil
	}
	for _, a := range args {
		if list := in.namedArgs(a); list != nil && isNamedArg(a) {
			q.Named = append(q.Named, list...)
			continue
		}
		if isOption(a) {
			continue
		}
		e := in.scalarOf(a).e
		if !rs.mine {
			in.emitValue(a)
		}
		q.Args = append(q.Args, e)
	}
	if named != nil {
		q.Named = in.namedArgs(named)
		if q.Named == nil {
			q.Open = true
			in.emitValue(named)
		}
	}
	if !rs.mine { // who gets it sees it
		in.outside()
		in.emitExpr(e)
		for _, a := range q.Named {
			in.emitExpr(a.Expr)
		}
	}
	if lead, _, found := strings.Cut(text, client.Hole); found && strings.TrimSpace(lead) == "" && in.site == "" && in.given(e) {
		in.result.fromCaller("the text of a statement comes from its caller", in.pos)
	}
	switch {
	case in.perhaps(h):
		sent := *q
		sent.Returned = true
		in.alternatives[&sent] = in.alternatives[q]
		in.flush()
		in.choose(func() { in.emit(&sent) })
	case rs.mine:
		in.flush()
		in.st.sent[rs] = false
	case in.site == "" && (h.kind != transaction || h.lost):
		if in.alternatives[q].texts == nil {
			texts = []string{text}
		}
		for _, t := range texts {
			in.auto(rs, t, args)
		}
	}
	return rs
}

// place gives where a statement is sent: of a function that sends what its caller
// gives, where that calls it.
func (in *interp) place() ir.Pos {
	pos, _ := in.sender()
	return pos
}

// sender is place, with the function there.
func (in *interp) sender() (ir.Pos, *ssa.Function) {
	pos, f := in.pos, in.fr
	for f.caller != nil && in.p.textual[f.fn][in.pos] {
		pos, f = f.at, f.caller
	}
	return in.p.position(pos), f.fn
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
	a, ok := in.structOf(v)
	if ok && typeName(b.t) == "database/sql.NamedArg" {
		if name, known := constText(field(a, "Name")); known {
			return []client.Arg{{Name: name, Expr: in.scalarOf(field(a, "Value")).e}}
		}
		return nil
	}
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
