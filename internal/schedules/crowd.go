package schedules

import (
	"math/rand"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

const (
	// leastCrowd and mostCrowd bound the numbers of rows that are drawn because a transaction
	// counts up to them: fewer come by chance, and more take too long.
	leastCrowd = 3
	mostCrowd  = 100
)

// crowdsOf gives, for each table in which the calls count rows, the numbers that they may compare
// the count with: the small integers in them, and in the CHECKs of the tables that they read.
func (s *search) crowdsOf(calls []*Call) map[*ir.Table][]int {
	out := map[*ir.Table][]int{}
	if s.program.Domain != nil {
		return out
	}
	for _, c := range calls {
		numbers, counts := counted(c.Txn, mostCrowd)
		if !counts {
			continue
		}
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			sel, ok := st.(*ir.Select)
			if !ok || len(sel.Aggs) == 0 {
				return
			}
			for _, src := range sel.Query.From {
				for _, n := range numbers {
					if !src.Table.Var && !slices.Contains(out[src.Table], n) {
						out[src.Table] = append(out[src.Table], n)
					}
				}
			}
		})
	}
	return out
}

// counted gives the integers in a transaction, and in the CHECKs of the tables that it reads,
// that are as large as a crowd, up to a bound, and whether it counts rows.
func counted(t *ir.Txn, most int64) (numbers []int, counts bool) {
	aggregates := func(list []ir.Agg) {
		counts = counts || slices.ContainsFunc(list, func(a ir.Agg) bool { return a.Fn == "count" })
	}
	var expr func(ir.Expr)
	relation := func(r ir.Rel) {
		if g, ok := r.(*ir.Group); ok {
			for _, a := range g.Aggs {
				aggregates([]ir.Agg{a.Agg})
			}
		}
	}
	expr = func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Const:
			if v := e.Value; v.Kind == ir.KindInt && leastCrowd <= v.I && v.I <= most && !slices.Contains(numbers, int(v.I)) {
				numbers = append(numbers, int(v.I))
			}
		case *ir.Call:
			if e.Def != nil {
				ir.EachRel(e.Def.Rel, relation)
				ir.WalkRel(e.Def.Rel, expr)
			}
		default: // what is in it comes by itself
		}
	}
	ir.WalkExprs(t.Body, expr)
	ir.Walk(t.Body, func(st ir.Stmt) {
		for _, src := range ir.Reads(st) {
			for _, c := range src.Table.Checks {
				ir.WalkExpr(c.Expr, expr)
			}
		}
		if sel, ok := st.(*ir.Select); ok {
			aggregates(sel.Aggs)
		}
	})
	return numbers, counts
}

// mostSum bounds the numbers that a sum is drawn near to.
const mostSum = 1_000_000

// summed is a column whose values calls add up, with the numbers that they may compare the sum with.
type summed struct {
	col     int
	numbers []int
}

// sumsOf gives, for each table, the columns that the calls add up.
func (s *search) sumsOf(calls []*Call) map[*ir.Table][]summed {
	out := map[*ir.Table][]summed{}
	if s.program.Domain != nil {
		return out
	}
	for _, c := range calls {
		numbers, _ := counted(c.Txn, mostSum)
		if len(numbers) == 0 {
			continue
		}
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			sel, ok := st.(*ir.Select)
			if !ok {
				return
			}
			for _, a := range sel.Aggs {
				col, ok := a.Arg.(*ir.Col)
				if !ok || a.Fn != "sum" {
					continue
				}
				for _, src := range sel.Query.From {
					if src.Row == col.Row && !src.Table.Var {
						out[src.Table] = append(out[src.Table], summed{src.Table.Column(col.Col), numbers})
					}
				}
			}
		})
	}
	return out
}

// nearSum gives a row of a table a value that is just below a number which a sum may be compared with, or
// that number.
func (s *search) nearSum(r *rand.Rand, sit *situation, table int) {
	list, rows := s.sums[s.program.Tables[table]], sit.rows[table]
	if len(list) == 0 || len(rows) == 0 || r.Intn(2) > 0 {
		return
	}
	to := list[r.Intn(len(list))]
	n := ir.Int(int64(to.numbers[r.Intn(len(to.numbers))] - r.Intn(3)))
	typ := columnType(s.program.Tables[table], to.col)
	if v := n.Convert(typ.t); v.Kind == typ.t.Kind && ir.Fits(typ.d, v) {
		rows[r.Intn(len(rows))][to.col] = v
	}
}

// keysOf gives the parameters that the calls insert as keys.
func keysOf(calls []*Call) map[argument]bool {
	out := map[argument]bool{}
	for _, c := range calls {
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			in, ok := st.(*ir.Insert)
			if !ok {
				return
			}
			for i, col := range in.Cols {
				if v, is := in.Values[i].(*ir.Var); is && in.Table.IsKey(col) {
					out[argument{c.Txn, v.Name}] = true
				}
			}
		})
	}
	return out
}

// crowd draws rows of a table that differ in their keys only, about as many as some
// transaction counts, and reports whether it has drawn some.
func (s *search) crowd(r *rand.Rand, sit *situation, table int, pick func(valueType) ir.Value) bool {
	list := s.crowds[s.program.Tables[table]]
	if len(list) == 0 || r.Intn(3) > 0 {
		return false
	}
	n := list[r.Intn(len(list))] + 1 - r.Intn(4)
	var first []ir.Value
	for again := 0; again <= maxAgain && first == nil; again++ {
		if row := s.drawRow(r, sit, table, pick); s.fits(sit, table, row) {
			first = row
		}
	}
	if first == nil {
		return false
	}
	sit.rows[table] = [][]ir.Value{first}
	for i := 1; i < n; i++ {
		if s.another(sit, table, 0, i) == nil {
			return true
		}
	}
	s.spareParents(sit, table, n)
	return true
}

// spares is how many parents there are to which no row of a crowd refers yet.
const spares = 2

// spareParents adds rows to which further rows of a crowd may refer.
func (s *search) spareParents(sit *situation, table, number int) {
	t := s.program.Tables[table]
	for _, fk := range t.ForeignKeys {
		ref := s.program.TableIndex(fk.Ref)
		if ref == table || len(sit.rows[ref]) < number {
			continue // a crowd refers to one row
		}
		for i := range spares {
			parent := s.another(sit, ref, 0, number+i)
			if parent == nil {
				return
			}
			for _, c := range fk.RefColumns {
				s.spare = append(s.spare, parent[c])
			}
		}
	}
}

// spareFor draws a value of a parent to which no row of a crowd refers, where one has the type
// of a parameter, or gives v.
func (s *search) spareFor(r *rand.Rand, p ir.Param, v ir.Value) ir.Value {
	if len(s.spare) == 0 || r.Intn(2) == 0 {
		return v
	}
	if some := s.spare[r.Intn(len(s.spare))]; some.Kind == p.Type.Kind {
		return some
	}
	return v
}

// another adds a row that differs from a row of its table in its keys only, and gives it, or
// nil. number tells it from others.
func (s *search) another(sit *situation, table, like, number int) []ir.Value {
	t := s.program.Tables[table]
	row := slices.Clone(sit.rows[table][like])
	keys := [][]int{t.Key}
	for _, u := range t.Uniques {
		keys = append(keys, u.Columns)
	}
	for _, key := range keys {
		if !slices.ContainsFunc(sit.rows[table], func(o []ir.Value) bool { return agree(row, o, key) }) {
			continue
		}
		if !s.renew(sit, table, row, key, number) {
			return nil
		}
	}
	if !s.fits(sit, table, row) || slices.ContainsFunc(sit.rows[table], func(o []ir.Value) bool { return agree(row, o, t.Key) }) {
		return nil
	}
	sit.rows[table] = append(sit.rows[table], row)
	return row
}

// agree reports whether rows have the same values in some columns.
func agree(x, y []ir.Value, columns []int) bool {
	return !slices.ContainsFunc(columns, func(c int) bool { return x[c] != y[c] })
}

// renew gives a row a new value in a column of a key: in one that no condition compares if there
// is one, and in one that refers to no other table if there is one of these.
func (s *search) renew(sit *situation, table int, row []ir.Value, key []int, number int) bool {
	t := s.program.Tables[table]
	best, rank := -1, 4
	for _, c := range key {
		n := 0
		if s.hints.compares(place{table, c}) {
			n += 2
		}
		if refers(t, c) {
			n++
		}
		if n <= rank && t.Columns[c].Generated == nil {
			best, rank = c, n
		}
	}
	if best < 0 {
		return false
	}
	if refers(t, best) {
		return s.newParent(sit, table, row, best, number)
	}
	typ := columnType(t, best)
	row[best] = freshValue(typ, number)
	return row[best].Kind == typ.t.Kind && ir.Fits(typ.d, row[best])
}

// refers reports whether a column refers to another table.
func refers(t *ir.Table, col int) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(fk ir.ForeignKey) bool { return slices.Contains(fk.Columns, col) })
}

// newParent lets a row refer to a new row of another table by a column.
func (s *search) newParent(sit *situation, table int, row []ir.Value, col, number int) bool {
	for _, fk := range s.program.Tables[table].ForeignKeys {
		ref := s.program.TableIndex(fk.Ref)
		if !slices.Contains(fk.Columns, col) || ref == table {
			continue
		}
		like := slices.IndexFunc(sit.rows[ref], func(parent []ir.Value) bool {
			for i, c := range fk.Columns {
				if row[c] != parent[fk.RefColumns[i]] {
					return false
				}
			}
			return true
		})
		if like < 0 {
			return false
		}
		parent := s.another(sit, ref, like, number)
		if parent == nil {
			return false
		}
		for i, c := range fk.Columns {
			row[c] = parent[fk.RefColumns[i]]
		}
		return true
	}
	return false
}

// compares reports whether a condition compares a column with a constant or a parameter.
func (h hints) compares(at place) bool {
	if len(h.wanted[at]) > 0 {
		return true
	}
	for _, list := range h.compared {
		if slices.Contains(list, at) {
			return true
		}
	}
	return false
}
