package sqlmodel

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// send writes that the client sends a command here.
func (b *builder) send(s *ir.Send) {
	s.Cmd = b.Number
	b.Out = append(b.Out, s)
}

// call gives the command by which a client runs the function of a template.
func (b *builder) call(f *expr.Frame) *ir.Send {
	fn := f.Func
	s := &ir.Send{At: expr.At(fn.Pos), Result: ir.Rows}
	w := &commandWriter{s: s}
	switch {
	case fn.Procedure:
		w.text("CALL ")
	case fn.Ret != nil && b.App.TypeOf(fn.Ret, fn.Text).Name == schema.NRecord: // FROM would need a list of columns
		w.text("SELECT ")
	default:
		w.text("SELECT * FROM ")
	}
	if fn.Void() {
		s.Result = ir.Nothing
	}
	name, overloaded := b.App.Callable(fn)
	w.text(name + "(")
	first, input := true, 0
	for _, p := range fn.Params {
		if !p.In && !fn.Procedure { // CALL names the outputs, too
			continue
		}
		if !first {
			w.text(", ")
		}
		first = false
		if !p.In {
			w.text("NULL")
			continue
		}
		if p.Vari {
			w.text("VARIADIC ")
		}
		w.input(b.App, f.Inputs[input], p, fn.Text, overloaded)
		input++
	}
	w.text(")")
	s.Text = append(s.Text, w.last)
	return s
}

// locals gives the names of locals.
func locals(list []expr.Dest) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.Local)
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
func (w *commandWriter) input(l *expr.Application, v *expr.Variable, p schema.Param, in *syntax.Text, overloaded bool) {
	if !v.IsRecord {
		w.value(ir.SendArg{Expr: v.Expr(), Type: v.Type.String()})
		if overloaded || !converts(v.Type, p.T) {
			w.text(l.CastTo(p.T, in))
		}
		return
	}
	w.text("ROW(")
	for i, fd := range v.Fields {
		if i > 0 {
			w.text(", ")
		}
		w.value(ir.SendArg{Expr: ir.V(fd.Local), Type: fd.Type.String()})
	}
	w.text(")" + l.CastTo(p.T, in))
}

// converts reports whether PostgreSQL takes a constant as an argument of a function
// without a cast: any text between quotes, and a number for the types to which it
// converts implicitly.
func converts(t schema.Type, spelt *pg.TypeName) bool {
	if t.IR.Kind != ir.KindInt && t.IR.Kind != ir.KindNum || spelt == nil {
		return true
	}
	switch syntax.TypeSpelling(spelt) {
	case "int", "int4", "integer", "int8", "bigint", "numeric", "decimal", "float4", "float8", "real", "float":
		return true
	}
	return false
}

// argument gives the value of a parameter, by its number and its place in the text.
type argument func(number, offset int) ir.SendArg

// statementCommand gives the command that a statement is. arg gives the values of its
// parameters.
func (b *builder) statementCommand(t *syntax.Text, raw *pg.RawStmt, pos ir.Pos, arg argument) *ir.Send {
	tree := pg.Inner(raw.Stmt)
	s := &ir.Send{At: expr.At(pos), Apart: apart(tree), Reads: b.onlyReads(tree, raw)}
	from, to := syntax.StatementSpan(t, raw)
	s.Text, s.Args = splitAtParameters(t.SQL, from, to, raw, arg)
	if list, ok := syntax.ResultNames(raw); ok {
		s.Columns = list
	}
	s.Table, s.Verb = b.writtenBy(tree)
	return s
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
		from = off + len("$"+strconv.Itoa(k))
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
	r := b.App.RefsIn(raw)
	for name := range b.App.Calls(r) {
		if f := b.App.Builtin(name); !f.Known || f.Effect >= catalog.Fresh {
			return false
		}
	}
	e := b.App.EffectOf(r)
	return !e.Writes && !e.All && !e.Locks
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
	t := b.App.Late.Table(syntax.RangeName(target))
	if t == nil || t.IR == nil || len(t.Triggers) > 0 || t.IR.RefersTo(t.IR) {
		return nil, ir.NoVerb
	}
	for _, other := range b.App.Order { // a cascade may come back
		if other != t && other.IR != nil && other.IR.RefersTo(t.IR) && t.IR.RefersTo(other.IR) {
			return nil, ir.NoVerb
		}
	}
	return t.IR, verb
}
