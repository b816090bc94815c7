package schedules

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
)

// TestPossible: which initial rows and parameters a finding may start from.
func TestPossible(t *testing.T) {
	const head = "program p\ndomain 0..9\nvar x = 0\n" +
		"table part (k int, n int not null, m int, key (k), unique some (n) where part.k > 2)\n" +
		"table many (k int, n int, m int, key (k), unique both (n, m))\n" +
		"table apart (k int, n int, key (k), exclude near (a, b) where a.n == b.n)\n" +
		"table checked (k int, n int, key (k), check low checked.n < 5)\n" +
		"table p (a int, b int, key (a, b))\n" +
		"table c (k int, a int, b int, key (k), foreign f (a, b) references p (a, b))\n" +
		"table kept (k int, n int, key (k))\ninvariant (kept r) r.n > 2\n" +
		"table drawn (k int, n int, key (k))\n" +
		"txn one(fresh a int, fresh b int, n int, m int not null) { insert drawn (k, n) values (a, n); insert drawn (k, n) values (b, m); h := * }\ntxn two { x := 1 }\n"
	fine := []ir.Value{ir.Int(7), ir.Int(8), ir.Null, ir.Int(1)}
	for _, c := range []struct {
		name, rows string
		params     []ir.Value // of one; fine, if nil
		want       bool
	}{
		{"no rows", "", nil, true},
		{"equal values outside a partial key", "row part (1, 1, 0)\nrow part (2, 1, 0)", nil, true},
		{"equal values of which one is outside a partial key", "row part (1, 1, 0)\nrow part (3, 1, 0)", nil, true},
		{"equal values in a partial key", "row part (3, 1, 0)\nrow part (4, 1, 0)", nil, false},
		{"a value of two columns twice", "row many (1, 1, 1)\nrow many (2, 1, 1)", nil, false},
		{"NULL in a unique key twice", "row many (1, 1, null)\nrow many (2, 1, null)", nil, true},
		{"rows that exclude each other", "row apart (1, 1)\nrow apart (2, 1)", nil, false},
		{"rows that do not exclude each other", "row apart (1, 1)\nrow apart (2, 2)", nil, true},
		{"a value that a CHECK forbids", "row checked (1, 5)", nil, false},
		{"a value that a CHECK allows", "row checked (1, 4)", nil, true},
		{"NULL, which a CHECK allows", "row checked (1, null)", nil, true},
		{"a child with a parent", "row p (1, 2)\nrow c (1, 1, 2)", nil, true},
		{"a child without a parent", "row p (1, 1)\nrow c (1, 1, 2)", nil, false},
		{"a child with NULL for a part of the parent", "row c (1, 1, null)", nil, true},
		{"a row that breaks an invariant", "row kept (1, 2)", nil, false},
		{"a row that keeps an invariant", "row kept (1, 3)", nil, true},
		{"NULL where it is not allowed", "row part (1, null, 0)", nil, false},
		{"NULL where it is allowed", "row part (1, 0, null)", nil, true},
		{"a key twice", "row kept (1, 3)\nrow kept (1, 4)", nil, false},
		{"a value outside of the domain", "row part (1, 10, 0)", nil, false},
		{"FRESH values that are equal", "", []ir.Value{ir.Int(7), ir.Int(7), ir.Null, ir.Int(1)}, false},
		{"a FRESH value that a row has", "row drawn (8, 0)", nil, false},
		{"a FRESH value that a row of another class has", "row kept (8, 8)", nil, true},
		{"a parameter that is NULL and must not be", "", []ir.Value{ir.Int(7), ir.Int(8), ir.Null, ir.Null}, false},
		{"a parameter outside of the domain", "", []ir.Value{ir.Int(7), ir.Int(8), ir.Int(10), ir.Int(1)}, false},
	} {
		p := testprog.Parse(t, head)
		rows, err := irtext.Parse("rows", strings.Replace(head, " not null", "", 1)+c.rows) // rows that the program itself could not have, too
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s, err := newSearch(t.Context(), Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "one", "two")})
		if err != nil {
			t.Fatal(err)
		}
		sit := &situation{calls: []*Call{{Txn: p.Txn("one"), Params: fine}, {Txn: p.Txn("two"), Session: 1}}}
		if c.params != nil {
			sit.calls[0].Params = c.params
		}
		for _, table := range rows.Tables {
			sit.rows = append(sit.rows, table.Rows)
		}
		if got := s.possible(sit); got != c.want {
			t.Errorf("%s is possible: %t", c.name, got)
		}
		// Two rows of one table, of which the second comes to the first.
		for i, list := range sit.rows {
			if alone := p.Tables[i].Uniques != nil && len(list) == 2; alone && s.valid.alone(i, list[1], list[:1]) != c.want {
				t.Errorf("%s: the second row may come: %t", c.name, !c.want)
			}
		}
	}
}

// TestSessions: a serial order keeps the order of each session, and no other. Each
// program has two transactions that begin together.
func TestSessions(t *testing.T) {
	const src = "program p\nvar x = 0, y = 0\ntxn skew { r := x; y := r + 1 }\ntxn other { r := y; x := r + 1 }\ntxn seldom { r := y; x := 7; if r > 5 { x := 8 } }\n"
	for _, c := range []struct {
		names    []string
		sessions [2]int
		want     verdict
	}{
		{[]string{"skew", "seldom"}, [2]int{0, 1}, harmless}, {[]string{"seldom", "skew"}, [2]int{0, 1}, harmless},
		{[]string{"skew", "seldom"}, [2]int{0, 0}, harmless}, {[]string{"seldom", "skew"}, [2]int{0, 0}, anomalous},
		{[]string{"skew", "other"}, [2]int{0, 1}, anomalous},
	} {
		p := testprog.Parse(t, src)
		s, err := newSearch(t.Context(), Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, c.names...), Options: Options{Init: FileRows}})
		if err != nil {
			t.Fatal(err)
		}
		sit := &situation{}
		for _, table := range p.Tables {
			sit.rows = append(sit.rows, table.Rows)
		}
		for i, name := range c.names {
			sit.calls = append(sit.calls, &Call{Txn: p.Txn(name), Session: c.sessions[i]})
		}
		if got, _, _ := s.judge(sit).decide(Order{Commits: []int{0, 1}, Snapshots: []int{0, 0}}); got != c.want {
			t.Errorf("%v of sessions %v: %d, want %d", c.names, c.sessions, got, c.want)
		}
	}
}

// TestRefused: what the database may refuse is no finding, unless it is asked for.
func TestRefused(t *testing.T) {
	const src = "program p\nvar x = 0, y = 0\ntxn a { DROP r := x; y := r + 1 }\ntxn b { DROP r := y; x := r + 1 }\n"
	for _, c := range []struct {
		dropped            string
		doubtful, findings bool
	}{{"", false, true}, {"dropped error 'a check' (x);", false, false}, {"dropped error 'a check' (x);", true, true}} {
		p := testprog.Parse(t, strings.ReplaceAll(src, "DROP", c.dropped))
		a, stats := mustFind(t, Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, "a", "b"), Options: Options{Doubtful: c.doubtful}})
		if (a != nil) != c.findings {
			t.Errorf("with %q, doubtful %t: found %t; %s", c.dropped, c.doubtful, a != nil, describeStats(stats))
		}
		if a != nil && (len(a.Doubts) > 0) != (c.dropped != "") {
			t.Errorf("with %q there are %d doubts", c.dropped, len(a.Doubts))
		}
	}
}
