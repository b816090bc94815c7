package sqlmodel

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// builder makes one template.
type builder struct{ *Draft }

// runner translates what an expression or a query runs: a function that is called, and the
// statements of WITH that write.
type runner interface {
	// inline writes the body of a function, and gives its result.
	inline(pos ir.Pos, fn *schema.Function, args []val) val
	// command translates a command, whose rows go to a sink.
	command(f *frame, t *syntax.Text, tree any, pos ir.Pos, to sink)
	// resultTypes are the types of what the function of f returns, nil if these are not known.
	resultTypes(f *frame) []schema.Type
}

// Draft is a template in the making.
type Draft struct {
	l *Application
	// runs translates what an expression runs.
	runs runner
	txn  *ir.Txn
	// out is the statement list that is being written.
	out []ir.Stmt
	// weak marks statements and flags that only serve FOUND, ROW_COUNT and the
	// like: they go away where nobody looks at what they set.
	weak map[ir.Stmt]bool
	// fields are the locals that are fields of records.
	fields map[string]bool
	// pre are statements for the start of the transaction.
	pre []ir.Stmt
	// session are the locals for what is the same all through the transaction,
	// by function name.
	session map[string]string
	// sequences are the locals with what currval gives.
	sequences map[string]string
	// calls are the functions that are being inlined, outermost first.
	calls  []*schema.Function
	labels int
	size   int
	// next is the first number to try where the name of a local is taken.
	next  map[string]int
	locks bool // there is a LOCK TABLE
	// lookBack says that the transaction has to do with the children that an
	// action took, after it.
	lookBack bool
	// typings are what is known of the types of the variables of a script; first
	// are the reads that take its snapshot, and points counts its savepoints.
	typings map[string]*typing
	first   []*ir.Select
	points  int
	// catches are the blocks with EXCEPTION around the statement, outermost first,
	// those around calls included.
	catches []*catch
	// shown are the statements whose errors of division, or of the written row,
	// are raised before them.
	shown map[ir.Stmt]bool
	// fallible names what may fail of the expressions that the command has.
	fallible []string
	// demands are the conditions on what is assigned to locals.
	demands map[string][]demand
	// loopDepth counts the loops around the statement; cur is its place.
	loopDepth int
	cur       ir.Pos
	// number is that of the command that is being translated, numbers counts them.
	number, numbers int
}

// frame is one activation of a function.
type frame struct {
	fn    *schema.Function
	text  *syntax.Text // of its body
	scope *scope
	// inputs are the parameters by number.
	inputs []*variable
	// found and rowcount are the locals of FOUND and ROW_COUNT, "" until used.
	found, rowcount string
	// conflict is the setting of #variable_conflict.
	conflict string
	// sqlLang says that columns hide parameters of the same name.
	sqlLang bool
	// result is where RETURN goes: nil for the template itself.
	result *result
	// ctes are the WITH queries that a statement inside of WITH sees.
	ctes *ctes
	// trigger is what the function of a trigger works on.
	trigger *rowTrigger
	outs    []*variable
	loops   []*loopLabel
	// handling is the handler of an EXCEPTION around the statement.
	handling *handling
}

// result is what an inlined function returns.
type result struct {
	label  string
	values []colDef // locals
}

// loopLabel is a loop or block that EXIT and CONTINUE may name.
type loopLabel struct {
	name  string // in the source
	label string // in the IR
	// next is the label of the block that CONTINUE leaves, where that is not
	// the same as a new round of the loop: wantNext says so.
	next     string
	wantNext bool
	// once says that the "loop" is a block of the IR, since it has one round.
	once bool
	loop bool
	// counts says that it is a FOR loop, which sets FOUND when it ends.
	counts bool
}

func (b *Draft) unmodelled(format string, args ...any) {
	panic(schema.Unmodelled{Reason: fmt.Sprintf(format, args...)})
}

// maxSize bounds the statements of a template and the expressions that calls
// are expanded to, inlined functions included.
const maxSize = 20000

// tooLarge stops the translation of a template that exceeds maxSize.
type tooLarge struct{}

func (b *Draft) emit(s ir.Stmt) {
	b.unproven(s)
	b.grow()
	ir.SetCommand([]ir.Stmt{s}, b.number)
	b.out = append(b.out, s)
	b.meet(s)
}

// numbered translates a command of the template itself by f: one that the server
// runs with a snapshot of its own at READ COMMITTED. What is inlined is part of the
// command that calls it, and a function that is STABLE has one snapshot for all.
func (b *builder) numbered(command func()) {
	f := func() { b.keepingFailures(command) }
	if len(b.calls) > 1 || b.calls[0].Stable {
		f()
		return
	}
	outer := b.number
	b.numbers++
	b.number = b.numbers
	f()
	b.number = outer
}

func (b *Draft) grow() { b.growBy(1) }

func (b *Draft) growBy(n int) {
	if b.size += n; b.size > maxSize {
		panic(tooLarge{})
	}
}

// emitWeak adds a statement that may go away again.
func (b *Draft) emitWeak(s ir.Stmt) {
	b.weak[s] = true
	b.emit(s)
}

// emitRow adds that the transaction gives its client a row.
func (b *builder) emitRow(pos ir.Pos, cols []colDef) {
	e := &ir.Emit{At: at(pos)}
	for _, c := range cols {
		e.Exprs = append(e.Exprs, c.e)
	}
	b.emit(e)
}

// emitWeakIf adds an If around weak statements; it goes away when they do.
func (b *builder) emitWeakIf(pos ir.Pos, cond ir.Expr, body func()) {
	s := &ir.If{At: at(pos), Cond: cond, Then: b.collect(body)}
	if len(s.Then) > 0 {
		b.emitWeak(s)
	}
}

func (b *builder) assign(pos ir.Pos, local string, e ir.Expr) {
	if v, ok := e.(*ir.Var); ok && v.Name == local {
		return
	}
	b.emit(&ir.Assign{At: at(pos), Var: local, Expr: e})
}

func (b *Draft) havoc(pos ir.Pos, local string) {
	b.emit(&ir.Havoc{At: at(pos), Var: local})
}

// collect runs f and gives the statements that it wrote.
func (b *Draft) collect(f func()) []ir.Stmt {
	outer := b.out
	b.out = nil
	f()
	list := b.out
	b.out = outer
	return list
}

// local declares a local. It must not have the name of a table, which the text
// form of the IR could not tell from it.
func (b *Draft) local(base string, t schema.Type) string {
	name := b.irLocal(base, localType(t))
	b.txn.Locals[len(b.txn.Locals)-1].Domain = t.Domain()
	return name
}

func (b *Draft) irLocal(base string, t ir.Type) string {
	name := base
	i := b.next[base] // trying all numbers again each time would be quadratic
	if i > 0 {
		name = base + "_" + strconv.Itoa(i)
	}
	for ; ; i++ {
		if _, taken := b.txn.LocalType(name); !taken && b.l.Prog.Table(name) == nil {
			b.next[base] = i
			return b.txn.AddLocal(name, t)
		}
		name = base + "_" + strconv.Itoa(i+1)
	}
}

// localType is the type of a local that holds values of t.
func localType(t schema.Type) ir.Type {
	if t.IR.Kind == ir.KindNull {
		return ir.OpaqueType
	}
	return t.IR
}

// fieldLocal declares the local of a record's field.
func (b *builder) fieldLocal(record, name string, t schema.Type) string {
	v := b.local(record+"."+name, t)
	b.fields[v] = true
	return v
}

func (b *Draft) newLabel(base string) string {
	b.labels++
	return fmt.Sprintf("%s_%d", base, b.labels)
}

// typeOfLocal gives the IR type of a local of the template.
func (b *Draft) typeOfLocal(name string) ir.Type {
	t, _ := b.txn.LocalType(name)
	return t
}

// guard translates a statement by f. Where f meets something that cannot be
// modelled, all that it wrote is replaced by an ir.Unmodelled that touches
// what roots name, and by other.
func (b *builder) guard(pos ir.Pos, r *schema.Refs, f func(), other func()) {
	b.cur = pos
	if why, ok := b.attempt(f); !ok {
		b.giveUp(pos, r, why)
		other()
	}
}

// attempt runs f; where it meets something that cannot be modelled, nothing
// of what it wrote stays.
func (b *Draft) attempt(f func()) (why string, ok bool) {
	undo := b.mark()
	ok = true
	func() {
		defer func() {
			if x := recover(); x != nil {
				u, is := x.(schema.Unmodelled)
				if !is {
					panic(x)
				}
				why, ok = u.Reason, false
			}
		}()
		f()
	}()
	if !ok {
		undo()
	}
	return why, ok
}

// mark gives what takes back all that is written from here on.
func (b *Draft) mark() (undo func()) {
	out, mark, calls, catches, late, fallible := b.out, len(b.out), len(b.calls), len(b.catches), b.l.Late, len(b.fallible)
	return func() {
		b.out, b.calls, b.catches, b.l.Late, b.fallible = out[:mark:mark], b.calls[:calls], b.catches[:catches], late, b.fallible[:fallible]
	}
}

// giveUp writes an ir.Unmodelled.
func (b *Draft) giveUp(pos ir.Pos, r *schema.Refs, reason string) {
	b.anything(pos, b.l.EffectOf(r), reason)
}

// anything writes an ir.Unmodelled with the effect e, and one for the parents
// of the rows that it may write.
func (b *Draft) anything(pos ir.Pos, e *schema.Effect, reason string) {
	b.grow()
	parents := b.l.TablesNamed(func(name string) bool { return e.Parents[name] && !e.Tables[name] })
	if len(parents) > 0 && !e.All {
		b.out = append(b.out, &ir.Unmodelled{At: at(pos), Tables: parents, ReadOnly: true, Reason: "the foreign keys of " + reason})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Sequences)) {
		b.mayDepend(pos, "what the sequence "+syntax.PlainName(name)+" shows of transactions that have not committed")
	}
	b.out = append(b.out, &ir.Unmodelled{At: at(pos), Tables: b.l.IrTables(e), ReadOnly: !e.Writes && !e.All, Reason: reason})
}

// refsOf gives what trees name.
func (b *Draft) refsOf(roots ...pg.Message) *schema.Refs {
	r := schema.NewRefs()
	for _, x := range roots {
		if x != nil && x.ProtoReflect().IsValid() {
			r.Add(x)
		}
	}
	return r
}

// refsOfNodes is refsOf for lists.
func (b *builder) refsOfNodes(lists ...[]*pg.Node) *schema.Refs {
	r := schema.NewRefs()
	for _, l := range lists {
		for _, n := range l {
			r.Add(n)
		}
	}
	return r
}

// sessionLocal gives the local for what name() gives in this transaction.
func (b *Draft) sessionLocal(name string, t schema.Type) string {
	if v, ok := b.session[name]; ok {
		return v
	}
	v := b.local(name, t)
	b.session[name] = v
	h := &ir.Havoc{At: at(b.txn.Pos), Var: v, NotNull: name == "now", Of: name + "()"}
	b.weak[h] = true
	b.pre = append(b.pre, h)
	return v
}

// sequence gives the local that holds what currval gives for a sequence.
func (b *Draft) sequence(name string) string {
	if v, ok := b.sequences[name]; ok {
		return v
	}
	base := name
	if base == "" {
		base = "sequence"
	}
	v := b.local(base, schema.TInt)
	b.sequences[name] = v
	h := &ir.Havoc{At: at(b.txn.Pos), Var: v, NotNull: true, Of: "currval()"}
	b.weak[h] = true
	b.pre = append(b.pre, h)
	return v
}

// nextval draws a fresh value from a sequence.
func (b *Draft) nextval(pos ir.Pos, sequence, base string, t schema.Type) ir.Expr {
	v := b.local(base, t)
	of := ir.NextvalOf(syntax.NameOr(sequence, base))
	if t.Name != schema.NInt {
		of = base + "()"
	}
	b.emit(&ir.Havoc{At: at(pos), Var: v, Fresh: true, NotNull: true, Of: of})
	if t.Name == schema.NInt {
		for _, s := range []string{sequence, "lastval"} {
			if s != "" {
				b.emitWeak(&ir.Assign{At: at(pos), Var: b.sequence(s), Expr: ir.V(v)})
			}
		}
	}
	return ir.V(v)
}

// at is what a statement at a place begins with.
func at(pos ir.Pos) ir.At { return ir.At{Pos: pos} }
