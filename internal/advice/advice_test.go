package advice_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/advice"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/sqlmodel"
)

const schema = `CREATE SCHEMA shop;
CREATE TABLE shop."Order" (id int PRIMARY KEY, state text NOT NULL, paid boolean, "max" int NOT NULL, used int NOT NULL);
CREATE TABLE line (id int PRIMARY KEY, o int NOT NULL REFERENCES shop."Order", used int NOT NULL);
CREATE FUNCTION f(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop."Order" SET state = 'it''s open', paid = NULL WHERE id = i AND used < 7;
  INSERT INTO line VALUES (i, i, 1);
END $$;
`

func parse(t *testing.T, text string) *ir.Program {
	t.Helper()
	p, err := sqlmodel.Parse([]input.File{{Name: "app.sql", Text: text}}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestComments: each fact that is guessed is read back from its comment as it was.
func TestComments(t *testing.T) {
	p := parse(t, schema)
	var texts []string
	for _, f := range advice.Facts(p, p.Txns) {
		text, ok := advice.Comment(f)
		if !ok {
			t.Errorf("%s has no comment", f.Expr.String())
			continue
		}
		texts = append(texts, text)
		q := parse(t, text+"\n"+schema)
		if len(q.Invariants) != 1 {
			t.Fatalf("%s: %d invariants", text, len(q.Invariants))
		}
		if got, want := q.Invariants[0].Expr.String(), f.Expr.String(); got != want {
			t.Errorf("%s is read as %s, not %s", text, got, want)
		}
	}
	for _, want := range []string{
		`-- invariant: for shop."Order" "Order": "Order".used <= "Order".max`,
		`-- invariant: for shop."Order" "Order": "Order".state <> 'it''s open'`,
		`-- invariant: line.used >= 1`,
		`-- invariant: for line line, shop."Order" "Order": line.o <> "Order".id OR line.used <= "Order".used`,
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %s in:\n%s", want, strings.Join(texts, "\n"))
		}
	}
}

// TestWithout: a statement is left out where it stands, and other templates are the same.
func TestWithout(t *testing.T) {
	p := parse(t, `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION f(i int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF i > 0 THEN
    EXECUTE 'UPDATE t SET v = ' || (SELECT min(v)::text FROM t);
  END IF;
  UPDATE t SET v = 1 WHERE id = i;
END $$;
CREATE FUNCTION g(i int) RETURNS void LANGUAGE sql AS 'UPDATE t SET v = 2 WHERE id = i';
`)
	count := func(p *ir.Program) (unmodelled, updates int) {
		for _, x := range p.Txns {
			ir.Walk(x.Body, func(s ir.Stmt) {
				switch s.(type) {
				case *ir.Unmodelled:
					unmodelled++
				case *ir.Update:
					updates++
				}
			})
		}
		return unmodelled, updates
	}
	before, updates := count(p)
	if before == 0 {
		t.Fatal("everything is modelled")
	}
	q := advice.Without(p, func(*ir.Txn, *ir.Unmodelled) bool { return true })
	if n, m := count(q); n != 0 || m != updates {
		t.Errorf("%d unmodelled statements and %d of %d updates are left", n, m, updates)
	}
	if n, _ := count(p); n != before {
		t.Error("the program itself has changed")
	}
	if q.Txn("g") != p.Txn("g") || q.Txn("f") == p.Txn("f") {
		t.Error("not only the template with the statement is another one")
	}
}
