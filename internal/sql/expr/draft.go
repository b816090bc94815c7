package expr

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// Runner translates what an expression or a query runs: a function that is called, and the statements of WITH that write.
type Runner interface {
	// Inline writes the body of a function, and gives its result.
	Inline(pos ir.Pos, fn *schema.Function, args []Val) Val
	// Command translates a command, whose rows go to a sink.
	Command(f *Frame, t *syntax.Text, tree any, pos ir.Pos, to Sink)
	// ResultTypes are the types of what the function of f returns, nil if these are not known.
	ResultTypes(f *Frame) []schema.Type
}

// Draft is a template in the making.
type Draft struct {
	App *Application
	// Runs translates what an expression runs.
	Runs Runner
	Txn  *ir.Txn
	// Out is the statement list that is being written.
	Out []ir.Stmt
	// Weak marks statements and flags that only serve FOUND, ROW_COUNT and the
	// like: they go away where nobody looks at what they set.
	Weak map[ir.Stmt]bool
	// Fields are the locals that are fields of records.
	Fields map[string]bool
	// Pre are statements for the start of the transaction.
	Pre []ir.Stmt
	// Session are the locals for what is the same all through the transaction,
	// by function name.
	Session map[string]string
	// Sequences are the locals with what currval gives.
	Sequences map[string]string
	// Calls are the functions that are being inlined, outermost first.
	Calls        []*schema.Function
	labels, Size int
	// Next is the first number to try where the name of a local is taken.
	Next map[string]int
	// Fixed are the parameters that have the type of the place where they stand and that nothing sets. NoInsertID, if not
	// "", says after what LAST_INSERT_ID() is not known.
	Fixed      map[string]bool
	NoInsertID string
	Locks      bool // there is a LOCK TABLE
	// LookBack says that the transaction has to do with the children that an
	// action took, after it.
	LookBack bool
	// Typings are what is known of the types of the variables of a script, by local; TypesOnly says that nothing else is of
	// interest. First are the reads that take its snapshot, and Points counts its savepoints.
	Typings   map[string]*Typing
	TypesOnly bool
	First     []*ir.Select
	Points    int
	// Catches are the blocks with EXCEPTION around the statement, outermost first,
	// those around calls included.
	Catches []*Catch
	// Moment says that errors which only transactions that commit meanwhile cause are left to
	// another branch (routine.Builder.orElse). Tried are the insertions whose errors of unique
	// keys are shown, as far as the snapshot has the row in the way.
	Moment bool
	Tried  map[ir.Stmt]bool
	// Shown are the statements whose errors of division, or of the written row,
	// are raised before them.
	Shown  map[ir.Stmt]bool
	Always map[*pg.FuncCall]bool // the calls of functions that the command is sure to come to once
	// Fallible names what may fail of the expressions that the command has.
	Fallible []string
	// Demands are the conditions on what is assigned to locals.
	Demands map[string][]Demand
	// LoopDepth counts the loops around the statement, BranchDepth the branches; cur is its place.
	LoopDepth, BranchDepth int
	Cur                    ir.Pos
	// Number is that of the command that is being translated, numbers counts them.
	Number, Numbers int
	schema.Snapshots
	trace.Log
}

// Frame is one activation of a function.
type Frame struct {
	Func  *schema.Function
	Text  *syntax.Text // of its body
	Scope *Scope
	// Inputs are the parameters by number.
	Inputs []*Variable
	// Found and rowcount are the locals of FOUND and ROW_COUNT, "" until used.
	Found, Rowcount string
	// Conflict is the setting of #variable_conflict.
	Conflict string
	// SQLLang says that columns hide parameters of the same name.
	SQLLang bool
	// Result is where RETURN goes: nil for the template itself.
	Result *Result
	// Ctes are the WITH queries that a statement inside of WITH sees: CtesOf knows them.
	Ctes any
	// Trigger is what the function of a trigger works on.
	Trigger *RowTrigger
	Outs    []*Variable
	Loops   []*LoopLabel
	// Handling is the handler of an EXCEPTION around the statement.
	Handling *Handling
}

// Result is what an inlined function returns.
type Result struct {
	Label  string
	Values []Column // locals
}

// LoopLabel is a loop or block that EXIT and CONTINUE may name.
type LoopLabel struct {
	Name  string // in the source
	Label string // in the IR
	// Next is the label of the block that CONTINUE leaves, where that is not
	// the same as a new round of the loop: WantNext says so.
	Next     string
	WantNext bool
	// Once says that the "loop" is a block of the IR, since it has one round.
	Once bool
	Loop bool
	// Counts says that it is a FOR loop, which sets FOUND when it ends.
	Counts bool
}

// Unmodelled stops the translation of the statement: Attempt catches it.
func (b *Draft) Unmodelled(format string, args ...any) {
	panic(schema.Unmodelled{Reason: fmt.Sprintf(format, args...)})
}

// MaxSize bounds the statements of a template and the expressions that calls
// are expanded to, inlined functions included.
const MaxSize = 20000

// TooLarge stops the translation of a template that exceeds MaxSize.
type TooLarge struct{}

// Emit adds a statement to the list that is being written.
func (b *Draft) Emit(s ir.Stmt) {
	b.Unproven(s)
	b.Grow()
	ir.SetCommand([]ir.Stmt{s}, b.Number, b.Snapshot)
	b.Out = append(b.Out, s)
	b.meet(s)
}

// Grow counts a statement: Draft.Size is bounded.
func (b *Draft) Grow() { b.growBy(1) }

func (b *Draft) growBy(n int) {
	if b.Size += n; b.Size > MaxSize {
		panic(TooLarge{})
	}
}

// EmitWeak adds a statement that may go away again.
func (b *Draft) EmitWeak(s ir.Stmt) {
	b.Weak[s] = true
	b.Emit(s)
}

// Havoc gives a local any value.
func (b *Draft) Havoc(pos ir.Pos, local string) {
	b.Emit(&ir.Havoc{At: At(pos), Var: local})
}

// Collect runs f and gives the statements that it wrote.
func (b *Draft) Collect(f func()) []ir.Stmt {
	outer := b.Out
	b.Out = nil
	f()
	list := b.Out
	b.Out = outer
	return list
}

// Local declares a local. It must not have the name of a table, which the text form of the IR could not tell from it.
func (b *Draft) Local(base string, t schema.Type) string {
	name := b.IRLocal(base, LocalType(t))
	b.Txn.Locals[len(b.Txn.Locals)-1].Domain = t.Domain()
	return name
}

// IRLocal declares a local of a type of the IR, with a name like base.
func (b *Draft) IRLocal(base string, t ir.Type) string {
	name := base
	i := b.Next[base] // trying all numbers again each time would be quadratic
	if i > 0 {
		name = base + "_" + strconv.Itoa(i)
	}
	for ; ; i++ {
		if _, taken := b.Txn.LocalType(name); !taken && b.App.Prog.Table(name) == nil {
			b.Next[base] = i
			return b.Txn.AddLocal(name, t)
		}
		name = base + "_" + strconv.Itoa(i+1)
	}
}

// LocalType is the type of a local that holds values of t.
func LocalType(t schema.Type) ir.Type {
	if t.IR.Kind == ir.KindNull {
		return ir.OpaqueType
	}
	return t.IR
}

// NewLabel gives a label like base that the transaction does not have yet.
func (b *Draft) NewLabel(base string) string {
	b.labels++
	return fmt.Sprintf("%s_%d", base, b.labels)
}

// TypeOfLocal gives the IR type of a local of the template.
func (b *Draft) TypeOfLocal(name string) ir.Type {
	t, _ := b.Txn.LocalType(name)
	return t
}

// Attempt runs f; where it meets something that cannot be modelled, nothing of what it wrote stays.
func (b *Draft) Attempt(f func()) (why string, ok bool) {
	undo := b.mark()
	if why, ok = modelled(f); !ok {
		undo()
	}
	return why, ok
}

// Trial runs f for what it finds out: nothing of what it wrote stays.
func (b *Draft) Trial(f func()) {
	defer b.mark()()
	modelled(f)
}

// modelled runs f up to something that cannot be modelled.
func modelled(f func()) (why string, ok bool) {
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
	return "", true
}

// mark gives what takes back all that is written from here on.
func (b *Draft) mark() (undo func()) {
	out, mark, calls, catches, late, fallible, snapshots, forget := b.Out, len(b.Out), len(b.Calls), len(b.Catches), b.App.Late, len(b.Fallible), b.Snapshots, b.Mark()
	return func() {
		forget()
		b.Out, b.Calls, b.Catches, b.App.Late, b.Fallible, b.Snapshots = out[:mark:mark], b.Calls[:calls], b.Catches[:catches], late, b.Fallible[:fallible], snapshots
	}
}

// GiveUp writes an ir.Unmodelled.
func (b *Draft) GiveUp(pos ir.Pos, r *schema.Refs, reason string) {
	b.Anything(pos, b.App.EffectOf(r), reason)
}

// Anything writes an ir.Unmodelled with the effect e, and one for the parents of the rows that it may write.
func (b *Draft) Anything(pos ir.Pos, e *schema.Effect, reason string) {
	b.Grow()
	parents := b.App.TablesNamed(func(name string) bool { return e.Parents[name] && !e.Tables[name] })
	if len(parents) > 0 && !e.All {
		b.Out = append(b.Out, &ir.Unmodelled{At: At(pos), Tables: parents, ReadOnly: true, Reason: "the foreign keys of " + reason})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Sequences)) {
		b.MayDepend(pos, "what the sequence "+syntax.PlainName(name)+" shows of transactions that have not committed")
	}
	b.Out = append(b.Out, &ir.Unmodelled{At: At(pos), Tables: b.App.IRTables(e), ReadOnly: !e.Writes && !e.All, Reason: reason})
}

// RefsOf gives what trees name.
func (b *Draft) RefsOf(roots ...pg.Message) *schema.Refs {
	r := schema.NewRefs()
	for _, x := range roots {
		if x != nil && x.ProtoReflect().IsValid() {
			r.Add(x)
		}
	}
	return r
}

// SessionLocal gives the local for what name() gives in this transaction.
func (b *Draft) SessionLocal(name string, t schema.Type) string {
	if v, ok := b.Session[name]; ok {
		return v
	}
	v := b.Local(name, t)
	b.Session[name] = v
	h := &ir.Havoc{At: At(b.Txn.Pos), Var: v, NotNull: name == "now", Of: name + "()"}
	b.Weak[h] = true
	b.Pre = append(b.Pre, h)
	return v
}

// Sequence gives the local that holds what currval gives for a sequence.
func (b *Draft) Sequence(name string) string {
	if v, ok := b.Sequences[name]; ok {
		return v
	}
	base := syntax.NameOr(name, "sequence")
	v := b.Local(base, schema.TInt)
	b.Sequences[name] = v
	h := &ir.Havoc{At: At(b.Txn.Pos), Var: v, NotNull: true, Of: "currval()"}
	b.Weak[h] = true
	b.Pre = append(b.Pre, h)
	return v
}

// SetInsertID says what LAST_INSERT_ID() gives.
func (b *Draft) SetInsertID(pos ir.Pos, e ir.Expr) {
	b.EmitWeak(&ir.Assign{At: At(pos), Var: b.Sequence("lastval"), Expr: e})
}

// nextval draws a fresh value from a sequence.
func (b *Draft) nextval(pos ir.Pos, sequence, base string, t schema.Type) ir.Expr {
	v := b.Local(base, t)
	of := irnames.NextvalOf(syntax.NameOr(sequence, base))
	if t.Name != schema.NInt {
		of = base + "()"
	}
	b.Emit(&ir.Havoc{At: At(pos), Var: v, Fresh: true, NotNull: true, Of: of})
	if t.Name == schema.NInt {
		for _, s := range []string{sequence, "lastval"} {
			if s != "" {
				b.EmitWeak(&ir.Assign{At: At(pos), Var: b.Sequence(s), Expr: ir.V(v)})
			}
		}
	}
	return ir.V(v)
}

// At is what a statement at a place begins with.
func At(pos ir.Pos) ir.At { return ir.At{Pos: pos} }

// MayDepend marks that the database may refuse a statement, or go on otherwise, depending on rows of
// some tables, or without these on any values that the transaction has read.
func (b *Draft) MayDepend(pos ir.Pos, what string, tables ...*ir.Table) {
	b.Emit(dependence(pos, what, tables...))
}

func dependence(pos ir.Pos, what string, tables ...*ir.Table) *ir.Dropped {
	return &ir.Dropped{At: At(pos), Kind: ir.ByError, What: what, Tables: tables, Observes: true}
}

// Enter begins the body of f, and gives what ends it. A search path that the body sets stays set, unless the
// declaration of f sets one.
func (b *Draft) Enter(f *schema.Function) (leave func()) {
	l, outer := b.App, b.App.Late
	l.Late = *l.InsideOf(f, outer.Run)
	return func() {
		l.Late = *outer.With(outer.Run.Or(l.LeftBy(f, outer.Run)))
	}
}

// Failing names what an expression itself may fail with, "" if it does not.
func Failing(e ir.Expr) string {
	if failure.Of(e) == nil {
		return ""
	}
	switch e := e.(type) {
	case *ir.Call:
		return e.Name
	case *ir.Binary:
		return e.Op.String()
	}
	return ""
}

// isHoleCall reports whether an expression stands for a part that is not known.
func isHoleCall(n *pg.Node) bool {
	c, ok := pg.Inner(n).(*pg.FuncCall)
	return ok && strings.Join(syntax.Names(c.Funcname), ".") == schema.HoleFunc
}

// Typing is what is known of the type of a variable: those of the places where
// it stands, and of the values that it gets. Of names the variable.
type Typing struct {
	Of         any
	Uses, Sets []schema.Type
}

// infer takes note that a parameter stands where a value of type t belongs.
func (b *Draft) infer(e ir.Expr, t schema.Type) {
	if b.App.In.MySQL {
		t = b.App.Dialect.Widest(t)
	}
	if b.IsTyped(e) && t.Name != schema.NUnknown && t.Name != schema.NAny {
		known := b.Typings[e.(*ir.Var).Name]
		known.Uses = append(known.Uses, t)
	}
}

// IsTyped reports whether e is a variable whose type is to be found.
func (b *Draft) IsTyped(e ir.Expr) bool {
	v, ok := e.(*ir.Var)
	return ok && b.Typings[v.Name] != nil
}

// Unproven writes, before a write, what it demands of checks that are NOT VALID.
func (b *Draft) Unproven(s ir.Stmt) {
	t := b.writesUnproven(s)
	if t == nil {
		return
	}
	for _, k := range t.Unproven {
		var cond ir.Expr
		ok := false
		switch s := s.(type) {
		case *ir.Insert:
			cond, ok = insertedMeets(k, s)
		case *ir.Update:
			cond, ok = updatedMeets(k, s)
		}
		if !ok {
			b.MayDepend(s.Position(), "check "+k.Name+", which not all rows satisfy", t.IR)
			continue
		}
		b.Require(s.Position(), cond, CheckViolation)
	}
}

// writesUnproven gives the table that a statement writes, if it has checks that are NOT VALID.
func (b *Draft) writesUnproven(s ir.Stmt) *schema.Table {
	written := ir.Written(s)
	if written == nil {
		return nil
	}
	i := slices.IndexFunc(b.App.Order, func(t *schema.Table) bool { return t.IR == written })
	if i < 0 || len(b.App.Order[i].Unproven) == 0 {
		return nil
	}
	return b.App.Order[i]
}

// insertedMeets is the condition that a new row meets a check; ok is false where it cannot be told.
func insertedMeets(k ir.TableCheck, s *ir.Insert) (cond ir.Expr, ok bool) {
	ok = (s.Conflict == nil || len(s.Conflict.Sets) == 0) &&
		!needsGenerated(k, s.Table, func(col int) bool { return slices.Contains(s.Cols, col) })
	broken := BrokenBy(k, s.Table, Inserted(s))
	return ir.NotE(ir.Op(ir.Is, broken, ir.C(ir.Bool(true)))), ok
}

// updatedMeets is the condition that no row is updated that breaks a check then; ok is false where
// it cannot be told.
func updatedMeets(k ir.TableCheck, s *ir.Update) (cond ir.Expr, ok bool) {
	ok = !needsGenerated(k, s.Table, func(col int) bool {
		return slices.ContainsFunc(s.Sets, func(set ir.Set) bool { return set.Col == col })
	})
	rows := ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: ir.AndE(s.Where, BrokenBy(k, s.Table, Updated(s)))}
	return ir.NotE(&ir.Exists{Query: rows}), ok
}

// needsGenerated reports whether a check is about a generated column that a write does not set.
func needsGenerated(k ir.TableCheck, t *ir.Table, sets func(col int) bool) bool {
	needs := false
	ir.WalkExpr(k.Expr, func(e ir.Expr) {
		if c, is := e.(*ir.Col); is {
			col := t.Column(c.Col)
			needs = needs || t.Columns[col].Generated != nil && !sets(col)
		}
	})
	return needs
}

// meet holds what statement s has assigned to the demands on it. A variable keeps its value
// where an assignment fails, which matters to a handler.
func (b *Draft) meet(s ir.Stmt) {
	if len(b.Demands) == 0 {
		return
	}
	for _, local := range ir.Assigned(s) {
		for _, d := range b.Demands[local] {
			switch s := s.(type) {
			case *ir.Foreach, *ir.ForRange:
				b.Unmodelled(DemandingLoop)
			case *ir.Assign:
				if c, is := s.Expr.(*ir.Const); is && d.State == NullVariable && !c.Value.IsNull() {
					continue
				}
			}
			if b.Caught(d.State) {
				b.Unmodelled("a handler of what a variable that is NOT NULL or of a domain refuses")
			}
			b.Require(s.Position(), d.Cond, d.State)
		}
	}
}
