package progen

import (
	"math/rand"

	"github.com/txrobust/robust/internal/ir"
)

// Rows makes random initial rows that satisfy the constraints of p, up to
// perTable for each table.
func Rows(r *rand.Rand, p *ir.Program, perTable int) [][][]ir.Value {
	out := make([][][]ir.Value, len(p.Tables))
	for i, t := range p.Tables {
		if t.Var {
			out[i] = t.Rows
			continue
		}
	next:
		for n := r.Intn(perTable + 1); n > 0; n-- {
			row := make([]ir.Value, len(t.Columns))
			for c := range row {
				row[c] = ir.Int(int64(r.Intn(3)))
				if !t.Columns[c].NotNull && r.Intn(4) == 0 {
					row[c] = ir.Null
				}
			}
			for _, c := range t.Checks {
				if !passes(t, c.Expr, row) {
					continue next
				}
			}
			keys := append([]ir.Unique{{Columns: t.Key}}, t.Uniques...)
			for _, old := range out[i] {
				for _, k := range keys {
					if clash(row, old, k.Columns) {
						continue next
					}
				}
				for i := range t.Exclusions {
					if rivals(t, &t.Exclusions[i], row, old) {
						continue next
					}
				}
			}
			for _, fk := range t.ForeignKeys {
				if c := row[fk.Columns[0]]; !c.IsNull() && !hasKey(out[p.TableIndex(fk.Ref)], fk.RefColumns[0], c) {
					continue next
				}
			}
			out[i] = append(out[i], row)
		}
	}
	return out
}

// passes evaluates a CHECK that compares two columns; to be on the safe side,
// nothing passes another one.
func passes(t *ir.Table, check ir.Expr, row []ir.Value) bool {
	c, ok := check.(*ir.Binary)
	if !ok {
		return false
	}
	x, ok1 := c.X.(*ir.Col)
	y, ok2 := c.Y.(*ir.Col)
	if !ok1 || !ok2 {
		return false
	}
	v, w := row[t.Column(x.Col)], row[t.Column(y.Col)]
	switch {
	case v.IsNull() || w.IsNull():
		return true
	case c.Op == ir.Le:
		return v.I <= w.I
	case c.Op == ir.Ne:
		return v.I != w.I
	}
	return false
}

func clash(a, b []ir.Value, cols []int) bool {
	for _, c := range cols {
		if a[c].IsNull() || a[c] != b[c] {
			return false
		}
	}
	return true
}

// rivals evaluates an exclusion on two rows.
func rivals(t *ir.Table, x *ir.Exclusion, a, b []ir.Value) bool {
	rows := map[string][]ir.Value{x.Rows[0]: a, x.Rows[1]: b}
	var eval func(e ir.Expr) ir.Value
	eval = func(e ir.Expr) ir.Value {
		switch e := e.(type) {
		case *ir.Const:
			return e.Value
		case *ir.Col:
			return rows[e.Row][t.Column(e.Col)]
		case *ir.Call:
			args := make([]ir.Value, len(e.Args))
			for i, a := range e.Args {
				args[i] = eval(a)
			}
			v, _, err := e.Apply(args)
			if err != nil {
				panic("progen: " + err.Error())
			}
			return v
		case *ir.Binary:
			v, w := eval(e.X), eval(e.Y)
			switch null := v.IsNull() || w.IsNull(); {
			case e.Op == ir.And: // it is the same whether NULL or false
				return ir.Bool(v.IsTrue() && w.IsTrue())
			case e.Op == ir.Is:
				return ir.Bool(v == w)
			case null:
				return ir.Null
			case e.Op == ir.Le:
				return ir.Bool(v.I <= w.I)
			case e.Op == ir.Ne:
				return ir.Bool(v != w)
			case e.Op == ir.Eq:
				return ir.Bool(v == w)
			}
		}
		panic("progen: no exclusion has " + e.String())
	}
	return eval(x.Expr).IsTrue()
}

func hasKey(rows [][]ir.Value, c int, v ir.Value) bool {
	for _, r := range rows {
		if r[c] == v {
			return true
		}
	}
	return false
}
