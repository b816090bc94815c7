package sqlmodel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/routine"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/tidy"
	"github.com/txrobust/robust/internal/sql/trace"
	"github.com/txrobust/robust/internal/sql/write"
)

// template makes the transaction of an entry point.
func (l *loader) template(fn *schema.Function) *ir.Txn {
	defer l.ForTemplate(fn)()
	if fn.Script != nil || fn.Program != nil {
		return l.scriptTemplate(fn, maxTypings)
	}
	b := l.build(fn, false)
	if looksBack(b.Txn.Body) {
		b = l.build(fn, true)
	}
	tidy.Txn(b.Txn, b.Weak, b.Fields)
	b.stale()
	b.Told()
	return b.Txn
}

// build translates a function as a template.
func (l *loader) build(fn *schema.Function, lookBack bool) *builder {
	b := l.newBuilder(fn)
	b.LookBack = lookBack
	f := b.NewFrame(fn)
	for i, p := range fn.Inputs() {
		b.parameter(f, p, i)
	}
	checks := b.demandsOfInputs(f)
	b.Calls = []*schema.Function{fn}
	call := b.call(f)
	b.Outputs(f)
	b.bounded(f)
	b.Txn.Body = append(b.Pre, b.Out...)
	if b.Locks {
		b.snapshotFirst()
	}
	b.Txn.Body = slices.Concat([]ir.Stmt{call}, checks, b.Txn.Body)
	return b
}

// demandsOfInputs says what the domains of the parameters want of them, and what computing their
// defaults looks at, for callers who leave them out. A check that is not
// modelled may refuse the call, and so may that of the result.
func (b *builder) demandsOfInputs(f *expr.Frame) []ir.Stmt {
	var out []ir.Stmt
	for i, p := range f.Func.Inputs() {
		if r := b.App.DefaultRefs(f.Func, p); b.App.LooksAround(r) {
			out = append(out, b.Collect(func() { b.GiveUp(p.Pos, r, "the default of parameter "+p.Name+", which looks at tables") })...)
		}
		u, v := b.App.DomainOf(p.T, f.Func.Text), f.Inputs[i]
		if u == nil || v.IsRecord || v.Local == "" || p.Vari {
			continue
		}
		if u.NotNull() {
			out = append(out, &ir.Assume{At: expr.At(p.Pos), Cond: expr.IsNotNull(ir.V(v.Local))})
		}
		list, leftOut := b.App.Demands(u, v.Type, ir.V(v.Local))
		switch looks := slices.ContainsFunc(u.Checks(), func(c *schema.DomainCheck) bool { _, yes := b.App.Looks(c); return yes }); {
		case leftOut == "":
		case looks:
			out = append(out, b.Collect(func() { b.MayBreak(u, leftOut, p.Pos) })...)
		default: // it depends on the argument alone
			out = append(out, &ir.Dropped{At: expr.At(p.Pos), Kind: ir.ByError, What: leftOut + ", of parameter " + p.Name})
		}
		for _, d := range list {
			out = append(out, &ir.Assume{At: expr.At(p.Pos), Cond: d.Cond})
		}
		if p.Out || f.Func.Assigns(p.Name) {
			out = append(out, b.Collect(func() { b.Demand(u, v.Type, v.Local, p.Pos) })...)
		}
	}
	if u := b.App.DomainOf(f.Func.Ret, f.Func.Text); u.Demanding() {
		out = append(out, b.Collect(func() { b.MayBreak(u, u.Refusal(), f.Func.Pos) })...)
	}
	return out
}

func (l *loader) newBuilder(fn *schema.Function) *builder {
	d := &expr.Draft{
		App:       l.Application,
		Txn:       &ir.Txn{Pos: fn.Pos, Name: l.TemplateName(fn), SearchPath: l.SessionsOf(fn), CalledBy: fn.CalledBy},
		Weak:      map[ir.Stmt]bool{},
		Shown:     map[ir.Stmt]bool{},
		Fields:    map[string]bool{},
		Session:   map[string]string{},
		Sequences: map[string]string{},
		Demands:   map[string][]expr.Demand{},
		Next:      map[string]int{},
		Fixed:     map[string]bool{},
		Log:       trace.Log{Hear: l.In.Trace},
	}
	b := &builder{Builder: &routine.Builder{Core: &proc.Core{Writer: &write.Writer{Draft: d}}}}
	b.Runs, b.Bodies = b.Builder, b.Builder
	return b
}

// bounded translates the body of a template. If it becomes too large, all of it
// is one statement that is not modelled.
func (b *builder) bounded(f *expr.Frame) {
	late := b.App.Late
	defer func() {
		b.App.Late = late
		r := recover()
		if r == nil {
			return
		}
		if _, is := r.(expr.TooLarge); !is {
			panic(r)
		}
		b.instead(f, fmt.Sprintf("a transaction of more than %d statements", expr.MaxSize))
	}()
	if why, ok := b.Attempt(func() { b.CheckVolatility(f.Func) }); !ok {
		b.GiveUp(f.Func.Pos, f.Func.Refs, why)
		return
	}
	switch {
	case f.Func.Script != nil:
		b.scriptBody(f)
	case f.Func.Program != nil:
		b.programBody(f)
	default:
		b.RunBody(f)
	}
}

// instead makes the body of a template one statement that is not modelled.
func (b *builder) instead(f *expr.Frame, why string) {
	b.Size, b.Pre, b.Out, b.Locks = 0, nil, nil, false
	b.GiveUp(f.Func.Pos, f.Func.Refs, why)
}

// snapshotFirst puts a read before everything else: the query that calls a
// function takes the snapshot, so that a LOCK TABLE in its body comes too late
// to be taken before it.
func (b *builder) snapshotFirst() {
	table := lockedTable(b.Txn.Body)
	if table == nil { // it is in a statement that is not modelled
		return
	}
	s := &ir.Select{At: expr.At(b.Txn.Pos), Query: ir.Query{From: []ir.Source{{Table: table, Row: table.Name}}}}
	s.Into, s.Cols = []string{b.Local("snapshot", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	b.Txn.Body = append([]ir.Stmt{s}, b.Txn.Body...)
}

// lockedTable gives the table of the first LOCK TABLE, nil if there is none.
func lockedTable(list []ir.Stmt) (table *ir.Table) {
	ir.Walk(list, func(s ir.Stmt) {
		if k, ok := s.(*ir.LockTable); ok && table == nil {
			table = k.Table
		}
	})
	return table
}

// parameter declares the i-th input of a template.
func (b *builder) parameter(f *expr.Frame, p schema.Param, i int) {
	t := b.App.SignatureType(p.T, f.Func.Text)
	if p.Vari && t.Name != schema.NArray {
		t = schema.ArrayOf(t)
	}
	base := syntax.NameOr(p.Name, "p"+strconv.Itoa(i+1))
	v := &expr.Variable{Name: p.Name, Type: t, NotNull: f.Func.Strict}
	add := func(name string, t schema.Type) string {
		own := &expr.Variable{Type: t}
		b.declare(own, name, &ir.Param{NotNull: f.Func.Strict, Fresh: slices.Contains(f.Func.Fresh, p.Name)})
		return own.Local
	}
	if fields := b.App.FieldsOf(t.Name); len(fields) > 0 {
		v.IsRecord, v.Fixed = true, true
		for _, fd := range fields {
			v.Fields = append(v.Fields, expr.Field{Name: fd.Name, Local: add(base+"."+fd.Name, fd.T), Type: fd.T, Domain: fd.Domain, Within: fd.Within})
		}
	} else {
		v.Local = add(base, t)
	}
	b.BindInput(f, p, v)
}

// builder makes one template.
type builder struct {
	*routine.Builder
	// names are those of parameters, locals and tables, nil before the first variable.
	names map[string]bool
	// types are those of variables of a script or program as far as they are known, by what names the variable.
	types map[any]schema.Type
}

// declare makes the parameter or, where input is nil, the local of a variable of the source, with a name
// like base. A variable without a type has the one that is found for it.
func (b *builder) declare(v *expr.Variable, base string, input *ir.Param) {
	if b.names == nil { // a transaction may have tens of thousands of variables
		b.names = map[string]bool{}
		for _, t := range b.App.Prog.Tables {
			b.names[t.Name] = true
		}
		for _, l := range b.Txn.Locals {
			b.names[l.Name] = true
		}
	}
	for v.Local = base; b.names[v.Local]; {
		v.Local += "_"
	}
	b.names[v.Local] = true
	t := expr.LocalType(v.Type)
	if v.Type.Name == schema.NUnknown && b.Typings != nil {
		t = b.findType(v, v.Local)
	}
	if input == nil {
		b.Txn.Locals = append(b.Txn.Locals, ir.Local{Name: v.Local, Type: t, Domain: v.Type.Domain()})
		return
	}
	input.Name, input.Type, input.Domain = v.Local, t, v.Type.Domain()
	b.Txn.Params = append(b.Txn.Params, *input)
}

// stale puts an ir.Unmodelled before each statement that reads a table which
// TRUNCATE may have emptied since the snapshot: then it sees no rows, which no
// statement on a snapshot does. It stands for a write as well, since with it the
// transaction depends on the moment at which it reads, both ways: a transaction
// that truncates the table cannot leave the time between its snapshot and its
// end.
//
// A transaction that locks the table before it takes its snapshot need not be
// told: nobody truncates it until it ends. Nor need one that only inserts, for
// that looks at what is there now.
func (b *builder) stale() {
	if len(b.App.Emptied) == 0 {
		return
	}
	locked := map[*ir.Table]bool{}
	for _, s := range b.Txn.Body {
		if k, ok := s.(*ir.LockTable); ok {
			locked[k.Table] = true
		} else if ir.TakesSnapshot(s) || len(ir.Children(s)) > 0 {
			break
		}
	}
	concerned := func(s ir.Stmt) []*ir.Table {
		read := map[*ir.Table]bool{}
		for _, src := range ir.Reads(s) {
			read[src.Table] = true
		}
		u, unmodelled := s.(*ir.Unmodelled)
		if unmodelled && u.ReadOnly {
			for _, t := range u.Tables {
				read[t] = true
			}
		}
		var out []*ir.Table
		for _, t := range b.App.Order {
			if b.App.Emptied[t.Name] && t.IR != nil && !locked[t.IR] && (read[t.IR] || unmodelled && u.ReadOnly && u.Tables == nil) {
				out = append(out, t.IR)
			}
		}
		return out
	}
	var walk func(list []ir.Stmt) []ir.Stmt
	walk = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		first := 0 // where the statement stands whose actions of foreign keys follow
		for _, s := range list {
			if _, follows := s.(*ir.Cascade); !follows {
				first = len(out)
			}
			if tables := concerned(s); len(tables) > 0 {
				out = slices.Insert(out, first, ir.Stmt(&ir.Unmodelled{At: expr.At(s.Position()), Tables: tables,
					Reason: "rows that TRUNCATE or ALTER TABLE may take away from an older snapshot, which DELETE does not"}))
			}
			ir.EditChildren(s, walk)
			out = append(out, s)
		}
		return out
	}
	b.Txn.Body = walk(b.Txn.Body)
}

// looksBack reports whether a transaction has to do with the children that an
// action took, after it. What it sees then are the rows of the snapshot, but for
// those that it has deleted, and it has not deleted those that somebody else had
// taken away: the own view of the IR is another one.
func looksBack(body []ir.Stmt) bool {
	taken := map[*ir.Table]bool{}
	acting, found := false, false
	ir.Walk(body, func(s ir.Stmt) {
		if c, ok := s.(*ir.Cascade); ok {
			found = found || !acting && taken[c.Table]
			taken[c.Table], acting = true, true
			return
		}
		acting = false
		if len(taken) == 0 {
			return
		}
		for _, src := range ir.Reads(s) {
			found = found || taken[src.Table]
		}
		switch s := s.(type) {
		case *ir.Unmodelled:
			found = found || s.Tables == nil || slices.ContainsFunc(s.Tables, func(t *ir.Table) bool { return taken[t] })
		default:
			if t := ir.Written(s); t != nil {
				found = found || taken[t]
				for _, fk := range t.ForeignKeys {
					found = found || taken[fk.Ref]
				}
			}
		}
	})
	return found
}

// undone takes over a rollback to a savepoint in the transaction of f, which takes back what was set since.
func (b *builder) undone(f *schema.Function) {
	l := b.App
	if p := l.SetBy(f.Refs, &l.Late); !p.Empty() {
		l.Late = *l.Late.With(l.Late.Run.Or(p).Or(l.InsideOf(f, l.Standard).Run))
	}
}

// typeOfRows translates the query of a view for the type of its rows, nil if it is not
// modelled, or while tables are still declared.
func (l *loader) typeOfRows(v *schema.View) *schema.UserType {
	declaring := slices.ContainsFunc(l.Order, func(t *schema.Table) bool { return t.IR == nil })
	if v.Row != nil || v.Query == nil || v.Typing || declaring {
		return v.Row
	}
	v.Typing = true
	defer func(late schema.Resolver) { v.Typing, l.Late = false, late }(l.Late)
	fn := &schema.Function{Name: v.Name, Pos: v.Pos, Text: v.Text, Refs: v.Refs}
	b := l.newBuilder(fn)
	y := b.Ex(b.NewFrame(fn), v.Text).InView(v)
	y.Deriver, y.PerRow = y.NewDeriver(), true
	var rows *query.Derived
	b.Attempt(func() { rows = y.ViewRows(v) })
	if rows == nil {
		return nil
	}
	u := &schema.UserType{Named: v.Rel.Named, Pos: v.Pos, Key: l.Declarations.TypeKey(&v.Rel.Named)}
	for _, c := range rows.Cols {
		u.Fields = append(u.Fields, schema.FieldDef{Name: c.Name, T: c.Type})
	}
	v.Row, l.Declarations.TypesByKey[u.Key] = u, u
	return u
}

// scriptTemplate makes the transaction of a script or of a client program. The types of its
// variables are found before, in as many rounds as most says.
func (l *loader) scriptTemplate(fn *schema.Function, most int) *ir.Txn {
	types, settled := l.typesOf(fn, most)
	notes := slices.Clone(l.Notes)
	b := l.buildScript(fn, types, settled, false)
	if looksBack(b.Txn.Body) {
		l.Notes = notes // those of a translation that counts
		b = l.buildScript(fn, types, settled, true)
	}
	b.snapshots()
	tidy.Txn(b.Txn, b.Weak, b.Fields)
	b.stale()
	b.Told()
	return b.Txn
}

// buildScript translates a script or client program whose variables have the given types, if these are settled.
func (l *loader) buildScript(fn *schema.Function, types map[any]schema.Type, settled, lookBack bool) *builder {
	b, f := l.scriptBuilder(fn, types)
	b.LookBack = lookBack
	if settled {
		b.bounded(f)
	} else {
		b.instead(f, "values whose types depend on each other")
	}
	b.Txn.Body = append(b.Pre, b.Out...)
	return b
}

// scriptBuilder begins a transaction of a script or client program.
func (l *loader) scriptBuilder(fn *schema.Function, types map[any]schema.Type) (*builder, *expr.Frame) {
	b := l.newBuilder(fn)
	b.Txn.Level, b.Txn.Script = fn.Level, true
	b.Typings, b.types = map[string]*expr.Typing{}, types
	f := b.NewFrame(fn)
	f.Scope.Label = "" // the name of the template qualifies nothing
	b.Calls = []*schema.Function{fn}
	return b, f
}
