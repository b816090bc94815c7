package irtext

import (
	"math/rand"
	"strings"
	"testing"
	"unicode"

	"github.com/txrobust/robust/internal/ir"
)

// TestAnyName: a program whose names and texts are anything is read as it was, and its
// text has no characters that cannot be printed.
func TestAnyName(t *testing.T) {
	parts := []string{"a", `"`, "'", `\`, "\n", "\r", "\t", " ", "\x00", "\x1b[31m", "\u202e", "\u2028", "\x7f", "\u009b", "é", "\U000e0001", "\ufffd", "\ufeff",
		`\n`, `\"`, `\'`, "//", "--", "txn", "}", "\U0010ffff", "x'", "1"}
	r := rand.New(rand.NewSource(1))
	text := func() string {
		s := ""
		for range r.Intn(5) {
			s += parts[r.Intn(len(parts))]
		}
		return s
	}
	for i := range 3000 {
		value := text()
		if r.Intn(4) == 0 {
			value += string([]byte{0xff, byte(0x80 + r.Intn(100))}) // no UTF-8
		}
		table, column, txn, local := text()+"t", text()+"c", text()+"x", text()+"l"
		p := &ir.Program{Name: text() + "p"}
		tab := &ir.Table{Name: table, Columns: []ir.Column{{Name: "k", Type: ir.IntType, NotNull: true}, {Name: column, Type: ir.TextType}}, Key: []int{0}}
		if column == "k" {
			continue
		}
		p.Tables = []*ir.Table{tab}
		x := &ir.Txn{Name: txn, Locals: []ir.Local{{Name: local, Type: ir.TextType}}}
		x.Body = []ir.Stmt{&ir.Assign{Var: local, Expr: ir.C(ir.Text(value))},
			&ir.Update{Table: tab, Row: "r", Sets: []ir.Set{{Col: 1, Expr: ir.V(local)}}, Where: &ir.Binary{Op: ir.Eq, X: &ir.Col{Row: "r", Col: column}, Y: ir.C(ir.Text(value))}}}
		p.Txns = []*ir.Txn{x}
		out := p.String()
		if at := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Fatalf("%d: a character that cannot be printed: %q", i, out[at:min(at+20, len(out))])
		}
		q, err := Parse("in", out)
		if err != nil {
			t.Fatalf("%d: %v\n%s", i, err, out)
		}
		a := q.Txns[0].Body[0].(*ir.Assign)
		if q.Name != p.Name || q.Tables[0].Name != table || q.Tables[0].Columns[1].Name != column || q.Txns[0].Name != txn || a.Var != local || a.Expr.(*ir.Const).Value != ir.Text(value) {
			t.Fatalf("%d: not as it was:\n%s", i, out)
		}
		if q.String() != out {
			t.Fatalf("%d: not stable:\n%s\n%s", i, out, q)
		}
	}
}
