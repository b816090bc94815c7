package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
	"github.com/txrobust/robust/sqlmodel/internal/plpgsql"
)

// plBody translates a PL/pgSQL body and what follows when control reaches its
// end.
func (b *builder) plBody(f *frame) {
	blk := f.fn.body.Block
	pos := b.place(f, blk)
	b.stmt(f, blk)
	if endsInJump(b.out) {
		return
	}
	switch {
	case f.fn.setOf, f.fn.void():
	case len(f.fn.outputs()) > 0:
		if f.result == nil {
			b.emitOutputs(f, pos)
		}
	default: // a function must return
		b.emit(&ir.Abort{At: at(pos)})
	}
}

// endsInJump reports whether control never reaches the end of list.
func endsInJump(list []ir.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ir.Return, *ir.Abort, *ir.Break, *ir.Continue:
		return true
	case *ir.If:
		return endsInJump(s.Then) && endsInJump(s.Else)
	case *ir.Block:
		return endsInJump(s.Body) && !leaves(s.Body, s.Label)
	case *ir.While:
		c, ok := s.Cond.(*ir.Const)
		return ok && c.Value.IsTrue() && !breaksLoop(s.Body, s.Label, 0)
	}
	return false
}

// breaksLoop reports whether body leaves the loop around it.
func breaksLoop(body []ir.Stmt, label string, depth int) bool {
	for _, s := range body {
		if k, ok := s.(*ir.Break); ok && (k.Label == "" && depth == 0 || k.Label != "" && k.Label == label) {
			return true
		}
		inner := depth
		switch s.(type) {
		case *ir.While, *ir.ForRange, *ir.Foreach:
			inner++
		}
		for _, c := range ir.Children(s) {
			if breaksLoop(c, label, inner) {
				return true
			}
		}
	}
	return false
}

// place gives the position of a statement.
func (b *builder) place(f *frame, s plpgsql.Stmt) ir.Pos { return f.text.pos(s.Place()) }

func (b *builder) stmts(f *frame, list []plpgsql.Stmt) {
	for _, s := range list {
		b.stmt(f, s)
	}
}

// stmt translates a statement; what cannot be modelled is abandoned.
func (b *builder) stmt(f *frame, s plpgsql.Stmt) {
	scope, loops, depth := f.scope, f.loops, b.loopDepth
	b.cur = b.place(f, s)
	why, ok := b.attempt(func() { b.stmt1(f, s) })
	f.scope, f.loops, b.loopDepth = scope, loops, depth
	if !ok {
		b.abandon(f, s, why)
	}
}

func (b *builder) stmt1(f *frame, s plpgsql.Stmt) {
	pos := b.place(f, s)
	switch s := s.(type) {
	case *plpgsql.Block:
		b.block(f, s, pos)
	case *plpgsql.Assign:
		b.assignment(f, s, pos)
	case *plpgsql.If:
		b.ifStmt(f, s.Branches, s.Else, pos)
	case *plpgsql.Case:
		b.caseStmt(f, s, pos)
	case *plpgsql.Loop:
		b.loop(f, s, pos)
	case *plpgsql.ForRange:
		b.forRange(f, s, pos)
	case *plpgsql.ForQuery:
		b.forQuery(f, s, pos)
	case *plpgsql.Foreach:
		b.foreach(f, s, pos)
	case *plpgsql.Exit:
		b.exit(f, s, pos)
	case *plpgsql.Return:
		b.returnStmt(f, s, pos)
	case *plpgsql.ReturnNext:
		b.returnNext(f, s, pos)
	case *plpgsql.ReturnQuery:
		if s.Dynamic {
			b.unmodelled("EXECUTE")
		}
		tree, t := b.parseCommand(f, s.Query)
		b.command(f, t, tree, pos, sink{kind: toClient})
	case *plpgsql.Raise:
		if s.Error {
			b.emit(&ir.Abort{At: at(pos)})
			return
		}
		for _, e := range s.Args { // for the functions that they call
			b.value(f, e)
		}
	case *plpgsql.Assert:
		b.emit(&ir.Assume{At: at(pos), Cond: b.condition(f, s.Cond)})
	case *plpgsql.SQL:
		b.sqlStmt(f, s, pos)
	case *plpgsql.Execute:
		b.unmodelled("EXECUTE")
	case *plpgsql.GetDiagnostics:
		b.diagnostics(f, s, pos)
	case *plpgsql.Cursor:
		b.unmodelled("a cursor")
	case *plpgsql.EndTxn:
		b.unmodelled("transaction control inside of a procedure")
	case *plpgsql.Null:
	default:
		panic("sqlmodel: unknown PL/pgSQL statement " + typeName(s))
	}
}

// parseCommand parses an SQL command in a body.
func (b *builder) parseCommand(f *frame, span plpgsql.Span) (any, *text) {
	t := f.text.part("", span)
	stmts, err := t.parse()
	if err != nil {
		panic(err)
	}
	if len(stmts) != 1 {
		b.l.fail(t.pos(0), "expected one SQL command here")
	}
	return pg.Inner(stmts[0].Stmt), t
}

// expression parses an expression in a body: what may follow SELECT.
func (b *builder) expression(f *frame, span plpgsql.Span) (*pg.SelectStmt, *text) {
	t := f.text.part("SELECT ", span)
	stmts, err := t.parse()
	if err != nil {
		panic(err)
	}
	s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	if len(stmts) != 1 || !ok {
		b.l.fail(t.pos(len("SELECT ")), "expected an expression here")
	}
	return s, t
}

// plainExpression reports whether a SELECT is only a list of expressions.
func plainExpression(s *pg.SelectStmt) bool {
	return len(s.FromClause) == 0 && s.WhereClause == nil && (s.Op == pg.SetOpNone || s.Op == 0) && s.LimitCount == nil &&
		s.WithClause == nil && len(s.DistinctClause) == 0 && len(s.GroupClause) == 0 && s.HavingClause == nil &&
		len(s.ValuesLists) == 0 && len(s.SortClause) == 0 && len(s.LockingClause) == 0 && !hasAggregates(s.TargetList)
}

// value translates an expression of PL/pgSQL.
func (b *builder) value(f *frame, span plpgsql.Span) val {
	s, t := b.expression(f, span)
	b.apart(s, nil)
	x := b.ex(f, t)
	if f.rowcount != "" && len(b.refsOf(s).tables) > 0 {
		// A query in an expression changes ROW_COUNT, too.
		b.emitWeak(&ir.Havoc{At: at(t.pos(0)), Var: f.rowcount, NotNull: true})
	}
	if plainExpression(s) && len(s.TargetList) == 1 {
		return x.expr(pg.TargetValue(s.TargetList[0]))
	}
	if plainExpression(s) {
		b.l.fail(t.pos(len("SELECT ")), "expected one expression here, not %d", len(s.TargetList))
	}
	return x.scalar(s, t.pos(len("SELECT ")))
}

// condition translates a condition, of which only the truth matters.
func (b *builder) condition(f *frame, span plpgsql.Span) ir.Expr {
	s, t := b.expression(f, span)
	b.apart(s, nil)
	if plainExpression(s) && len(s.TargetList) == 1 {
		if f.rowcount != "" && len(b.refsOf(s).tables) > 0 {
			b.emitWeak(&ir.Havoc{At: at(t.pos(0)), Var: f.rowcount, NotNull: true})
		}
		return b.ex(f, t).boolean(pg.TargetValue(s.TargetList[0]), truth)
	}
	v := b.value(f, span)
	x := b.ex(f, t)
	return x.cast(v, tBool, 0).e
}

// conditionOrChoice is a condition that becomes any value when it cannot be
// modelled.
func (b *builder) conditionOrChoice(f *frame, span plpgsql.Span) ir.Expr {
	var e ir.Expr
	why, ok := b.attempt(func() { e = b.condition(f, span) })
	if ok {
		return e
	}
	s, t := b.expression(f, span)
	pos := t.pos(len("SELECT "))
	b.giveUp(pos, b.refsOf(s), why)
	return b.choice(pos)
}

// choice is a condition of which nothing is known.
func (b *builder) choice(pos ir.Pos) ir.Expr {
	v := b.local("choice", tBool)
	b.out = append(b.out, &ir.Havoc{At: at(pos), Var: v, NotNull: true})
	return ir.V(v)
}

func (b *builder) ifStmt(f *frame, branches []plpgsql.Branch, rest []plpgsql.Stmt, pos ir.Pos) {
	cond := b.conditionOrChoice(f, branches[0].Cond)
	s := &ir.If{At: at(pos), Cond: cond}
	s.Then = b.collect(func() { b.stmts(f, branches[0].Body) })
	s.Else = b.collect(func() {
		if len(branches) > 1 {
			b.ifStmt(f, branches[1:], rest, f.text.pos(branches[1].Cond.Start))
			return
		}
		b.stmts(f, rest)
	})
	b.emit(s)
}

func (b *builder) caseStmt(f *frame, s *plpgsql.Case, pos ir.Pos) {
	rest := func() {
		if !s.HasElse { // no branch fits: an error
			b.emit(&ir.Abort{At: at(pos)})
			return
		}
		b.stmts(f, s.Else)
	}
	var subject *val
	if !s.Subject.Empty() {
		v := b.value(f, s.Subject)
		x := b.ex(f, f.text)
		if v.record {
			b.unmodelled("CASE of a row")
		}
		v.e = x.shared(v.e, v.t)
		subject = &v
	}
	var branch func(i int)
	branch = func(i int) {
		if i == len(s.Branches) {
			rest()
			return
		}
		br := s.Branches[i]
		var cond ir.Expr
		if subject == nil {
			cond = b.conditionOrChoice(f, br.Cond)
		} else {
			cond = b.anyOf(f, *subject, br.Cond)
		}
		at_ := pos
		if i > 0 {
			at_ = f.text.pos(br.Cond.Start)
		}
		st := &ir.If{At: at(at_), Cond: cond}
		st.Then = b.collect(func() { b.stmts(f, br.Body) })
		st.Else = b.collect(func() { branch(i + 1) })
		b.emit(st)
	}
	branch(0)
}

// anyOf says that subject equals one of a list of expressions.
func (b *builder) anyOf(f *frame, subject val, span plpgsql.Span) ir.Expr {
	sel, t := b.expression(f, span)
	b.apart(sel, nil)
	x := b.ex(f, t)
	var out ir.Expr
	for _, n := range sel.TargetList {
		v := pg.TargetValue(n)
		out = ir.OrE(out, x.compare("=", subject, x.expr(v), x.at(v)).e)
	}
	return out
}

// block translates BEGIN … END.
func (b *builder) block(f *frame, s *plpgsql.Block, pos ir.Pos) {
	if len(s.Handlers) > 0 {
		b.unmodelled("EXCEPTION")
	}
	outer := f.scope
	f.scope = &scope{label: s.Label, vars: map[string]*variable{}, parent: outer}
	for _, d := range s.Decls {
		b.declaration(f, d)
	}
	if s.Label == "" {
		b.stmts(f, s.Body)
		f.scope = outer
		return
	}
	l := &loopLabel{name: s.Label}
	f.loops = append(f.loops, l)
	body := b.collect(func() { b.stmts(f, s.Body) })
	f.loops = f.loops[:len(f.loops)-1]
	f.scope = outer
	if l.label == "" {
		b.out = append(b.out, body...)
		return
	}
	b.emit(&ir.Block{At: at(pos), Label: l.label, Body: body})
}

// declaration declares a variable of DECLARE and gives it its first value.
func (b *builder) declaration(f *frame, d plpgsql.Decl) {
	pos := f.text.pos(d.At)
	if f.scope.vars[d.Name] != nil {
		b.l.fail(pos, "variable %s is declared twice", d.Name)
	}
	switch {
	case d.Alias != "":
		v, _ := f.scope.find([]string{d.Alias})
		if d.Alias[0] == '$' {
			v = f.numbered(d.Alias)
		}
		if v == nil {
			b.l.fail(pos, "there is no variable %s for %s to be an alias of", d.Alias, d.Name)
		}
		f.scope.vars[d.Name] = v
		return
	case d.Cursor:
		f.scope.vars[d.Name] = &variable{name: d.Name, t: opaque("refcursor"), local: b.local(d.Name, tAny)}
		return
	}
	t := b.declaredType(f, d)
	inner := f.scope
	f.scope = inner.parent // a default does not see the variable itself
	var v *val
	if !d.Default.Empty() {
		why, ok := b.attempt(func() { x := b.value(f, d.Default); v = &x })
		if !ok {
			s, _ := b.expression(f, d.Default)
			b.giveUp(pos, b.refsOf(s), why)
		}
	}
	f.scope = inner
	w := b.declare(f, d.Name, t)
	switch {
	case v != nil:
		b.store(f, w, *v, pos)
	case !d.Default.Empty():
		for _, x := range w.dests() {
			b.havoc(pos, x.local)
		}
	case b.loopDepth > 0: // NULL again in each round
		for _, x := range w.dests() {
			b.emitWeak(&ir.Assign{At: at(pos), Var: x.local, Expr: ir.C(ir.Null)})
		}
	}
	w.nn = d.NotNull
}

// numbered gives the parameter $n.
func (f *frame) numbered(dollar string) *variable {
	for i, v := range f.inputs {
		if dollar == "$"+itoa(i+1) {
			return v
		}
	}
	return nil
}

// declaredType reads the type of a declaration, %TYPE and %ROWTYPE included.
func (b *builder) declaredType(f *frame, d plpgsql.Decl) typ {
	src := d.Type.Text(f.text.s)
	lower := strings.ToLower(strings.Join(strings.Fields(src), ""))
	pos := f.text.pos(d.Type.Start)
	if name, ok := strings.CutSuffix(lower, "%rowtype"); ok {
		name = qualified(strings.Split(strings.ReplaceAll(name, `"`, ""), "."))
		if len(b.l.fieldsOf(name)) == 0 {
			b.l.fail(pos, "there is no table %s", name)
		}
		return opaque(name)
	}
	base, array := strings.CutSuffix(lower, "[]")
	if name, ok := strings.CutSuffix(base, "%type"); ok {
		t := b.typeOfName(f, strings.Split(strings.ReplaceAll(name, `"`, ""), "."), pos)
		if array {
			return arrayOf(t)
		}
		return t
	}
	if lower == "record" {
		return tRecord
	}
	t := f.text.part("SELECT NULL::", d.Type)
	stmts, err := t.parse()
	if err != nil {
		panic(err)
	}
	if s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt); ok && len(s.TargetList) == 1 {
		if c, ok := pg.Inner(pg.TargetValue(s.TargetList[0])).(*pg.TypeCast); ok {
			return b.l.typeOf(c.TypeName, t)
		}
	}
	b.l.fail(pos, "%s is no type", src)
	return typ{}
}

// typeOfName is x%TYPE: of a variable, a field or a column.
func (b *builder) typeOfName(f *frame, parts []string, pos ir.Pos) typ {
	if v, fd := f.scope.find(parts); fd != nil {
		return fd.t
	} else if v != nil {
		return v.t
	}
	if len(parts) > 1 {
		if tab := b.l.table(qualified(parts[:len(parts)-1])); tab != nil {
			if c := tab.column(parts[len(parts)-1]); c != nil {
				return c.t
			}
			b.l.fail(pos, "table %s has no column %s", tab.name, parts[len(parts)-1])
		}
	}
	b.l.fail(pos, "there is no column or variable %s", strings.Join(parts, "."))
	return typ{}
}

// store assigns a value to a variable.
func (b *builder) store(f *frame, v *variable, e val, pos ir.Pos) {
	x := &ex{l: b.l, b: b, f: f, text: f.text}
	if !v.isRecord {
		if e.record {
			if len(e.fields) != 1 {
				b.unmodelled("a row in the variable %s", v.name)
			}
			e = e.fields[0].val()
		}
		b.assign(pos, v.local, x.cast(e, v.t, 0).e)
		return
	}
	switch {
	case e.record:
		list, rest := b.recordDests(v, e.fields, pos)
		b.assignAll(x, pos, list, e.fields)
		b.setNull(pos, rest)
	case e.isNull():
		b.setNull(pos, v.dests())
	default: // a value of a composite type
		fields := b.l.fieldsOf(e.t.name)
		if len(fields) == 0 {
			b.unmodelled("a value of unknown shape in the record %s", v.name)
		}
		var cols []colDef
		for _, fd := range fields {
			cols = append(cols, colDef{fd.name, accessor(e, fd), fd.t, false})
		}
		list, rest := b.recordDests(v, cols, pos)
		b.assignAll(x, pos, list, cols)
		b.setNull(pos, rest)
	}
}

// recordDests gives the locals that take the columns of a row. A variable of
// type record takes their names and types; all that it ever held keep their
// locals, so that a field is found after either branch of an IF.
func (b *builder) recordDests(v *variable, cols []colDef, pos ir.Pos) (list, rest []dest) {
	if v.fixed {
		for i := range cols {
			if i < len(v.fields) {
				list = append(list, dest{v.fields[i].local, v.fields[i].t})
			} else {
				list = append(list, dest{})
			}
		}
		for _, fd := range v.fields[min(len(cols), len(v.fields)):] {
			rest = append(rest, dest{fd.local, fd.t})
		}
		return list, rest
	}
	v.fields = nil
	for _, c := range cols {
		t := c.t
		if t.name == nUnknown {
			t = tText
		}
		old := v.held(c.name)
		switch {
		case old == nil:
			v.all = append(v.all, field{c.name, b.fieldLocal(v.name, c.name, t), t})
			old = &v.all[len(v.all)-1]
		case localType(old.t) != localType(t):
			if !(old.t.numeric() && t.numeric()) {
				b.l.fail(pos, "the record %s holds rows of different shapes (its field %s is %s and %s); declare two records", v.name, c.name, old.t, t)
			}
			if old.t.name == nInt { // the wider type holds both
				b.retypeLocal(old.local, t)
				old.t = t
			}
		}
		v.fields = append(v.fields, *old)
		list = append(list, dest{old.local, old.t})
	}
	return list, nil
}

// retypeLocal widens the type of a local.
func (b *builder) retypeLocal(name string, t typ) {
	for i := range b.txn.Locals {
		if b.txn.Locals[i].Name == name {
			b.txn.Locals[i].Type = localType(t)
		}
	}
}

// assignment translates target := expr.
func (b *builder) assignment(f *frame, s *plpgsql.Assign, pos ir.Pos) {
	e := b.value(f, s.Expr)
	v, fd := b.targetOf(f, s.Target)
	if s.Deep {
		b.unmodelled("an assignment to a field of an element")
	}
	d := dest{v.local, v.t}
	if fd != nil {
		d = dest{fd.local, fd.t}
	}
	x := b.ex(f, f.text)
	switch {
	case len(s.Subscripts) > 0:
		if d.t.name != nArray {
			if fd == nil && v.isRecord || d.t.name != nJSON {
				b.l.fail(f.text.pos(s.Target.At), "only arrays have subscripts, but this has type %s", d.t)
			}
		}
		args := []ir.Expr{ir.V(d.local)}
		for _, sub := range s.Subscripts {
			args = append(args, x.defaultType(b.value(f, sub)).e)
		}
		if d.t.name == nArray && len(s.Subscripts) == 1 {
			e = x.cast(e, d.t.element(), 0)
		}
		args = append(args, x.defaultType(e).e)
		b.assign(pos, d.local, &ir.Call{Name: "set", Args: args, Type: localType(d.t)})
	case fd != nil:
		if e.record {
			b.unmodelled("a row in a field")
		}
		b.assign(pos, d.local, x.cast(e, d.t, 0).e)
	default:
		b.store(f, v, e, pos)
	}
}

// targetOf finds the variable that is to be set.
func (b *builder) targetOf(f *frame, n plpgsql.Name) (*variable, *field) {
	if n.Parts[0][0] == '$' {
		if v := f.numbered(n.Parts[0]); v != nil {
			return v, nil
		}
		b.l.fail(f.text.pos(n.At), "there is no parameter %s", n.Parts[0])
	}
	v, fd := f.scope.find(n.Parts)
	name := strings.Join(n.Parts, ".")
	switch {
	case v == nil:
		b.l.fail(f.text.pos(n.At), "there is no variable %s; declare it", name)
	case fd == nil && v.isRecord && len(n.Parts) > 1 && n.Parts[len(n.Parts)-1] != v.name:
		if !v.fixed {
			b.unmodelled("a field of the record %s that is not known here", v.name)
		}
		b.l.fail(f.text.pos(n.At), "record %s has no field %s", v.name, n.Parts[len(n.Parts)-1])
	}
	return v, fd
}

// into gives the sink for an INTO clause.
func (b *builder) into(f *frame, in *plpgsql.Into, pos ir.Pos) sink {
	return sink{kind: intoLocals, strict: in.Strict, dests: b.destsFor(f, in.Targets, pos)}
}

// destsFor gives the locals of a list of targets: one record, or variables.
func (b *builder) destsFor(f *frame, targets []plpgsql.Name, pos ir.Pos) func([]colDef) ([]dest, []dest) {
	return func(cols []colDef) (list, rest []dest) {
		if len(targets) == 1 {
			if v, fd := b.targetOf(f, targets[0]); v.isRecord && fd == nil {
				return b.recordDests(v, cols, pos)
			}
		}
		var all []dest
		for _, n := range targets {
			v, fd := b.targetOf(f, n)
			switch {
			case fd != nil:
				all = append(all, dest{fd.local, fd.t})
			case v.isRecord:
				b.l.fail(f.text.pos(n.At), "%s is a record: it must be the only target of INTO", v.name)
			default:
				all = append(all, dest{v.local, v.t})
			}
		}
		for i := range cols {
			if i < len(all) {
				list = append(list, all[i])
			} else {
				list = append(list, dest{})
			}
		}
		return list, all[min(len(cols), len(all)):]
	}
}

// sqlStmt translates an SQL command or PERFORM.
func (b *builder) sqlStmt(f *frame, s *plpgsql.SQL, pos ir.Pos) {
	if s.Perform {
		sel, t := b.expression(f, s.Query)
		b.selectStmt(f, t, sel, pos, sink{})
		return
	}
	tree, t := b.parseCommand(f, s.Query)
	to := sink{}
	if s.Into != nil {
		to = b.into(f, s.Into, pos)
	} else if _, ok := tree.(*pg.SelectStmt); ok {
		b.l.fail(pos, "the result of this SELECT goes nowhere; use PERFORM, or INTO")
	}
	b.command(f, t, tree, pos, to)
}

func (b *builder) diagnostics(f *frame, s *plpgsql.GetDiagnostics, pos ir.Pos) {
	for _, it := range s.Items {
		v, fd := b.targetOf(f, it.Target)
		d := dest{v.local, v.t}
		if fd != nil {
			d = dest{fd.local, fd.t}
		}
		if d.local == "" {
			b.unmodelled("GET DIAGNOSTICS into a record")
		}
		if it.Item == "row_count" && !s.Stacked {
			b.assign(pos, d.local, b.ex(f, f.text).cast(val{e: ir.V(f.rowcount), t: tInt, nn: true}, d.t, 0).e)
			continue
		}
		b.havoc(pos, d.local)
	}
}
