package weak

import (
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// apply gives the state that runs make of another one, each after the one before it: the last
// writer of a column wins.
func apply(p *ir.Program, db *interp.DB, runs []*interp.Run) *interp.DB {
	if len(runs) == 0 {
		return db
	}
	rows := make([][][]ir.Value, len(p.Tables))
	places := make([]map[string]int, len(p.Tables)) // of the rows of tables that are written
	for t := range p.Tables {
		rows[t] = db.Rows(t)
	}
	for _, r := range runs {
		for i := range r.Ops {
			op := &r.Ops[i]
			t := op.Table
			if places[t] == nil {
				rows[t] = slices.Clone(rows[t])
				places[t] = map[string]int{}
				for k, row := range rows[t] {
					places[t][interp.KeyOf(p.Tables[t], row)] = k
				}
			}
			k, there := places[t][op.Key]
			switch {
			case op.Kind == interp.OpDelete:
				if there {
					rows[t][k] = nil
					delete(places[t], op.Key)
				}
			case op.Kind == interp.OpUpdate && !there:
			case op.Kind == interp.OpUpdate && op.Cols != nil:
				rows[t][k] = slices.Clone(rows[t][k])
				for c, sets := range op.Cols {
					if sets {
						rows[t][k][c] = op.New[c]
					}
				}
			case there:
				rows[t][k] = op.New
			default:
				places[t][op.Key] = len(rows[t])
				rows[t] = append(rows[t], op.New)
			}
		}
	}
	for t := range rows {
		if places[t] != nil {
			rows[t] = slices.DeleteFunc(rows[t], func(row []ir.Value) bool { return row == nil })
		}
	}
	return interp.NewDB(p, rows)
}

// rivals reports whether two transactions write one row.
func rivals(a, b *interp.Run) bool {
	for i := range a.Ops {
		for k := range b.Ops {
			if a.Ops[i].Table == b.Ops[k].Table && a.Ops[i].Key == b.Ops[k].Key {
				return true
			}
		}
	}
	return false
}
