package ir

import (
	"math/rand"
	"strings"
	"testing"
	"unicode"
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
		p := &Program{Name: text() + "p"}
		tab := &Table{Name: table, Columns: []Column{{Name: "k", Type: IntType, NotNull: true}, {Name: column, Type: TextType}}, Key: []int{0}}
		if column == "k" {
			continue
		}
		p.Tables = []*Table{tab}
		x := &Txn{Name: txn, Locals: []Local{{Name: local, Type: TextType}}}
		x.Body = []Stmt{&Assign{Var: local, Expr: C(Text(value))},
			&Update{Table: tab, Row: "r", Sets: []Set{{Col: 1, Expr: V(local)}}, Where: &Binary{Op: Eq, X: &Col{Row: "r", Col: column}, Y: C(Text(value))}}}
		p.Txns = []*Txn{x}
		out := p.String()
		if at := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Fatalf("%d: a character that cannot be printed: %q", i, out[at:min(at+20, len(out))])
		}
		q, err := Parse("in", out)
		if err != nil {
			t.Fatalf("%d: %v\n%s", i, err, out)
		}
		a := q.Txns[0].Body[0].(*Assign)
		if q.Name != p.Name || q.Tables[0].Name != table || q.Tables[0].Columns[1].Name != column || q.Txns[0].Name != txn || a.Var != local || a.Expr.(*Const).Value != Text(value) {
			t.Fatalf("%d: not as it was:\n%s", i, out)
		}
		if q.String() != out {
			t.Fatalf("%d: not stable:\n%s\n%s", i, out, q)
		}
	}
}
