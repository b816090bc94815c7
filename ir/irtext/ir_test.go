package irtext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/ir"
)

func parseFile(t *testing.T, name string) *ir.Program {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(name, string(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPrintParse checks that the printed form parses back to itself, before
// and after Structure.
func TestPrintParse(t *testing.T) {
	for _, name := range []string{"all.litmus", "labels.litmus"} {
		p := parseFile(t, name)
		for pass := 0; pass < 2; pass++ {
			text := p.String()
			q, err := Parse("printed", text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if got := q.String(); got != text {
				t.Fatalf("%s: printed form changed:\n%s\n--- became\n%s", name, text, got)
			}
			wellformed.Structure(p)
		}
	}
}

func TestStructure(t *testing.T) {
	p := parseFile(t, "labels.litmus")
	wellformed.Structure(p)
	t1 := p.Txn("t1").String()
	if !strings.Contains(t1, "if r == 0 {") || strings.Contains(t1, "while") {
		t.Errorf("t1 should be an if:\n%s", t1)
	}
	t2 := p.Txn("t2").String()
	// Neither may be an integer: Program.Domain would bound it.
	for _, want := range []string{"while pc >= 0 {", "local pc num;", "choice := *", "local choice bool;"} {
		if !strings.Contains(t2, want) {
			t.Errorf("t2 should be a loop over a program counter with a choice (%s):\n%s", want, t2)
		}
	}
}

// TestRegisters checks which undeclared names become registers.
func TestRegisters(t *testing.T) {
	p := parseFile(t, "labels.litmus")
	for _, tc := range []struct {
		txn, local string
		kept       bool
	}{{"t1", "r", true}, {"t1", "x'", false}, {"t3", "r", true}, {"t3", "s", true}, {"t4", "tmp", false}} {
		found := false
		for _, l := range p.Txn(tc.txn).Locals {
			if l.Name == tc.local {
				found = true
				if l.Kept != tc.kept {
					t.Errorf("%s.%s: kept = %v", tc.txn, tc.local, l.Kept)
				}
			}
		}
		if !found {
			t.Errorf("%s has no local %s", tc.txn, tc.local)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const family = "program p\ntable p (a int, key (a)) table c (a int, p int, key (a), foreign f (p) references p (a) on delete cascade)\n" +
		"table g (a int, c int, key (a), foreign h (c) references c (a) on delete set null, foreign k (c) references c (a))\n"
	const moves = "program p\ntable p (a int, key (a))\ntable c (a int, p int, key (a), foreign f (p) references p (a) on update cascade)\n"
	for _, tc := range []struct{ src, want string }{
		{"", "f:1:1: expected \"program\", found the end of the file"},
		{"program p\nvar x\ntxn t { r := z }", "f:3:14: z is not declared"},
		{"program p\nvar x = 0, x = 1", "f:2:12: x is declared twice"},
		{"program p\ntable t (a int)", "f:2:1: table t has no key"},
		{"program p\ntable t (a int, key (b))", "f:2:22: table t has no column b"},
		{"program p\ntxn t { x := 1 y := 2 }", "f:2:16: expected ; or }"},
		{"program p\ntxn t { x := 1", "f:2:15: a { is never closed"},
		{"program p\ntxn t { x := 'abc }", "f:2:14: the ' that opens here is never closed"},
		{"program p\ntxn t { x := 1 + true }", "does not work on int and bool"},
		{"program p\ntxn t(a int) { a := 'q' }", "f:2:16: a has type int and cannot hold a value of type text"},
		{"program p\ntable t (a int, key (a))\ntxn u { insert t (a) values (1, 2) }", "f:3:9: 1 columns, but 2 values"},
		{"program p\ntable t (a int, key (a))\ntxn u { update t set a = 2 }", "f:3:9: the key column a of t cannot be set"},
		{"program p\ntxn t { break }", "f:2:9: there is no loop to leave"},
		{"program p\nvar x\ntxn t { while x > 0 { } }", "f:3:15: the shared variable x cannot be read in the condition of a while"},
		{"program p\nvar x\ntxn a { x := 1 }\nprocess q { txn b { x := 2 } }", "f:3:1: transaction a is outside of every process"},
		{"program p\ntxn t { block b { break } }", "f:2:19: there is no loop to leave"},
		{"program p\ntxn t { block b { continue b } }", "f:2:19: nothing here has the label b"},
		{"program p\ntxn t { block b { block b { } } }", "f:2:19: label b is used again inside itself"},
		{"program p\ndomain 3..1", "f:2:1: the domain is empty"},
		{"program p\ntxn t { rollback to s }", "f:2:9: there is no savepoint s"},
		{"program p\ntxn t { ? }", "f:2:9: unexpected character '?'"},
		{"program p\nprocess q { }", "f:2:1: process q runs no transaction"},
		{"program p\ntxn t { x := f(1) }", "f:2:14: f is no known function"},
		{"program p\ntable t (a int not null, b int, key (a))\nrow t (null, 1)", "has null in column a"},
		{"program p\ntable t (a int, key (a))\ntxn u { insert t (a) values (1) on conflict (a) do update k set z = 1 }", "table t has no column z"},
		{family + "txn u { delete p }", "f:4:9: rows of p are deleted, and no \"cascade c f\" follows"},
		{family + "txn u { delete p; cascade c f }", "f:4:19: rows of c are deleted, and no \"cascade g h\" follows"},
		{family + "txn u { cascade c z }", "f:4:19: c has no foreign key z"},
		{family + "txn u { cascade g k }", "f:4:9: foreign key k has no action"},
		{moves + "txn u { delete p where p.a == 1 moved }", "f:4:9: a row of p moves, and no \"insert … moved\" follows at once"},
		{moves + "txn u { insert c (a) values (2) moved (a) }", "f:4:9: a row of c moves here, and no \"delete … moved\" stands right before"},
		{moves + "txn u { delete p where p.a > 1 moved; insert p (a) values (2) moved (a) }", "f:4:9: the condition must say which row of p moves"},
		{moves + "txn u { delete p where p.a == 1 moved; insert p (a) values (2) moved (a) }", "f:4:40: rows of p get other keys, and no \"cascade c f\" follows"},
		{moves + "txn u { delete c where c.a == 1 moved; insert c (a, p) values (2, 1) moved (p) }", "f:4:40: a row of c moves, but no column of its key changes"},
		{moves + "txn u { delete c where c.a == 1 moved; insert c (a, p) values (2, 1) on conflict do nothing moved (a) }", "goes with neither ON CONFLICT nor done"},
		{moves + "txn u { cascade c f }", "f:4:9: foreign key f needs values"},
		{moves + "txn u { cascade c f set (1, 2) }", "f:4:9: 1 columns for 2 values"},
		{moves + "txn u { cascade c f set (true) }", "column p must have type int"},
		{"program p\ntable p (a int, key (a))\ntable c (a int, key (a), foreign f (a) references p (a) on update cascade)", "f:3:26: foreign key f sets the key column a, which cannot be"},
		{"program p\ntable c (a int, p int, key (a), foreign f (p) references c (a) on delete cascade)", "f:2:33: foreign key f has an action, but does not refer to the primary key of another table"},
		{"program p\ntable p (a int, key (a))\ntable c (a int, key (a), foreign f (a) references p (a) on delete set null)", "f:3:26: foreign key f sets a to NULL, which cannot be"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r, r) where r.b == r.b)", "f:2:33: exclusion x: it has one name for both rows"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r, s) where r.b)", "the condition of x must have type bool"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r, s) where r.b < s.b)", "f:2:33: exclusion x: it is not symmetric: exchanging r and s gives another condition"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r, s) where opaque bool f(r.b, s.b))", "exclusion x: it is not symmetric"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r, s) where r.b + s.b == 3)", "exclusion x: it computes"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r, s) where exists (from t e where r.b == s.b))", "exclusion x: it reads other rows"},
		{"program p\ntable t (a int, b int, key (a), exclude x (r) where r.b == r.b)", "f:2:45: expected"},
		{"\xff", "f:1:1: the file is not UTF-8 text here"},
	} {
		_, err := Parse("f", tc.src)
		if err == nil {
			t.Errorf("%q: no error, want %q", tc.src, tc.want)
		} else if !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %q, want %q", tc.src, err, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"all.litmus", "labels.litmus"} {
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Parse("fuzz", src)
		if err != nil {
			return
		}
		text := p.String()
		q, err := Parse("printed", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if q.String() != text {
			t.Fatalf("not stable:\n%s\n---\n%s", text, q)
		}
	})
}
