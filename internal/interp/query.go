package interp

import (
	"sort"

	"github.com/txrobust/robust/internal/arith"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/rowstore"
	"github.com/txrobust/robust/internal/rowvalues"
)

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
		sort.SliceStable(out, func(i, j int) bool { return rowvalues.Compare(out[i].keys, out[j].keys, desc) < 0 })
	}
	return f.again(q, out)
}

func (s *scope) order(os []ir.Order) (es []eval, desc []bool) {
	for _, o := range os {
		es = append(es, s.expr(o.Expr))
		desc = append(desc, o.Desc)
	}
	return
}

func (f *frame) bind(base int, b binding) { copy(f.rows[base:], b.rows) }

func (f *frame) use(table int, mode ir.TableLock) {
	f.run.uses = append(f.run.uses, tableUse{table, mode})
}

func (q *query) use(f *frame) {
	for _, src := range q.from {
		f.use(src.table, ir.AccessShare)
	}
}

// targets gives what sets the locals for a row's columns, and the one that tells
// whether there is a row, if it is named.
func (s *scope) targets(names []string, foundName string) (into []func(*frame, ir.Value), found func(*frame, ir.Value)) {
	for _, name := range names {
		into = append(into, s.setter(name))
	}
	found = func(*frame, ir.Value) {}
	if foundName != "" {
		found = s.setter(foundName)
	}
	return into, found
}

func (s *scope) selectRow(st *ir.Select) exec {
	q := s.query(&st.Query)
	q.own = st.Written
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	cols := in.exprs(st.Cols)
	lock := s.locker(q, st.Locks)
	into, found := s.targets(st.Into, st.Found)
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
		pick := list[f.choose(tied(list, 0, desc))]
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
	base := len(s.rows)
	return func(f *frame) control {
		q.use(f)
		vals := make([][]ir.Value, len(args))
		add := func() bool {
			for i, arg := range args {
				if v := arg(f); !v.IsNull() {
					vals[i] = append(vals[i], v)
				}
			}
			return true
		}
		if f.waiting() == nil {
			q.each(f, add)
		} else {
			for _, b := range q.bindings(f, base, nil, nil) {
				f.bind(base, b)
				add()
			}
		}
		results := make([]ir.Value, len(args))
		for i := range args {
			results[i] = f.fold(&st.Aggs[i], vals[i])
		}
		f.read(readNote{q: q, scope: in, cols: cols, aggs: st.Aggs, results: results})
		for i, set := range into {
			set(f, results[i])
		}
		return control{}
	}
}

// fold computes an aggregate over the non-NULL arguments.
func (f *frame) fold(a *ir.Agg, vals []ir.Value) ir.Value {
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
	case a.Fn == irnames.ArrayAgg:
		v := rowvalues.ArrayOf(a.Type, vals)
		if f.derive(v, vals...); len(vals) > 1 && f.m.Trace && f.run != nil {
			f.run.unknown(v, a.Fn) // the elements may come in another order
		}
		return v
	case len(vals) == 0 && (a.Fn == irnames.RowsAgg || a.Fn == "regr_count"):
		return f.apply(&ir.Call{Name: a.Fn, Type: a.Type}, nil)
	case len(vals) == 0: // as SQL's aggregates, but for COUNT
		return ir.Null
	case a.Fn != "sum" && a.Fn != "min" && a.Fn != "max":
		return f.apply(&ir.Call{Name: a.Fn, Type: a.Type, Fn: a.Known}, vals)
	case a.Fn == "min":
		return vals[0]
	case a.Fn == "max":
		return vals[len(vals)-1]
	}
	sum := vals[0]
	for _, v := range vals[1:] {
		var why string
		if sum, why = arith.Compute(ir.Add, sum, v); why != "" {
			return f.fails(why)
		}
	}
	return sum.Convert(a.Type)
}

func (s *scope) emitRows(st *ir.EmitRows) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	cols := in.exprs(st.Cols)
	lock := s.locker(q, st.Locks)
	base := len(s.rows)
	limit := s.limit(st.Limit)
	return func(f *frame) control {
		q.use(f)
		list := q.bindings(f, base, order, desc)
		f.read(readNote{q: q, scope: in, cols: st.Cols, order: st.Order, found: len(list) > 0})
		n := limit(f, len(list))
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
		if n < len(list) && n > 0 && (len(order) == 0 || rowvalues.Compare(list[n-1].keys, list[n].keys, desc) == 0) {
			// Which rows come is not determined: only their number is observed.
			f.emit([][]ir.Value{{ir.Int(int64(n))}})
			if f.m.Trace {
				f.run.Steps[len(f.run.Steps)-1].Counted = true
			}
			return control{}
		}
		// Rows that ORDER BY does not tell apart come in any order: sort them.
		for i := 0; i < len(rows); {
			j := i + 1
			for j < len(rows) && rowvalues.Compare(list[i].keys, list[j].keys, desc) == 0 {
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
		b = rowstore.AppendValue(b, v)
	}
	return string(b)
}

// How many rows ir.Foreach fetches ahead: when the loop begins, and each time when they have run
// out.
const (
	firstFetch = 10
	nextFetch  = 50
)

// round records that a round of a loop begins, with the row in its locals.
func (f *frame) round(s *scope, st *ir.Foreach) {
	step := Step{Stmt: st, OpsFrom: len(f.run.Ops), OpsTo: len(f.run.Ops), ReadsFrom: len(f.run.Reads), ReadsTo: len(f.run.Reads)}
	for _, name := range st.Into {
		step.Locals = append(step.Locals, Binding{name, f.locals[s.locals[name]]})
	}
	f.run.Steps = append(f.run.Steps, step)
}

func (s *scope) foreach(st *ir.Foreach) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	cols := in.exprs(st.Cols)
	lock := s.locker(q, st.Locks)
	into, found := s.targets(st.Into, st.Found)
	body := s.block(st.Body)
	head := s.headed(st)
	base := len(s.rows)
	return func(f *frame) control {
		lockAll := func(list []binding) {
			for _, b := range list {
				f.bind(base, b)
				lock(f)
			}
		}
		q.use(f)
		var list []binding
		var table [][]ir.Value
		head(f, func() {
			list = q.bindings(f, base, order, desc)
			f.read(readNote{q: q, scope: in, cols: st.Cols, order: st.Order, found: len(list) > 0})
			table = make([][]ir.Value, len(list))
			for i, b := range list {
				f.bind(base, b)
				for _, c := range cols {
					table[i] = append(table[i], c(f))
				}
			}
		})
		defer found(f, ir.Bool(len(list) > 0)) // set when the loop ends, as in PL/pgSQL
		if len(st.Locks) > 0 {
			f.pinned++
			defer func() { f.pinned-- }()
		}
		fetched, fetch := 0, firstFetch
		for done := 0; done < len(list); done++ {
			// Rows that ORDER BY does not tell apart come in any order.
			end := tied(list, done, desc)
			if st.Ahead {
				for ; fetched <= done; fetch = nextFetch {
					lockAll(list[fetched:min(fetched+fetch, len(list))])
					fetched += fetch
				}
				end = min(end, fetched)
			}
			k := done + f.choose(end-done)
			list[done], list[k] = list[k], list[done]
			if !st.Ahead { // a loop that is left early has not locked the rest
				lockAll(list[done : done+1])
			}
			f.bind(base, list[done])
			table[done], table[k] = table[k], table[done]
			for i, set := range into {
				set(f, table[done][i])
			}
			if f.m.Trace {
				f.round(s, st)
			}
			if c, leave := loop(body(f), st.Label); leave {
				return c
			}
		}
		return control{}
	}
}
