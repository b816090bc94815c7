package interp

import (
	"fmt"
	"sort"

	"github.com/txrobust/robust/ir"
)

// control is how a statement ended: it went on, or leaves loops and blocks.
type control struct {
	kind  controlKind
	label string
}

type controlKind uint8

const (
	goOn controlKind = iota
	doBreak
	doContinue
	doReturn
)

type exec func(f *frame) control

// code is a compiled transaction.
type code struct {
	body    exec
	nlocals int
	slots   int
}

type compiler struct {
	m     *Machine
	txn   *ir.Txn
	slots int
}

func (c *compiler) tableIndex(t *ir.Table) int {
	i, ok := c.m.index[t]
	if !ok {
		panic("interp: table " + t.Name + " is not in the program")
	}
	return i
}

func (m *Machine) compiled(t *ir.Txn) *code {
	if c := m.code[t]; c != nil {
		return c
	}
	if t.Labelled != nil {
		panic("interp: transaction " + t.Name + " is labelled: run ir.Structure first")
	}
	c := &compiler{m: m, txn: t}
	s := &scope{c: c, locals: map[string]int{}}
	for i, p := range t.Params {
		s.locals[p.Name] = i
	}
	for i, l := range t.Locals {
		s.locals[l.Name] = len(t.Params) + i
	}
	out := &code{body: s.block(t.Body), nlocals: len(s.locals)}
	out.slots = c.slots
	m.code[t] = out
	return out
}

func (s *scope) block(list []ir.Stmt) exec {
	steps := make([]exec, len(list))
	for i, st := range list {
		steps[i] = s.traced(st)
	}
	return func(f *frame) control {
		for _, step := range steps {
			if c := step(f); c.kind != goOn {
				return c
			}
		}
		return control{}
	}
}

// traced wraps a statement with the step bound and the trace.
func (s *scope) traced(st ir.Stmt) exec {
	run := s.stmt(st)
	_, compound := st.(*ir.Block)
	compound = compound || len(ir.Children(st)) > 0
	takesSnapshot := true
	switch st.(type) {
	case *ir.LockTable, *ir.Assign, *ir.Havoc, *ir.If, *ir.Block, *ir.While, *ir.ForRange, *ir.Assume,
		*ir.Savepoint, *ir.Return, *ir.Break, *ir.Continue:
		takesSnapshot = len(ir.Reads(st)) > 0
	}
	set := ir.Assigned(st)
	return func(f *frame) control {
		if f.steps++; f.steps > f.budget {
			panic(stop{TooLong})
		}
		if takesSnapshot {
			f.snapshot = true
		}
		f.cur = st
		f.statement = f.steps
		if !f.m.Trace || compound {
			return run(f)
		}
		at := len(f.run.Steps)
		f.run.Steps = append(f.run.Steps, Step{Stmt: st, OpsFrom: len(f.run.Ops), ReadsFrom: len(f.run.Reads)})
		defer func() {
			step := &f.run.Steps[at]
			step.OpsTo, step.ReadsTo = len(f.run.Ops), len(f.run.Reads)
			for _, name := range set {
				step.Locals = append(step.Locals, Binding{name, f.locals[s.locals[name]]})
			}
		}()
		return run(f)
	}
}

func (f *frame) set(i int, v ir.Value, t ir.Type) {
	v = v.Convert(t)
	if d := f.m.Program.Domain; d != nil && v.Kind == ir.KindInt && (v.I < d.Lo || v.I > d.Hi) && v.I < freshBase {
		panic(stop{"a value leaves the domain"})
	}
	f.locals[i] = v
}

// setter gives a function that assigns the named local.
func (s *scope) setter(name string) func(f *frame, v ir.Value) {
	i := s.locals[name]
	t, _ := s.c.txn.LocalType(name)
	return func(f *frame, v ir.Value) { f.set(i, v, t) }
}

func (s *scope) stmt(st ir.Stmt) exec {
	switch st := st.(type) {
	case *ir.Assign:
		set, e := s.setter(st.Var), s.expr(st.Expr)
		return func(f *frame) control { set(f, e(f)); return control{} }
	case *ir.Havoc:
		return s.havoc(st)
	case *ir.Select:
		if len(st.Aggs) > 0 {
			return s.aggregate(st)
		}
		return s.selectRow(st)
	case *ir.Emit:
		es := s.exprs(st.Exprs)
		return func(f *frame) control {
			vals := make([]ir.Value, len(es))
			for i, e := range es {
				vals[i] = e(f)
			}
			f.emit([][]ir.Value{vals})
			return control{}
		}
	case *ir.EmitRows:
		return s.emitRows(st)
	case *ir.Insert:
		return s.insert(st)
	case *ir.Update:
		return s.update(st)
	case *ir.Delete:
		return s.delete(st)
	case *ir.LockTable:
		t := s.c.tableIndex(st.Table)
		return func(f *frame) control {
			use := tableUse{t, st.Mode}
			f.run.uses = append(f.run.uses, use)
			if !f.snapshot {
				f.run.preLocks = append(f.run.preLocks, use)
			}
			return control{}
		}
	case *ir.If:
		cond, yes, no := s.expr(st.Cond), s.block(st.Then), s.block(st.Else)
		return func(f *frame) control {
			if cond(f).IsTrue() {
				return yes(f)
			}
			return no(f)
		}
	case *ir.Block:
		body := s.block(st.Body)
		return func(f *frame) control {
			c := body(f)
			if c.kind == doBreak && c.label == st.Label {
				return control{}
			}
			return c
		}
	case *ir.While:
		cond, body := s.expr(st.Cond), s.block(st.Body)
		return func(f *frame) control {
			for cond(f).IsTrue() {
				if f.steps++; f.steps > f.budget {
					panic(stop{TooLong})
				}
				if c, leave := loop(body(f), st.Label); leave {
					return c
				}
			}
			return control{}
		}
	case *ir.ForRange:
		return s.forRange(st)
	case *ir.Foreach:
		return s.foreach(st)
	case *ir.Break:
		return func(*frame) control { return control{doBreak, st.Label} }
	case *ir.Continue:
		return func(*frame) control { return control{doContinue, st.Label} }
	case *ir.Return:
		return func(*frame) control { return control{kind: doReturn} }
	case *ir.Assume:
		cond := s.expr(st.Cond)
		return func(f *frame) control {
			if !cond(f).IsTrue() {
				panic(stop{"an assumption does not hold"})
			}
			return control{}
		}
	case *ir.Abort:
		return func(*frame) control { panic(stop{"the transaction rolls back"}) }
	case *ir.Savepoint:
		return func(f *frame) control {
			if f.points == nil {
				f.points = map[string]point{}
			}
			f.npoints++
			f.points[st.Name] = point{f.db, len(f.run.Ops), len(f.run.Locks), f.npoints}
			return control{}
		}
	case *ir.RollbackTo:
		return func(f *frame) control {
			p, ok := f.points[st.Name]
			if !ok {
				panic(stop{"there is no savepoint " + st.Name})
			}
			u := undone{after: p.ops, ops: append([]Op(nil), f.run.Ops[p.ops:]...), broken: map[int]bool{}}
			f.m.replay(p.db, u.ops, func(statement int, why string) bool { u.broken[statement] = true; return true })
			if len(u.broken) > 0 {
				f.run.undone = append(f.run.undone, u)
			}
			for name, later := range f.points {
				if later.set > p.set {
					delete(f.points, name)
				}
			}
			f.db = p.db
			f.run.Ops = f.run.Ops[:p.ops:p.ops]
			f.run.Locks = f.run.Locks[:p.nlocks:p.nlocks]
			return control{}
		}
	case *ir.Unmodelled:
		return func(f *frame) control {
			f.run.Unmodelled = st
			panic(stop{"a statement is not modelled: " + st.Reason})
		}
	case *ir.CopyTable:
		dst, src := s.c.tableIndex(st.Dst), s.c.tableIndex(st.Src)
		return func(f *frame) control {
			f.copyTable(dst, src)
			return control{}
		}
	case *ir.Fail:
		return func(f *frame) control {
			f.run.Failed = true
			return control{kind: doReturn}
		}
	}
	panic(fmt.Sprintf("interp: unknown statement %T", st))
}

// loop interprets how a loop's body ended.
func loop(c control, label string) (control, bool) {
	mine := c.label == "" || c.label == label
	switch {
	case c.kind == doBreak && mine:
		return control{}, true
	case c.kind == goOn, c.kind == doContinue && mine:
		return control{}, false
	}
	return c, true
}

func (s *scope) exprs(es []ir.Expr) []eval {
	out := make([]eval, len(es))
	for i, e := range es {
		out[i] = s.expr(e)
	}
	return out
}

func (s *scope) havoc(st *ir.Havoc) exec {
	set := s.setter(st.Var)
	t, _ := s.c.txn.LocalType(st.Var)
	return func(f *frame) control {
		if st.Fresh {
			set(f, f.freshValue(t))
			return control{}
		}
		if f.havocs == nil {
			f.havocs = map[*ir.Havoc]int{}
		}
		n := f.havocs[st]
		f.havocs[st]++
		if f.inst.Havoc != nil {
			if v, ok := f.inst.Havoc(st, n); ok {
				set(f, v)
				return control{}
			}
		}
		d := f.m.Program.Domain
		var values []ir.Value
		switch {
		case t.Kind == ir.KindBool:
			values = []ir.Value{ir.Bool(false), ir.Bool(true)}
		case t.Kind == ir.KindInt && d != nil:
			for i := d.Lo; i <= d.Hi; i++ {
				values = append(values, ir.Int(i))
			}
		default:
			panic(stop{NotFinite})
		}
		if !st.NotNull {
			values = append(values, ir.Null)
		}
		set(f, values[f.ch.choose(len(values))])
		return control{}
	}
}

// NotFinite is Run.Blocked of a run that needs a value from an infinite set.
const NotFinite = "a havocked value has no finite domain"

func (f *frame) emit(rows [][]ir.Value) {
	f.out = append(f.out, 'e')
	for _, r := range rows {
		for _, v := range r {
			f.out = appendValue(f.out, v)
		}
		f.out = append(f.out, 0xfe)
	}
	f.out = append(f.out, 0xff)
	if f.m.Trace {
		f.run.Steps[len(f.run.Steps)-1].Emitted = rows
	}
}

// binding is one row combination of a query, copied out of the frame.
type binding struct {
	rows []([]ir.Value)
	keys []ir.Value // the ORDER BY values
}

// bindings collects the matching combinations, sorted by order.
func (q *query) bindings(f *frame, base int, order []eval, desc []bool) []binding {
	var out []binding
	q.each(f, func() bool {
		b := binding{rows: append([][]ir.Value(nil), f.rows[base:base+len(q.from)]...)}
		for _, o := range order {
			b.keys = append(b.keys, o(f))
		}
		out = append(out, b)
		return true
	})
	if len(order) > 0 {
		sort.SliceStable(out, func(i, j int) bool { return compareKeys(out[i].keys, out[j].keys, desc) < 0 })
	}
	return out
}

// compareKeys compares in ORDER BY order: NULLs are larger than all values.
func compareKeys(a, b []ir.Value, desc []bool) int {
	for i := range a {
		c := 0
		switch x, y := a[i], b[i]; {
		case x.IsNull() && y.IsNull():
		case x.IsNull():
			c = 1
		case y.IsNull():
			c = -1
		default:
			c = ir.Compare(x, y)
		}
		if desc[i] {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func (s *scope) order(os []ir.Order) (es []eval, desc []bool) {
	for _, o := range os {
		es = append(es, s.expr(o.Expr))
		desc = append(desc, o.Desc)
	}
	return
}

func (f *frame) bind(base int, b binding) { copy(f.rows[base:], b.rows) }

// locker gives a function that locks the rows bound in the frame.
func (s *scope) locker(q *query, l ir.Lock) func(f *frame) {
	type target struct{ table, slot int }
	var targets []target
	for i, src := range q.src.From {
		if l.Covers(src.Row) {
			targets = append(targets, target{q.from[i].table, q.from[i].slot})
		}
	}
	return func(f *frame) {
		for _, t := range targets {
			f.lock(t.table, keyOf(f.m.Program.Tables[t.table], f.rows[t.slot]), l.Mode)
			f.use(t.table, ir.RowShare)
		}
	}
}

func (f *frame) lock(table int, key string, mode ir.LockMode) {
	if mode != ir.NoLock {
		f.run.Locks = append(f.run.Locks, RowLock{table, key, mode, f.cur, f.inserted(table, key)})
	}
}

func (f *frame) use(table int, mode ir.TableLock) {
	f.run.uses = append(f.run.uses, tableUse{table, mode})
}

func (q *query) use(f *frame) {
	for _, src := range q.from {
		f.use(src.table, ir.AccessShare)
	}
}

func (s *scope) selectRow(st *ir.Select) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	cols := in.exprs(st.Cols)
	lock := s.locker(q, st.Lock)
	var into []func(*frame, ir.Value)
	for _, name := range st.Into {
		into = append(into, s.setter(name))
	}
	found := func(*frame, ir.Value) {}
	if st.Found != "" {
		found = s.setter(st.Found)
	}
	base := len(s.rows)
	return func(f *frame) control {
		q.use(f)
		list := q.bindings(f, base, order, desc)
		if len(list) == 0 {
			f.read(readNote{q: q, scope: in, cols: st.Cols, order: st.Order, take: true})
			for _, set := range into {
				set(f, ir.Null)
			}
			found(f, ir.Bool(false))
			return control{}
		}
		ties := 1
		for ties < len(list) && compareKeys(list[0].keys, list[ties].keys, desc) == 0 {
			ties++
		}
		pick := list[f.ch.choose(ties)]
		f.read(readNote{q: q, scope: in, cols: st.Cols, order: st.Order, take: true, found: true, pick: &pick})
		f.bind(base, pick)
		lock(f)
		vals := make([]ir.Value, len(cols))
		for i, c := range cols {
			vals[i] = c(f)
		}
		for i, set := range into {
			set(f, vals[i])
		}
		found(f, ir.Bool(true))
		return control{}
	}
}

func (s *scope) aggregate(st *ir.Select) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	var args []eval
	var cols []ir.Expr
	for _, a := range st.Aggs {
		arg := eval(func(*frame) ir.Value { return ir.Bool(true) })
		if a.Arg != nil {
			arg = in.expr(a.Arg)
			cols = append(cols, a.Arg)
		}
		args = append(args, arg)
	}
	var into []func(*frame, ir.Value)
	for _, name := range st.Into {
		into = append(into, s.setter(name))
	}
	return func(f *frame) control {
		q.use(f)
		vals := make([][]ir.Value, len(args))
		q.each(f, func() bool {
			for i, arg := range args {
				if v := arg(f); !v.IsNull() {
					vals[i] = append(vals[i], v)
				}
			}
			return true
		})
		results := make([]ir.Value, len(args))
		for i := range args {
			results[i] = fold(&st.Aggs[i], vals[i])
		}
		f.read(readNote{q: q, scope: in, cols: cols, aggs: st.Aggs, results: results})
		for i, set := range into {
			set(f, results[i])
		}
		return control{}
	}
}

// fold computes an aggregate over the non-NULL arguments.
func fold(a *ir.Agg, vals []ir.Value) ir.Value {
	sort.Slice(vals, func(i, j int) bool { return ir.Compare(vals[i], vals[j]) < 0 })
	if a.Distinct {
		var uniq []ir.Value
		for i, v := range vals {
			if i == 0 || v != vals[i-1] {
				uniq = append(uniq, v)
			}
		}
		vals = uniq
	}
	if a.Fn == "count" {
		return ir.Int(int64(len(vals)))
	}
	switch {
	case a.Fn != "sum" && a.Fn != "min" && a.Fn != "max":
		return (&ir.Call{Name: a.Fn, Type: a.Type}).Apply(vals)
	case len(vals) == 0:
		return ir.Null
	case a.Fn == "min":
		return vals[0]
	case a.Fn == "max":
		return vals[len(vals)-1]
	}
	sum := vals[0]
	for _, v := range vals[1:] {
		sum = arith(ir.Add, sum, v)
	}
	return sum.Convert(a.Type)
}

func (s *scope) emitRows(st *ir.EmitRows) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	cols := in.exprs(st.Cols)
	lock := s.locker(q, st.Lock)
	base := len(s.rows)
	var limit eval
	if st.Limit != nil {
		limit = s.expr(st.Limit)
	}
	return func(f *frame) control {
		q.use(f)
		list := q.bindings(f, base, order, desc)
		f.read(readNote{q: q, scope: in, cols: st.Cols, order: st.Order, found: len(list) > 0})
		n := len(list)
		if limit != nil {
			if v := limit(f); !v.IsNull() {
				if v.I < 0 {
					panic(stop{"LIMIT must not be negative"})
				}
				n = int(min(int64(n), v.I))
			}
		}
		rows := make([][]ir.Value, 0, n)
		for _, b := range list[:n] {
			f.bind(base, b)
			lock(f)
			vals := make([]ir.Value, len(cols))
			for i, c := range cols {
				vals[i] = c(f)
			}
			rows = append(rows, vals)
		}
		if n < len(list) && n > 0 && (len(order) == 0 || compareKeys(list[n-1].keys, list[n].keys, desc) == 0) {
			// Which rows come is not determined: only their number is observed.
			f.emit([][]ir.Value{{ir.Int(int64(n))}})
			return control{}
		}
		// Rows that ORDER BY does not tell apart come in any order: sort them.
		for i := 0; i < len(rows); {
			j := i + 1
			for j < len(rows) && compareKeys(list[i].keys, list[j].keys, desc) == 0 {
				j++
			}
			part := rows[i:j]
			sort.Slice(part, func(a, b int) bool { return encodeAll(part[a]) < encodeAll(part[b]) })
			i = j
		}
		f.emit(rows)
		return control{}
	}
}

func encodeAll(vals []ir.Value) string {
	var b []byte
	for _, v := range vals {
		b = appendValue(b, v)
	}
	return string(b)
}

func (s *scope) forRange(st *ir.ForRange) exec {
	from, to, body, set := s.expr(st.From), s.expr(st.To), s.block(st.Body), s.setter(st.Var)
	return func(f *frame) control {
		a, b := from(f), to(f)
		if a.IsNull() || b.IsNull() {
			panic(stop{"a bound of a loop is null"})
		}
		step := int64(1)
		if st.Reverse {
			step = -1
		}
		for i := a.I; i*step <= b.I*step; i += step {
			set(f, ir.Int(i))
			if c, leave := loop(body(f), st.Label); leave {
				return c
			}
		}
		return control{}
	}
}

func (s *scope) foreach(st *ir.Foreach) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	cols := in.exprs(st.Cols)
	lock := s.locker(q, st.Lock)
	var into []func(*frame, ir.Value)
	for _, name := range st.Into {
		into = append(into, s.setter(name))
	}
	found := func(*frame, ir.Value) {}
	if st.Found != "" {
		found = s.setter(st.Found)
	}
	body := s.block(st.Body)
	base := len(s.rows)
	return func(f *frame) control {
		q.use(f)
		list := q.bindings(f, base, order, desc)
		f.read(readNote{q: q, scope: in, cols: st.Cols, order: st.Order, found: len(list) > 0})
		table := make([][]ir.Value, len(list))
		for i, b := range list {
			f.bind(base, b)
			for _, c := range cols {
				table[i] = append(table[i], c(f))
			}
		}
		defer found(f, ir.Bool(len(list) > 0)) // set when the loop ends, as in PL/pgSQL
		for done := 0; done < len(list); done++ {
			// Rows that ORDER BY does not tell apart come in any order.
			ties := done + 1
			for ties < len(list) && compareKeys(list[done].keys, list[ties].keys, desc) == 0 {
				ties++
			}
			k := done + f.ch.choose(ties-done)
			list[done], list[k] = list[k], list[done]
			f.bind(base, list[done])
			lock(f) // a loop that is left early has not locked the rest
			table[done], table[k] = table[k], table[done]
			for i, set := range into {
				set(f, table[done][i])
			}
			if c, leave := loop(body(f), st.Label); leave {
				return c
			}
		}
		return control{}
	}
}
