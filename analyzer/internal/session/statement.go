package session

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/hole"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Send is a statement that is sent through a handle.
func (in *Session) Send(inv *Invocation, h *memory.Handle, r program.Role, args []memory.Value) (memory.Value, bool) {
	if !r.Takes(len(args)) {
		return nil, false
	}
	var dest memory.Value
	if r == program.GetRole || r == program.SelectRole {
		dest, args = args[0], args[1:]
		if _, ok := memory.Unbox(dest).(*memory.Pointer); !ok {
			return nil, false
		}
	}
	var rest []memory.Value
	open := false
	for _, a := range args[1:] {
		list, ok := in.ListOf(a)
		if !ok {
			if r != program.NamedExecRole && r != program.NamedRowsRole { // it depends on it in a way that is not known
				in.EmitValue(a)
			}
			open = true
			continue
		}
		rest = append(rest, list...)
	}
	var named memory.Value
	if r == program.NamedExecRole || r == program.NamedRowsRole {
		named, rest, open = args[1], nil, false
	}
	rs := in.Statement(h, args[0], rest, open, named)
	rs.Unsent = in.unsent(inv, h)
	switch r {
	case program.ExecRole, program.NamedExecRole:
		in.Execute(rs)
		if rs.Unsent != nil && panicsAfterError(inv) {
			in.Either(rs.Unsent, in.Control.Panics, func() {})
		}
		return in.answerIfSent(inv, rs, &memory.Outcome{Query: rs.Query, Mine: rs.Mine}), true
	case program.QueryRowRole:
		rs.One = true
		in.Execute(rs)
		return rs, true
	case program.QueryRole, program.NamedRowsRole:
		return in.answerIfSent(inv, rs, rs), true
	case program.GetRole:
		rs.One = true
		in.Execute(rs)
		return in.Into1(rs, dest, true), true
	case program.SelectRole:
		return in.unlessUnsent(rs, func() memory.Value {
			return in.All(rs, dest)
		}), true
	}
	return nil, false
}

// panicsAfterError reports whether a call panics in the place of giving an error, as its name says.
func panicsAfterError(inv *Invocation) bool {
	f := inv.C.StaticCallee()
	if f == nil || !strings.HasPrefix(f.Name(), "Must") {
		return false
	}
	r := f.Signature.Results()
	return r.Len() == 0 || !gotypes.IsError(r.At(r.Len()-1).Type())
}

// answerIfSent gives the result of a statement, with an error where it was not sent.
func (in *Session) answerIfSent(inv *Invocation, rs *memory.Rows, v memory.Value) memory.Value {
	out := in.Answer(inv.T, v)
	if list, ok := out.(memory.Tuple); ok && rs.Unsent != nil && len(list) == 2 {
		list[1] = &memory.Failure{Other: rs.Unsent}
	}
	return out
}

// KeepRows writes, in a trace, a loop over the rows of a query, which are stored as the elements of a slice: scan stores a
// row in an element. The result is false where that cannot be said.
func (in *Session) KeepRows(rs *memory.Rows, of types.Type, scan func(p *memory.Pointer)) bool {
	s, ok := of.Underlying().(*types.Slice)
	if !ok || in.Trace == nil || !rs.Mine || in.IsSent(rs) || rs.Unsent != nil {
		return false
	}
	elem := s.Elem()
	if p, isPointer := elem.Underlying().(*types.Pointer); isPointer {
		elem = p.Elem()
	}
	in.EachRow(rs, func(func(*memory.Failure)) {
		c := in.NewCell(elem, "row", memory.Zeroed)
		scan(&memory.Pointer{To: c})
		memory.KeepElement(in.Memory, of, "", elem, in.Load(c))
	})
	return true
}

// All stores all rows of a query in a slice: the program may look at each. The result is the error of a row that does not fit.
func (in *Session) All(rs *memory.Rows, dest memory.Value) *memory.Failure {
	if p, ok := memory.Unbox(dest).(*memory.Pointer); ok && in.KeepRows(rs, p.To.T, func(p *memory.Pointer) { in.Into1(rs, p, true) }) {
		in.Forget(p.To)
		return &memory.Failure{}
	}
	p, ok := memory.Unbox(dest).(*memory.Pointer)
	fills := ok && empty(in, p)
	if fills {
		if list, err, ok := Gather(in, rs, p.To.T, func(p *memory.Pointer) memory.Value { return in.Into1(rs, p, true) }); ok {
			in.Store(p.To, list)
			return err
		}
	}
	rs.Query.Returned = true
	in.Execute(rs)
	switch {
	case fills && rs.Mine:
		in.Store(p.To, AllOf(in, rs, p.To.T))
	case ok:
		memory.OfRows(in.Memory, func() { in.Forget(p.To) })
	}
	return &memory.Failure{}
}

// AllOf gives a slice with an element for each row of a query that is followed, of which nothing else is known.
func AllOf(in *Session, rs *memory.Rows, t types.Type) memory.Value {
	var list memory.Value
	memory.OfRows(in.Memory, func() { list = in.Fresh(t, "rows", memory.Unknown) })
	if s, ok := list.(memory.Scalar); ok {
		return &memory.Grown{E: s.E, N: in.ScalarOf(Counted(in, rs)).E}
	}
	return list
}

// empty reports whether a pointer is to a slice without elements, which is not that of somebody else.
func empty(in *Session, p *memory.Pointer) bool {
	if _, isSlice := p.To.T.Underlying().(*types.Slice); !isSlice || p.To.Start != memory.Zeroed || !memory.IsTrue(client.Not(p.Nil())) {
		return false
	}
	list, known := in.ListOf(in.Load(p.To))
	return known && len(list) == 0
}

// Statement makes the query of a statement, which execute or a loop writes.
func (in *Session) Statement(h *memory.Handle, sql memory.Value, args []memory.Value, more bool, named memory.Value) *memory.Rows {
	e := in.ScalarOf(sql).E
	texts := in.TextsOf(e)
	if in.St.Phase == memory.Done {
		h = &memory.Handle{Kind: memory.Database}
	}
	rs := &memory.Rows{H: h, Pos: in.place(), Mine: in.Owns(h) && in.St.Phase == memory.Open}
	if rs.Mine {
		in.noteUntraced()
	}
	if in.Trace != nil {
		rs.Pos = in.sent(h)
	}
	if rs.Mine && slices.ContainsFunc(texts, setsSavepoint) {
		in.Saves = true
	}
	texts = hole.WithoutTwins(texts)
	text := texts[0]
	if len(texts) > 1 {
		text = hole.Common(texts)
	}
	q := &client.Query{At: client.At{Pos: rs.Pos}, SQL: text, Open: more}
	rs.Query = q
	if len(texts) > 1 && !slices.Contains(texts, client.Hole) {
		in.alternatives[q] = alternative{e, texts}
	} else if strings.Contains(text, client.Hole) {
		in.EmitExpr(e)
	}
	if list := in.namedByColon(h, texts, args); list != nil {
		q.Named, args = list, nil
	}
	for _, a := range args {
		if list := in.NamedArgs(a); list != nil && isNamedArg(a) {
			q.Named = append(q.Named, list...)
			continue
		}
		if in.isOption(a) {
			continue
		}
		e := in.ScalarOf(a).E
		if !rs.Mine {
			in.EmitValue(a)
		}
		q.Args = append(q.Args, e)
	}
	if named != nil {
		q.Named = in.NamedArgs(named)
		if q.Named == nil {
			q.Open = true
			in.EmitValue(named)
		}
	}
	if !rs.Mine { // who gets it sees it
		in.Outside()
		in.EmitExpr(e)
		for _, a := range q.Named {
			in.EmitExpr(a.Expr)
		}
	}
	if lead, _, found := strings.Cut(text, client.Hole); found && strings.TrimSpace(lead) == "" && in.Site == "" && in.Given(e) {
		in.Result.FromCaller("the text of a statement comes from its caller", in.Pos)
	}
	in.write(rs, texts, args)
	return rs
}

// write writes a statement that may be one of the transaction, or records it where none is written.
func (in *Session) write(rs *memory.Rows, texts []string, args []memory.Value) {
	h, q := rs.H, rs.Query
	switch {
	case in.Perhaps(h):
		sent := *q
		sent.Returned = true
		in.alternatives[&sent] = in.alternatives[q]
		in.Flush()
		in.Choose(func() { in.Emit(&sent) })
	case rs.Mine:
		in.Flush()
		in.St.Sent[rs] = false
	case in.Site == "" && h.Untraced && h.Kind == memory.Transaction:
		in.findUntraced()
	case in.Site == "" && h.Kind != memory.Transaction:
		if h.Untraced {
			in.findUntraced()
		}
		if in.alternatives[q].texts == nil {
			texts = []string{q.SQL}
		}
		for _, t := range texts {
			in.Auto(rs, t, args)
		}
	}
}

// place gives where a statement is sent: of a function that sends what its caller
// gives, where that calls it.
func (in *Session) place() ir.Pos {
	pos, _ := in.sender()
	return pos
}

// sender is place, with the function there.
func (in *Session) sender() (ir.Pos, *ssa.Function) {
	pos, f := in.Pos, in.Fr
	for f.Caller != nil && in.P.Textual[f.Fn][in.Pos] {
		pos, f = f.At, f.Caller
	}
	return in.P.Position(pos), f.Fn
}

// isNamedArg reports whether an argument is for parameters with names.
func isNamedArg(v memory.Value) bool {
	b, ok := v.(memory.Box)
	if !ok {
		return false
	}
	n := gotypes.TypeName(b.T)
	return n == "database/sql.NamedArg" || strings.HasSuffix(n, ".NamedArgs") || strings.HasSuffix(n, ".StrictNamedArgs")
}

// isOption reports whether an argument is no value but an option.
func (in *Session) isOption(v memory.Value) bool {
	b, ok := v.(memory.Box)
	return ok && in.P.Know.Options[gotypes.TypeName(b.T)]
}

// NamedArgs gives the values of named parameters in a struct or pgx.NamedArgs.
func (in *Session) NamedArgs(v memory.Value) []client.Arg {
	if _, isMap := memory.Unbox(v).(*memory.Dict); isMap {
		list, known := in.EntriesOf(v)
		out := []client.Arg{}
		for _, e := range list {
			known = known && e.When == nil
			out = append(out, client.Arg{Name: e.Key, Expr: in.ScalarOf(e.V).E})
		}
		if !known {
			return nil
		}
		return out
	}
	b, ok := v.(memory.Box)
	if !ok {
		return nil
	}
	a, ok := in.StructOf(v)
	if ok && gotypes.TypeName(b.T) == "database/sql.NamedArg" {
		if name, known := memory.ConstText(memory.Field(a, "Name")); known {
			return []client.Arg{{Name: name, Expr: in.ScalarOf(memory.Field(a, "Value")).E}}
		}
		return nil
	}
	if !ok || gotypes.Storable(b.T) || gotypes.IsTime(b.T) {
		return nil
	}
	var out []client.Arg
	for i, name := range columnNames(a.T) {
		if name != "" {
			out = append(out, client.Arg{Name: name, Expr: in.ScalarOf(a.Parts[i]).E})
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
		tag := gotypes.StructTag(s.Tag(i), "db")
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

// namedByColon gives the values of parameters with names, if a statement of a library
// that knows such ones has just one map or struct of them. Not each of the texts that it may
// have need have names.
func (in *Session) namedByColon(h *memory.Handle, texts []string, args []memory.Value) []client.Arg {
	has := func(mark string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, mark) })
	}
	if len(args) != 1 || !has(":") || has("$1") || !slices.ContainsFunc(in.Shared.Libs, func(l *Library) bool { return l.Named != nil && l.Named(h) }) {
		return nil
	}
	return in.NamedArgs(args[0])
}
