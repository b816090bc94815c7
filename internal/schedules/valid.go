package schedules

import (
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// validity checks that rows are a state that the database may be in: declared
// constraints, the domain, and the invariants. It evaluates the constraints as
// conditions of a transaction that only assumes them.
type validity struct {
	p       *ir.Program
	machine *interp.Machine
	probe   *interp.Instance
	// generated are the columns that follow from others, in order.
	generated []generated
	// rules are those for single rows, by table.
	rules []rules
}

// rules are the CHECKs and invariants about single rows of a table, and the conditions
// of its partial unique keys, as functions of a row. where has nil for a key of all rows.
type rules struct {
	checks []rowValue
	where  []rowValue
}

// rowValue computes an expression over a row; it fails where that aborts.
type rowValue func(row []ir.Value) (ir.Value, bool)

// newValidity prepares the check for p and its invariants.
func (s *search) newValidity() *validity {
	q := *s.program
	probe := &ir.Txn{Name: "constraints"}
	never := func(from []ir.Source, where ir.Expr) {
		probe.Body = append(probe.Body, &ir.Assume{Cond: ir.NotE(&ir.Exists{Query: ir.Query{From: from, Where: where}})})
	}
	col := func(row string, t *ir.Table, c int) ir.Expr { return &ir.Col{Row: row, Col: t.Columns[c].Name} }
	for _, t := range q.Tables {
		one := []ir.Source{{Table: t, Row: t.Name}}
		for _, c := range t.Checks {
			never(one, ir.NotE(c.Expr))
		}
		for _, u := range t.Uniques {
			const other = "other row"
			var differ, where ir.Expr
			for _, k := range t.Key {
				differ = ir.OrE(differ, ir.Op(ir.Ne, col(t.Name, t, k), col(other, t, k)))
			}
			where = differ
			for _, c := range u.Columns {
				where = ir.AndE(where, ir.Op(ir.Eq, col(t.Name, t, c), col(other, t, c)))
			}
			if u.Where != nil {
				where = ir.AndE(where, u.Where, renameRow(u.Where, t.Name, other))
			}
			never([]ir.Source{{Table: t, Row: t.Name}, {Table: t, Row: other}}, where)
		}
		for _, x := range slices.Concat(t.Exclusions, t.Late) {
			var differ ir.Expr
			for _, k := range t.Key {
				differ = ir.OrE(differ, ir.Op(ir.Ne, col(x.Rows[0], t, k), col(x.Rows[1], t, k)))
			}
			never(x.Sources(t), ir.AndE(differ, x.Expr))
		}
		for _, fk := range t.ForeignKeys {
			const parent = "parent row"
			var names, found ir.Expr
			for i, c := range fk.Columns {
				names = ir.AndE(names, ir.NotE(&ir.Unary{Op: ir.IsNull, X: col(t.Name, t, c)}))
				found = ir.AndE(found, ir.Op(ir.Eq, col(t.Name, t, c), col(parent, fk.Ref, fk.RefColumns[i])))
			}
			never(one, ir.AndE(names, ir.NotE(&ir.Exists{Query: ir.Query{From: []ir.Source{{Table: fk.Ref, Row: parent}}, Where: found}})))
		}
	}
	for _, inv := range q.Invariants {
		never(inv.From, ir.NotE(inv.Expr))
	}
	q.Txns = []*ir.Txn{probe}
	v := &validity{p: s.program, machine: interp.NewMachine(&q, s.machine.Engine), probe: &interp.Instance{Txn: probe}}
	for i, t := range q.Tables {
		for c, col := range t.Columns {
			if col.Generated != nil {
				v.generated = append(v.generated, generated{i, c, col.Type, v.machine.RowValue(t, col.Generated)})
			}
		}
		var r rules
		for _, c := range t.Checks {
			r.checks = append(r.checks, v.machine.RowValue(t, c.Expr))
		}
		for _, inv := range q.Invariants {
			if len(inv.From) == 1 && inv.From[0] == (ir.Source{Table: t, Row: t.Name}) && !ir.HasExists(inv.Expr) {
				r.checks = append(r.checks, v.machine.RowValue(t, inv.Expr))
			}
		}
		for _, u := range t.Uniques {
			var where rowValue
			if u.Where != nil {
				where = v.machine.RowValue(t, u.Where)
			}
			r.where = append(r.where, where)
		}
		v.rules = append(v.rules, r)
	}
	return v
}

// alone reports whether a row, whose generated columns it sets, satisfies the
// CHECKs of its table, and may be there beside others as far as unique keys tell.
func (v *validity) alone(table int, row []ir.Value, others [][]ir.Value) bool {
	for _, g := range v.generated {
		if g.table == table {
			g.set(row)
		}
	}
	for _, check := range v.rules[table].checks {
		if x, ok := check(row); ok && !x.IsNull() && !x.IsTrue() {
			return false
		}
	}
	for i, u := range v.p.Tables[table].Uniques {
		where := v.rules[table].where[i]
		counts := func(row []ir.Value) bool {
			if where == nil {
				return true
			}
			x, ok := where(row)
			return ok && x.IsTrue()
		}
		if slices.ContainsFunc(others, func(other []ir.Value) bool {
			same := !slices.ContainsFunc(u.Columns, func(c int) bool { return row[c].IsNull() || row[c] != other[c] })
			return same && counts(row) && counts(other)
		}) {
			return false
		}
	}
	return true
}

// generated is a column whose values follow from the others.
type generated struct {
	table, col int
	t          ir.Type
	value      rowValue
}

// set gives the column its value.
func (g generated) set(row []ir.Value) {
	if x, ok := g.value(row); ok {
		row[g.col] = x.Convert(g.t)
	}
}

// complete gives the generated columns of rows their values.
func (v *validity) complete(rows [][][]ir.Value) {
	for _, g := range v.generated {
		for _, row := range rows[g.table] {
			g.set(row)
		}
	}
}

func renameRow(e ir.Expr, from, to string) ir.Expr {
	return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Col); ok && c.Row == from {
			return &ir.Col{Row: to, Col: c.Col}
		}
		return e
	})
}

// holds reports whether the rows are a possible state, once their generated
// columns have their values.
func (v *validity) holds(rows [][][]ir.Value) bool {
	v.complete(rows)
	for i, t := range v.p.Tables {
		keys := map[string]bool{}
		for _, r := range rows[i] {
			for c, val := range r {
				if val.IsNull() && (t.Columns[c].NotNull || t.IsKey(c) || t.Var) || !inDomain(v.p, val) || !ir.Fits(t.Columns[c].Domain, val) {
					return false
				}
			}
			if k := keyText(t, r); !t.Var && keys[k] {
				return false
			} else {
				keys[k] = true
			}
		}
	}
	return v.machine.Run(v.probe, interp.NewDB(v.p, rows), nil).Blocked == ""
}

func inDomain(p *ir.Program, v ir.Value) bool {
	d := p.Domain
	return d == nil || v.Kind != ir.KindInt || d.Lo <= v.I && v.I <= d.Hi
}

func keyText(t *ir.Table, row []ir.Value) string {
	k := ""
	for _, c := range t.Key {
		k += row[c].String() + ", "
	}
	return k
}

// possible reports whether the situation is one that can be: the rows are a
// state, parameters are as declared, and FRESH ones are new.
func (s *search) possible(sit *situation) bool {
	fresh := map[ir.Value]bool{}
	for _, c := range sit.calls {
		for i, p := range c.Txn.Params {
			v := c.Params[i]
			if v.IsNull() {
				if p.NotNull || p.Fresh {
					return false
				}
				continue
			}
			if !p.Fresh {
				if !inDomain(s.program, v) || !ir.Fits(p.Domain, v) {
					return false
				}
				continue
			}
			if fresh[v] {
				return false
			}
			fresh[v] = true
			if s.held(sit.rows, v, s.code.LocalClass(s.twin[c.Txn], p.Name)) {
				return false
			}
		}
		for site, vals := range c.Havocs {
			for _, v := range vals {
				if !inDomain(s.program, v) || v.IsNull() && site.NotNull || !ir.Fits(s.types[site].d, v) {
					return false
				}
			}
		}
	}
	return s.valid.holds(sit.rows)
}

// held reports whether a column of the class holds the value.
func (s *search) held(rows [][][]ir.Value, v ir.Value, class any) bool {
	for i, t := range s.program.Tables {
		for c := range t.Columns {
			if s.code.ColumnClass(t, c) != class {
				continue
			}
			for _, r := range rows[i] {
				if r[c] == v {
					return true
				}
			}
		}
	}
	return false
}
