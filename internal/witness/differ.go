package witness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// differs compares a complete serial execution with the one of the witness:
// results first, then the rows at the end.
func (s *serial) differs() []string {
	var out []string
	for k, i := range s.order {
		want, got := s.b.x.Txns[i].Run, s.runs[k]
		if want.Outputs == got.Outputs {
			continue
		}
		if w, g := results(want), results(got); w != g {
			out = append(out, fmt.Sprintf("%s would return %s, not %s", s.b.who(i), g, w))
		}
		for _, name := range slices.Sorted(maps.Keys(want.Regs)) {
			if w, g := want.Regs[name], got.Regs[name]; w != g {
				out = append(out, fmt.Sprintf("%s would end with %s = %s, not %s", s.b.who(i), name, Readable(nil, g), Readable(nil, w)))
			}
		}
	}
	want := s.b.x.Last()
	got := s.db[len(s.db)-1]
	for i, t := range s.b.e.Program.Tables {
		out = append(out, rowDiff(t, want.Rows(i), got.Rows(i))...)
	}
	if out == nil {
		out = []string{"nothing: the outcome is the same, only the dependencies are not"}
	}
	return out
}

// results gives what a client saw of a run.
func results(r *interp.Run) string {
	var parts []string
	for i := range r.Steps {
		switch r.Steps[i].Stmt.(type) {
		case *ir.Emit, *ir.EmitRows:
			for _, row := range r.Steps[i].Emitted {
				parts = append(parts, tuple(row))
			}
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// rowDiff says how the rows of a serial execution differ.
func rowDiff(t *ir.Table, want, got [][]ir.Value) []string {
	byKey := map[string][]ir.Value{}
	for _, r := range want {
		byKey[keyOf(t, r)] = r
	}
	var out []string
	for _, r := range got {
		k := keyOf(t, r)
		old, ok := byKey[k]
		delete(byKey, k)
		if !ok {
			out = append(out, rowName(t, r)+" would be there in the end")
			continue
		}
		for c := range t.Columns {
			if r[c] != old[c] {
				out = append(out, fmt.Sprintf("%s would end as %s, not %s", cell(t, r, c), readable(t, c, r[c]), readable(t, c, old[c])))
			}
		}
	}
	for _, r := range want {
		if _, missing := byKey[keyOf(t, r)]; missing {
			out = append(out, rowName(t, r)+" would not be there in the end")
		}
	}
	return out
}
