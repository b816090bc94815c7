package pg

import (
	"strings"
	"testing"
)

func TestScan(t *testing.T) {
	toks, err := Scan(`SELECT "A""b", Xy, $1, 1.5, E'a\'b', $q$x$q$ <= :: -- c
		/* d */;`)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind TokenKind
		text string
	}{{Word, "select"}, {Quoted, `A"b`}, {Punct, ","}, {Word, "xy"}, {Punct, ","}, {Param, "$1"}, {Punct, ","}, {Number, "1.5"},
		{Punct, ","}, {Text, `E'a\'b'`}, {Punct, ","}, {Text, "$q$x$q$"}, {Punct, "<="}, {Punct, "::"}, {Comment, "-- c"},
		{Comment, "/* d */"}, {Punct, ";"}}
	if len(toks) != len(want) {
		t.Fatalf("%d tokens, want %d", len(toks), len(want))
	}
	for i, w := range want {
		if toks[i].Kind != w.kind || toks[i].Text != w.text {
			t.Errorf("token %d is %+v, want %+v", i, toks[i], w)
		}
	}
}

func TestErrorOffset(t *testing.T) {
	for _, tc := range []struct {
		sql    string
		offset int
	}{{"SELECT 'é' FROM WHERE", 17}, {"SELECT 'x", 7}, {"", 0}} {
		_, err := Parse(tc.sql)
		if tc.sql == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		e, ok := err.(*Error)
		if !ok || e.Offset != tc.offset {
			t.Errorf("%q: %v at %d, want %d", tc.sql, err, e.Offset, tc.offset)
		}
	}
}

// TestWalk checks that trees are visited in the order of their text.
func TestWalk(t *testing.T) {
	stmts, err := Parse("SELECT a, f(b) FROM t, (SELECT c FROM u) v WHERE d = 1")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	Walk(stmts[0], func(tree any) bool {
		switch x := tree.(type) {
		case *RangeVar:
			seen = append(seen, x.Relname)
		case *ColumnRef:
			seen = append(seen, Inner(x.Fields[0]).(*String).Sval)
		case *RangeSubselect:
			return false
		}
		return true
	})
	if got := strings.Join(seen, " "); got != "a b t d" {
		t.Errorf("visited %s", got)
	}
	if at := Start(Inner(stmts[0].Stmt).(*SelectStmt).WhereClause); at != 49 {
		t.Errorf("the condition starts at %d", at)
	}
	if Start(nil) != -1 || Inner(nil) != nil {
		t.Error("nil has no place and nothing inside")
	}
}
