package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// send writes that the client sends a command here.
func (b *builder) send(s *ir.Send) {
	s.Cmd = b.number
	b.out = append(b.out, s)
}

// call gives the command by which a client runs the function of a template.
func (b *builder) call(f *frame) *ir.Send {
	fn := f.fn
	s := &ir.Send{At: at(fn.pos), Result: ir.Rows}
	w := &commandWriter{s: s}
	switch {
	case fn.procedure:
		w.text("CALL ")
	case fn.ret != nil && b.l.typeOf(fn.ret, fn.text).name == nRecord: // FROM would need a list of columns
		w.text("SELECT ")
	default:
		w.text("SELECT * FROM ")
	}
	if fn.void() {
		s.Result = ir.Nothing
	}
	name, overloaded := b.l.callable(fn)
	w.text(name + "(")
	first, input := true, 0
	for _, p := range fn.params {
		if !p.in && !fn.procedure { // CALL names the outputs, too
			continue
		}
		if !first {
			w.text(", ")
		}
		first = false
		if !p.in {
			w.text("NULL")
			continue
		}
		if p.vari {
			w.text("VARIADIC ")
		}
		w.input(b.l, f.inputs[input], p, fn.text, overloaded)
		input++
	}
	w.text(")")
	s.Text = append(s.Text, w.last)
	return s
}

// callable writes the name by which sessions call a function, with its schema where the name alone may mean
// another one; overloaded says that the name has several functions.
func (l *Schema) callable(f *function) (name string, overloaded bool) {
	found, sure := l.late.functions(f.own())
	overloaded = len(l.declarations.functionsIn(f.schema(), f.own(), now)) > 1
	said := l.late.leadsTo(f.schema()) && (f.schema() == syntax.PublicSchema || slices.Contains(l.prog.SearchPath, f.schema()))
	sure = sure && said
	for _, g := range found {
		sure = sure && g.schema() == f.schema()
	}
	if sure && slices.Contains(found, f) {
		return quote.Ident(f.own()), overloaded
	}
	return quote.Ident(f.schema()) + "." + quote.Ident(f.own()), overloaded
}

// locals gives the names of locals.
func locals(list []dest) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.local)
	}
	return out
}

// commandWriter writes the text of a command.
type commandWriter struct {
	s    *ir.Send
	last string // since the last value
}

func (w *commandWriter) text(s string) { w.last += s }

func (w *commandWriter) value(a ir.SendArg) {
	w.s.Text, w.last = append(w.s.Text, w.last), ""
	w.s.Args = append(w.s.Args, a)
}

// input writes the argument for a parameter: of a composite type, its fields. A cast
// stands where the constant alone might not choose the function.
func (w *commandWriter) input(l *loader, v *variable, p param, in *syntax.Text, overloaded bool) {
	if !v.isRecord {
		w.value(ir.SendArg{Expr: v.expr(), Type: v.t.String()})
		if overloaded || !converts(v.t, p.t) {
			w.text(l.castTo(p.t, in))
		}
		return
	}
	w.text("ROW(")
	for i, fd := range v.fields {
		if i > 0 {
			w.text(", ")
		}
		w.value(ir.SendArg{Expr: ir.V(fd.local), Type: fd.t.String()})
	}
	w.text(")" + l.castTo(p.t, in))
}

// converts reports whether PostgreSQL takes a constant as an argument of a function
// without a cast: any text between quotes, and a number for the types to which it
// converts implicitly.
func converts(t typ, spelt *pg.TypeName) bool {
	if t.ir.Kind != ir.KindInt && t.ir.Kind != ir.KindNum || spelt == nil {
		return true
	}
	switch syntax.TypeSpelling(spelt) {
	case "int", "int4", "integer", "int8", "bigint", "numeric", "decimal", "float4", "float8", "real", "float":
		return true
	}
	return false
}

// castTo writes a cast, "" where the type is that of a column.
func (l *Schema) castTo(t *pg.TypeName, in *syntax.Text) string {
	if t == nil || t.PctType {
		return ""
	}
	name, array := strings.CutSuffix(syntax.TypeSpelling(t), "[]")
	if u := l.sees(in).typ(syntax.Qualified(syntax.Names(t.Names))); u != nil && u.schema() != syntax.PublicSchema {
		name = syntax.Qualified([]string{u.schema(), u.own()})
	}
	name = "::" + quote.Name(name)
	if array {
		name += "[]"
	}
	return name
}

// argument gives the value of a parameter, by its number and its place in the text.
type argument func(number, offset int) ir.SendArg

// statementCommand gives the command that a statement is. arg gives the values of its
// parameters.
func (b *builder) statementCommand(t *syntax.Text, raw *pg.RawStmt, pos ir.Pos, arg argument) *ir.Send {
	tree := pg.Inner(raw.Stmt)
	s := &ir.Send{At: at(pos), Apart: apart(tree), Reads: b.onlyReads(tree, raw)}
	from, to := statementSpan(t, raw)
	s.Text, s.Args = splitAtParameters(t.SQL, from, to, raw, arg)
	if list, ok := syntax.ResultNames(raw); ok {
		s.Columns = list
	}
	s.Table, s.Verb = b.writtenBy(tree)
	return s
}

// statementSpan gives where a statement stands in a text, without the comments before
// it.
func statementSpan(t *syntax.Text, raw *pg.RawStmt) (from, to int) {
	from, to = int(raw.StmtLocation), len(t.SQL)
	if raw.StmtLen > 0 {
		to = from + int(raw.StmtLen)
	}
	for {
		rest := strings.TrimLeft(t.SQL[from:to], " \t\r\n;")
		from = to - len(rest)
		switch {
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return to, to
			}
			from += n
		case strings.HasPrefix(rest, "/*"):
			from += syntax.BlockComment(rest)
		default:
			return from, from + len(strings.TrimRight(rest, " \t\r\n;"))
		}
	}
}

// splitAtParameters splits the text of a statement at $1, $2, …, which get the numbers
// in which they come.
func splitAtParameters(s string, from, to int, raw *pg.RawStmt, arg argument) (text []string, args []ir.SendArg) {
	places := map[int]int{} // the numbers, by offset
	pg.Walk(raw, func(x any) bool {
		if p, ok := x.(*pg.ParamRef); ok && p.Number > 0 {
			places[int(p.Location)] = int(p.Number)
		}
		return true
	})
	order := make([]int, 0, len(places))
	for off := range places {
		order = append(order, off)
	}
	slices.Sort(order)
	numbers := map[int]int{}
	for _, off := range order {
		k := places[off]
		a := arg(k, off)
		if a.Number > 0 {
			if numbers[k] == 0 {
				numbers[k] = len(numbers) + 1
			}
			a.Number = numbers[k]
		}
		text, args = append(text, quote.Statement(s[from:off])), append(args, a)
		from = off + len("$"+itoa(k))
	}
	return append(text, quote.Statement(s[from:to])), args
}

// apart reports whether a statement takes no snapshot.
func apart(tree any) bool {
	switch tree.(type) {
	case *pg.LockStmt, *pg.VariableSetStmt, *pg.VariableShow, *pg.ConstraintsSet, *pg.ListenStmt, *pg.NotifyStmt, *pg.CheckPointStmt,
		*pg.TransactionStmt:
		return true
	}
	return false
}

// onlyReads reports whether a statement only reads, without locks.
func (b *builder) onlyReads(tree any, raw *pg.RawStmt) bool {
	if _, isSelect := tree.(*pg.SelectStmt); !isSelect {
		return false
	}
	r := b.l.refsIn(raw)
	for name := range b.l.calls(r) {
		if f := b.l.builtin(name); !f.known || f.effect >= catalog.Fresh {
			return false
		}
	}
	e := b.l.effectOf(r)
	return !e.writes && !e.all && !e.locks
}

// writtenBy gives the table that a statement writes, and how, if only it writes that:
// there are no triggers, and no keys of the table itself that have actions.
func (b *builder) writtenBy(tree any) (*ir.Table, ir.Verb) {
	var target *pg.RangeVar
	verb := ir.NoVerb
	switch s := tree.(type) {
	case *pg.InsertStmt:
		target, verb = s.Relation, ir.Inserts
		if s.WithClause != nil {
			return nil, ir.NoVerb
		}
	case *pg.UpdateStmt:
		target, verb = s.Relation, ir.Updates
		if s.WithClause != nil {
			return nil, ir.NoVerb
		}
	case *pg.DeleteStmt:
		target, verb = s.Relation, ir.Deletes
		if s.WithClause != nil {
			return nil, ir.NoVerb
		}
	default:
		return nil, ir.NoVerb
	}
	t := b.l.late.table(syntax.RangeName(target))
	if t == nil || t.ir == nil || len(t.triggers) > 0 || t.ir.RefersTo(t.ir) {
		return nil, ir.NoVerb
	}
	for _, other := range b.l.order { // a cascade may come back
		if other != t && other.ir != nil && other.ir.RefersTo(t.ir) && t.ir.RefersTo(other.ir) {
			return nil, ir.NoVerb
		}
	}
	return t.ir, verb
}
