package stale

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/ir/irtext"
)

const tables = `program p
table acc (id int, bal int not null, ver int not null, kind int not null, key (id))
table log (id int, acc int not null, nr int not null, key (id))
table sub (id int, acc int not null, kind int not null, key (id), unique u (acc) where sub.kind == 1)
txn others (k int) { update acc a set bal = 0, ver = 0 where a.id == k; insert log (id, acc, nr) values (k, k, k) }
`

// TestFind looks at templates. The transaction of a statement, or those one of which it belongs to, stands in a
// comment in its line; what is read and written without one is in no transaction that is known.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, locals, body string
		want               string
	}{
		{"read, compute, update", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			update acc a set bal = b + 1 where a.id == k // 2`, "value acc bal 1<-2"},
		{"the same transaction", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			update acc a set bal = b + 1 where a.id == k // 1`, ""},
		{"perhaps the same transaction", "b int",
			`(b) := select a.bal from acc a where a.id == k
			update acc a set bal = b + 1 where a.id == k // 1`, ""},
		{"by the transaction that there may be", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1|2
			update acc a set bal = b + 1 where a.id == k // 1|3`, ""},
		{"not by the transaction that there may be", "b int",
			`(b) := select a.bal from acc a where a.id == k // 2
			update acc a set bal = b + 1 where a.id == k // 1|3`, "value acc bal 2<-1|3"},
		{"another row", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			update acc a set bal = b + 1 where a.id == m // 2`, ""},
		{"another name of the same value", "b int, i int",
			`i := k
			(b) := select a.bal from acc a where a.id == k // 1
			update acc a set bal = b + 1 where a.id == i // 2`, "value acc bal 1<-2"},
		{"a column that nobody changes", "b int",
			`(b) := select a.kind from acc a where a.id == k // 1
			if b == 1 { return }
			update acc a set bal = 1 where a.id == k // 2`, ""},
		{"a return decides about what follows", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			if b < 5 { return }
			update acc a set bal = a.bal - 5 where a.id == k // 2`, "check acc bal 1<-2"},
		{"what a block decides is forgotten behind it", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			block l { if b < 5 { break l } emit k }
			update acc a set bal = a.bal - 5 where a.id == k // 2`, ""},
		{"a constant that was decided about", "b int, ok bool",
			`(b) := select a.bal from acc a where a.id == k // 1
			block l { if b < 5 { ok := false; break l } ok := true }
			if ok { update acc a set bal = a.bal - 5 where a.id == k } // 2`, "check acc bal 1<-2"},
		{"a version", "b int, v int",
			`(b, v) := select a.bal, a.ver from acc a where a.id == k // 1
			update acc a set bal = b + 1 where a.id == k and a.ver == v // 2`, ""},
		{"a second look", "b int, c int",
			`(b) := select a.bal from acc a where a.id == k // 1
			if b < 5 { return }
			(c) := select a.bal from acc a where a.id == k // 2
			if c < 5 { return }
			update acc a set bal = a.bal - 5 where a.id == k // 2`, ""},
		{"a claim by key", "i int, f bool",
			`(i) := select a.id from acc a where a.ver == 0 found f // 1
			if not f { return }
			update acc a set ver = 1 where a.id == i // 2`, "check acc ver 1<-2"},
		{"a row that was found, without a condition", "i int",
			`(i) := select a.id from acc a where a.ver == 0 // 1
			update acc a set ver = 1 where a.id == i // 2`, "check acc ver 1<-2"},
		{"a row that was found, with a second look", "i int",
			`(i) := select a.id from acc a where a.ver == 0 // 1
			update acc a set ver = 1 where a.id == i and a.ver == 0 // 2`, ""},
		{"the row of the key that was looked for, kept in another local", "b int, n int, i int",
			`while n < 3 {
			i := *
			(b) := select a.bal from acc a where a.id == i // 1
			n := n + 1
			}
			n := i
			update acc a set bal = b + 1 where a.id == n // 2`, "value acc bal 1<-2"},
		{"a deletion", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			if b == 0 { delete acc a where a.id == k } // 2`, "check acc bal 1<-2"},
		{"each row of a loop", "i int, b int",
			`foreach (i, b) := select a.id, a.bal from acc a where true { // 1
			update acc a set bal = b * 2 where a.id == i // 2
			}`, "value acc bal 1<-2"},
		{"an insertion where there was no row", "f bool, i int",
			`(i) := select l.id from log l where l.acc == k found f // 1
			if not f { insert log (id, acc, nr) values (m, k, 1) } // 2`, "insert log  1<-2"},
		{"a value that depends on whether there was a row", "f bool, i int, n int",
			`n := m
			(i) := select l.id from log l where l.acc == n found f // 1
			block b { if f { n := n + 1; break b } }
			insert log (id, acc, nr) values (k, n, 1) // 2`, "insert log  1<-2"},
		{"a value that depends on whether there was a row, of a column that was not looked at", "f bool, i int, n int",
			`n := m
			(i) := select l.id from log l where l.acc == k found f // 1
			block b { if f { n := n + 1; break b } }
			insert log (id, acc, nr) values (k, k, n) // 2`, ""},
		{"a key", "f bool, i int",
			`(i) := select l.acc from log l where l.id == k found f // 1
			if not f { insert log (id, acc, nr) values (k, k, 1) } // 2`, ""},
		{"on conflict", "f bool, i int",
			`(i) := select l.id from log l where l.acc == k found f // 1
			if not f { insert log (id, acc, nr) values (m, k, 1) on conflict do nothing } // 2`, ""},
		{"on conflict of a key that no other row has", "f bool, i int, n int",
			`n := fresh
			(i) := select l.id from log l where l.acc == k found f // 1
			if not f { insert log (id, acc, nr) values (n, k, 1) on conflict do nothing } // 2`, "insert log  1<-2"},
		{"a key of some rows", "f bool, i int",
			`(i) := select s.id from sub s where s.acc == k and s.kind == 1 found f // 1
			if not f { insert sub (id, acc, kind) values (m, k, 1) } // 2`, ""},
		{"a key of other rows", "f bool, i int",
			`(i) := select s.id from sub s where s.acc == k and s.kind == 2 found f // 1
			if not f { insert sub (id, acc, kind) values (m, k, 2) } // 2`, "insert sub  1<-2"},
		{"a replacement", "f bool, i int",
			`(i) := select l.id from log l where l.acc == k found f // 1
			if f { return }
			delete log l where l.acc == k // 2
			insert log (id, acc, nr) values (m, k, 1) // 2`, ""},
		{"a replacement of something else", "f bool, i int",
			`(i) := select l.id from log l where l.acc == k found f // 1
			if f { return }
			delete log l where l.acc == m // 2
			insert log (id, acc, nr) values (m, k, 1) // 2`, "insert log  1<-2"},
		{"a reservation", "b int",
			`(b) := select a.bal from acc a where a.id == k // 1
			if b < 5 { return }
			update acc a set bal = a.bal - 5 where a.id == k // 1
			update acc a set bal = a.bal + 1 where a.id == k // 2`, ""},
		{"the next number", "n int",
			`(n) := select l.nr from log l where l.acc == k order by l.nr desc // 1
			insert log (id, acc, nr) values (m, k, n + 1) // 2`, "insert log nr 1<-2"},
		{"each row of a list", "n int, i int, j int",
			`(n) := select agg count(*) int from acc a where a.ver == 0 // 1
			while true {
			if i < n { update acc a set ver = 1 where a.id == j and a.ver == 0 // 2
			i := i + 1
			} else { break }
			}`, ""},
		{"each row of a list, without a second look", "n int, i int, j int",
			`(n) := select agg count(*) int from acc a where a.ver == 0 and a.kind == k // 1
			while true {
			if i < n { update acc a set ver = 1 where a.id == j and a.kind == k // 2
			i := i + 1
			} else { return }
			}`, "check acc ver 1<-2"},
		{"as many as there may be", "n int, i int, j int",
			`(n) := select agg count(*) int from acc a where a.ver == 0 // 1
			while true {
			if n < 5 { update acc a set ver = 1 where a.id == j and a.ver == 0 // 2
			n := n + 1
			} else { break }
			}`, "check acc  1<-2"},
		{"in the round before", "b int, n int",
			`while n < 3 {
			update acc a set bal = b where a.id == k // 2
			(b) := select a.bal from acc a where a.id == k // 1
			n := n + 1
			}`, "value acc bal 1<-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := tables + "txn f (k int, m int) {\n"
			for _, l := range strings.Split(c.locals, ", ") {
				text += "local " + l + "\n"
			}
			for _, line := range strings.Split(c.body, "\n") {
				code, comment, some := strings.Cut(line, "//")
				if code = strings.TrimSpace(code); !strings.HasSuffix(code, "{") {
					code += ";"
				}
				if some {
					code += " //" + comment
				}
				text += code + "\n"
			}
			text += "}\n"
			p, err := irtext.Parse("p.litmus", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			lines := strings.Split(text, "\n")
			unit := func(at ir.Pos) string {
				_, u, _ := strings.Cut(lines[at.Line-1], "// ")
				return u
			}
			notes, err := Find(t.Context(), p, func(_ *ir.Txn, at ir.Pos) []string {
				return strings.FieldsFunc(unit(at), func(r rune) bool { return r == '|' })
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range notes {
				got = append(got, fmt.Sprintf("%s %s %s %s<-%s", [...]string{"value", "check", "insert"}[n.Kind], n.Table, strings.Join(n.Columns, ","), unit(n.Read), unit(n.Write)))
			}
			if s := strings.Join(slices.Compact(got), "; "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}
