package tidy

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir/irtext"
)

// TestTxn marks all assignments to w1, w2, … as weak, and the flags of all
// other statements.
func TestTxn(t *testing.T) {
	const head = "program p\ntable t (k int, x int, key (k))\ntxn a(p int) {\n"
	const locals = "local v int; local w1 bool; local w2 bool; local w3 int; local unused int; local rf int; local rg int\n"
	for _, tc := range []struct{ name, body, want string }{
		{"dead", "w1 := true; v := 1; emit v", "v := 1; emit v;"},
		{"read", "w1 := true; v := 1; if w1 { emit v }", "w1 := true; v := 1; if w1 { emit v; }"},
		{"overwritten", "w1 := true; w1 := false; if w1 { emit 1 }", "w1 := false; if w1 { emit 1; }"},
		{"chain", "w1 := true; w2 := w1; v := 1; emit v", "v := 1; emit v;"},
		{"found", "(v) := select t.x from t found w1; emit v", "(v) := select t.x from t; emit v;"},
		{"found read", "(v) := select t.x from t found w1; if w1 { emit v }", "(v) := select t.x from t found w1; if w1 { emit v; }"},
		{"count", "(w3) := select agg count(*) int from t; delete t; emit 1", "delete t; emit 1;"},
		{"done", "insert t (k) values (p) done w1", "insert t (k) values (p);"},
		{"one branch", "w1 := true; if p > 1 { w1 := false } else { v := 2 } if w1 { emit 1 }",
			"w1 := true; if p > 1 { w1 := false; } else { v := 2; } if w1 { emit 1; }"},
		{"round", "while p > 1 { if w1 { emit 1 } w1 := true }", "while p > 1 { if w1 { emit 1; } w1 := true; }"},
		{"round dead", "while p > 1 { w1 := true; if w1 { emit 1 } w1 := false }", "while p > 1 { w1 := true; if w1 { emit 1; } }"},
		{"break", "w1 := false; while true { w1 := true; if p > 1 { break } w1 := false } if w1 { emit 1 }",
			"while true { w1 := true; if p > 1 { break; } } if w1 { emit 1; }"},
		{"continue", "for v in 1..2 { if w1 { emit 1 } w1 := true; if v > 1 { continue } w1 := false }",
			"for v in 1..2 { if w1 { emit 1; } w1 := true; if v > 1 { continue; } w1 := false; }"},
		{"label", "w1 := true; while true label l { while true label m { w1 := false; break l } } if w1 { emit 1 }",
			"while true label l { while true { w1 := false; break l; } } if w1 { emit 1; }"},
		{"block", "block b { w1 := true; if p > 1 { break b } w1 := false } if w1 { emit 1 }",
			"block b { w1 := true; if p > 1 { break b; } w1 := false; } if w1 { emit 1; }"},
		{"unneeded block", "block b { emit 1 }", "emit 1;"},
		{"return", "w1 := true; if p > 1 { return } emit 1; return", "if p > 1 { return; } emit 1;"},
		{"abort", "w1 := true; abort; if w1 { emit 1 }", "abort; if w1 { emit 1; }"},
		{"fields", "(rf, rg) := select t.k, t.x from t; emit rf", "(rf) := select t.k from t; emit rf;"},
		{"all fields", "(rf, rg) := select t.k, t.x from t; emit 1", "(rf) := select t.k from t; emit 1;"},
		{"loop fields", "foreach (rf, rg) := select t.k, t.x from t { emit rg }", "foreach (rg) := select t.x from t { emit rg; }"},
	} {
		prog, err := irtext.Parse("test", head+locals+tc.body+"\n}")
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		txn := prog.Txns[0]
		weak := map[ir.Stmt]bool{}
		ir.Walk(txn.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Assign:
				weak[s] = strings.HasPrefix(s.Var, "w")
			case *ir.Select:
				weak[s] = len(s.Aggs) > 0 && strings.HasPrefix(s.Into[0], "w") || s.Found != ""
			case *ir.Insert, *ir.Foreach:
				weak[s] = true
			}
		})
		Txn(txn, weak, map[string]bool{"rf": true, "rg": true})
		var got []string
		for _, s := range txn.Body {
			got = append(got, strings.Join(strings.Fields(s.String()), " "))
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.name, text, tc.want)
		}
		if strings.Contains(txn.String(), "unused") {
			t.Errorf("%s: an unused local stays", tc.name)
		}
		if err := wellformed.Check(prog); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
