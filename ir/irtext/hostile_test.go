package irtext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
)

// TestHostile: no text exhausts the stack, hangs, or takes memory without
// bound. What is too much is an error with a place; an empty want is no error.
func TestHostile(t *testing.T) {
	const n = 10000
	many := strings.Repeat
	txn := func(s string) string {
		return "program p\nvar x = 0\ntable t (k int not null, a int, key (k))\ntxn u { local r int; local b bool; " + s + " }"
	}
	numbered := func(format string, times int) string {
		var b strings.Builder
		for i := range times {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tc := range []struct{ name, src, want string }{
		{"parentheses", txn("r := " + many("(", n) + "1" + many(")", n)), ""},
		{"more parentheses", txn("r := " + many("(", n*10) + "1" + many(")", n*10)), "nested too deep"},
		{"not", txn("b := " + many("not ", n*10) + "true"), "nested too deep"},
		{"minus", txn("r := " + many("- ", n*10) + "r"), "nested too deep"},
		{"plus", txn("r := 1" + many("+1", n*10)), "operators follow one another"},
		{"conditions", txn("r := " + many("(if true then 1 else ", n*3) + "1" + many(")", n*3)), "nested too deep"},
		{"queries", txn("b := " + many("exists (from t e where ", n) + "true" + many(")", n)), "more than 500 row variables"},
		{"ifs", txn(many("if true { ", n*10) + many("}", n*10)), "nested more than 2000 deep"},
		{"else", txn(many("if true { } else ", n) + "{ }"), "nested more than 2000 deep"},
		{"labels", "program p\nvar x = 0\nprocess q { txn u { " + numbered("l%d: x := 1; goto end;\n", n) + " } }", "more than 2000 labelled"},
		{"locals", txn(numbered("l%d := 1; ", n*3)), "more than 20000 locals"},
		{"statements", txn(many("r := 1; ", n*10)), ""},
		{"tables", "program p\n" + numbered("table t%d (k int not null, key (k))\n", 5000) + "txn u { delete t7 r where r.k == 1 }", ""},
		{"50 MB", "program p\n" + many("var x = 0\n", 5<<20), "at most 8 MB"},
		{"50 MB of comments", "program p\n" + many("// nothing\n", 5<<20), "at most 8 MB"},
		{"50 MB of garbage", many("}{('\"$;--", 6<<20), "at most 8 MB"},
		{"garbage", many("}{('\"$;--", 1<<16), "expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start := time.Now()
			p, err := Parse("in.litmus", tc.src)
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it takes %v", took)
			}
			if tc.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				wellformed.Structure(p)
				return
			}
			e, ok := err.(*ir.Error)
			if !ok || !e.Pos.IsValid() || !strings.Contains(e.Msg, tc.want) {
				t.Errorf("error %v, want %s with a place", err, tc.want)
			}
		})
	}
}
