package sqlmodel

import (
	"testing"

	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
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
			t.Errorf("after %d translations, given up: %v, want %v\n%s", c.most+1, gives, c.gives, txn)
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
