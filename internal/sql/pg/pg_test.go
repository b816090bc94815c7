package pg

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
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

// TestOperatorAsName checks that a column may be called operator, and that what OPERATOR means
// elsewhere stays.
func TestOperatorAsName(t *testing.T) {
	for sql, quoted := range map[string]string{
		"SELECT operator, a FROM t WHERE Operator IN ('<', '>') ORDER BY operator": `SELECT "operator", a FROM t WHERE "operator" IN ('<', '>') ORDER BY "operator"`,
		"CREATE TABLE t (operator text CHECK (operator <> '='))":                   `CREATE TABLE t ("operator" text CHECK ("operator" <> '='))`,
		"UPDATE t SET operator = operator || 'x' WHERE 1 OPERATOR(pg_catalog.=) a": `UPDATE t SET "operator" = "operator" || 'x' WHERE 1 OPERATOR(pg_catalog.=) a`,
		"SELECT lower(operator) FROM t WHERE NOT 'aaaaaaaa' = t.operator":          `SELECT lower("operator") FROM t WHERE NOT 'aaaaaaaa' = t."operator"`,
	} {
		got, err := Parse(sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		want, err := Parse(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := withoutPlaces(got[0]), withoutPlaces(want[0]); !proto.Equal(a, b) {
			t.Errorf("%s:\n%v\nwant\n%v", sql, a, b)
		}
	}
	stmts, err := Parse("SELECT operator FROM t WHERE a = 1")
	if err != nil {
		t.Fatal(err)
	}
	if at := Start(Inner(stmts[0].Stmt).(*SelectStmt).WhereClause); at != 29 {
		t.Errorf("the condition stands at %d, want 29", at)
	}
	for _, sql := range []string{"SELECT operator FROM", "SELECT 1 operator 2 FROM t", "SELECT operator(x.+) FROM t"} {
		if _, err := Parse(sql); err == nil {
			t.Errorf("%s is read", sql)
		}
	}
}

// withoutPlaces gives a tree without its positions.
func withoutPlaces(m Message) Message {
	m = proto.Clone(m)
	Walk(m, func(tree any) bool {
		r := tree.(Message).ProtoReflect()
		for _, name := range []protoreflect.Name{"location", "list_start", "list_end", "rexpr_list_start", "rexpr_list_end", "stmt_len"} {
			if fd := r.Descriptor().Fields().ByName(name); fd != nil {
				r.Clear(fd)
			}
		}
		return true
	})
	return m
}
