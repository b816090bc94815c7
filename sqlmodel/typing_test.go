package sqlmodel

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
)

// rotating is a script in which types go around: e and b are of the type of the other one.
const rotating = `CREATE TABLE t (k int PRIMARY KEY, n int);
-- name: one
BEGIN;
SELECT count(*) AS e FROM t WHERE n > :a \gset
SELECT :e AS b, :e + 1 AS n \gset
SELECT :b AS k, :k + 1 AS e \gset
UPDATE t SET n = :n WHERE k = :k;
COMMIT;
`

// TestSettledTypes: the types of variables settle, and a transaction in which they have not is not
// modelled: values would be cast to types that they do not have.
func TestSettledTypes(t *testing.T) {
	for _, c := range []struct {
		most  int
		gives bool
	}{{maxTypings, false}, {0, true}} {
		l, err := read(schema.Input{Named: []File{{Name: "a.sql", Text: rotating}}})
		if err != nil {
			t.Fatal(err)
		}
		l.Effects = map[string]*schema.Effect{}
		entries, err := l.Entries()
		if err != nil || len(entries) != 1 {
			t.Fatal(len(entries), err)
		}
		defer l.ForTemplate(entries[0])()
		txn := l.scriptTemplate(entries[0], c.most)
		gives := false
		for _, s := range txn.Body {
			_, is := s.(*ir.Unmodelled)
			gives = gives || is
		}
		if gives != c.gives {
			t.Errorf("after %d rounds, given up: %v, want %v\n%s", c.most+1, gives, c.gives, txn)
		}
	}
}

// TestTypesOfParts: what is not modelled of a statement tells the types of its parameters all the same, and finding types reads no rows.
func TestTypesOfParts(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"WITH w AS (UPDATE t SET n = :a RETURNING k) UPDATE t SET n = 1 FROM w WHERE t.k = w.k",
			"txn one(a int) {\n  unmodelled (t) 'a WITH query that writes, in a statement that writes t, too';\n}\n"},
		{"SELECT nosuch(n), :a + n FROM t", "txn one(a int) {\n  unmodelled * 'the function nosuch, which is not declared here';\n}\n"},
		{"WITH w AS (SELECT k FROM t WHERE n = :a) SELECT count(*) FROM t GROUP BY n",
			"txn one(a int) {\n  local rows_of_t opaque[];\n  (rows_of_t) := select agg rows(opaque opaque \"row\"(t.n)) opaque[] from t;\n" +
				"  emit (derive opaque[] rows (p1 opaque[]) project from (group from (given p1 (n int)) t cols (k1 int = t.n) aggs (a1 agg count(*) int)) grouped cols (count int = grouped.a1) of (rows_of_t));\n}\n"},
	} {
		prog, err := Parse([]File{{Name: "a.sql", Text: "CREATE TABLE t (k int PRIMARY KEY, n int);\n-- name: one\nBEGIN;\n" + c.statement + ";\nCOMMIT;"}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := prog.Txns[0].String(); got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.statement, got, c.want)
		}
	}
}

// TestCommonType: a variable holds all values of the types of its places.
func TestCommonType(t *testing.T) {
	for _, c := range []struct {
		list  []schema.Type
		texts bool
		want  schema.Type
	}{
		{[]schema.Type{schema.TBigint, schema.TInt}, true, schema.TBigint},
		{[]schema.Type{schema.TInt, schema.TBigint}, true, schema.TBigint},
		{[]schema.Type{schema.TBigint, schema.TNumeric, schema.TInt}, true, schema.TNumeric},
		{[]schema.Type{schema.TInt, schema.TText}, true, schema.TText},
		{[]schema.Type{schema.TText, schema.TInt}, false, schema.TInt},
	} {
		if got := load.CommonType(c.list, c.texts); got.PgName() != c.want.PgName() {
			t.Errorf("the type for %v is %s, want %s", c.list, got.PgName(), c.want.PgName())
		}
	}
}
