package symbolic

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// maxExampleRows bounds the rows of a table that Example gives.
const maxExampleRows = 4

// Example describes a base state in a model: the shared variables, and the rows
// that the question mentions and the model has. It must be called before the
// solver is asked again.
func (s *State) Example(m *smt.Model) []string {
	w := s.w
	var out []string
	for i, t := range w.Program.Tables {
		if t.Var {
			out = append(out, t.Name+" = "+w.word(m, s.Col(i, 0, Key{})))
			continue
		}
		seen := map[string]bool{}
		for _, k := range w.mentions[tableDomain(i)].members() {
			if len(seen) == maxExampleRows {
				break
			}
			if !m.IsTrue(s.Alive(i, k)) {
				continue
			}
			var cols []string
			for c := range t.Columns {
				cols = append(cols, t.Columns[c].Name+" "+w.word(m, s.Col(i, c, k)))
			}
			row := t.Name + " (" + strings.Join(cols, ", ") + ")"
			if !seen[row] {
				seen[row] = true
				out = append(out, row)
			}
		}
	}
	return out
}

// Example describes the parameters of the instance in a model.
func (in *Instance) Example(m *smt.Model) string {
	var args []string
	for i, v := range in.Params {
		args = append(args, in.Txn.Params[i].Name+" "+in.w.word(m, v))
	}
	return in.Txn.Name + "(" + strings.Join(args, ", ") + ")"
}

// word is a value in a model.
func (w *World) word(m *smt.Model, v Val) string {
	if m.IsTrue(v.Null) {
		return "NULL"
	}
	r := m.Value(v.T)
	switch {
	case r == nil:
		return "?"
	case sortOf(v.Type) == smt.Bool:
		return fmt.Sprint(r.Sign() != 0)
	case v.Type.Kind == ir.KindInt || v.Type.Kind == ir.KindNum:
		return r.RatString()
	}
	// Other values are numbers of which only the literals have a meaning.
	for literal, t := range w.texts {
		if x := m.Value(t); x != nil && x.Cmp(r) == 0 {
			return literal
		}
	}
	return strings.ToLower(v.Type.String()) + "#" + r.RatString()
}
