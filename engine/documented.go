package engine

import (
	"fmt"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pieces"
)

// The databases below are known by their documentation alone: no test has run one of them. Their
// profiles take nothing for excluded that PostgreSQL does not exclude, too, and less where the
// documentation says less.

// documented is a database at a level that is snapshot isolation, of which writes of one row, keys
// and references are all that is known to exclude.
func documented(name, title, level, manual string) *Profile {
	return &Profile{
		Name:         name,
		Title:        title,
		DefaultLevel: level,
		Documented:   manual,
		Stricter:     "it is known by its documentation alone, and was not tried",
		Facts: []Fact{
			{"1", "a transaction reads one snapshot, and what it has written itself", "reads see the snapshot and the transaction's own writes", manual},
			{"2", "a row that was written since the snapshot cannot be updated or deleted: the transaction fails", "writes exclude per row, unless they leave every value as it was", manual},
			{"3", "keys, unique constraints and foreign keys hold in every committed state", "they are checked against the committed state at commit", manual},
		},
	}
}

// cockroach is CockroachDB at REPEATABLE READ, which it also calls SNAPSHOT.
func cockroach() *Profile {
	const manual = "CockroachDB's documentation: transactions, isolation levels, SELECT FOR UPDATE"
	p := documented("cockroach", "CockroachDB REPEATABLE READ", "SERIALIZABLE", manual)
	p.LockExcludes[ir.ForUpdate] = AnyWrite
	p.Facts = append(p.Facts,
		Fact{"4", "FOR UPDATE keeps writers of the row away until the transaction ends, and fails where the row changed since the snapshot", "FOR UPDATE excludes writes; other locks exclude nothing", manual},
		Fact{"5", "SERIALIZABLE is the default, and READ COMMITTED another level", "not judged", manual})
	return p
}

// oracle is Oracle at SERIALIZABLE, which is snapshot isolation.
func oracle() *Profile {
	const manual = "Oracle Database Concepts: data concurrency and consistency"
	p := documented("oracle", "Oracle SERIALIZABLE (snapshot isolation)", "READ COMMITTED", manual)
	p.LockExcludes[ir.ForUpdate] = AnyWrite
	p.OtherTexts = "'' is NULL there"
	p.Facts = append(p.Facts,
		Fact{"4", "FOR UPDATE locks rows as UPDATE does, and fails with ORA-08177 where a row changed since the transaction began", "FOR UPDATE excludes writes; there are no other row locks", manual},
		Fact{"5", "'' is NULL", "no verdict where a program reads texts", manual},
		Fact{"6", "READ COMMITTED is the default: a statement whose rows have changed starts again on a new snapshot", "not judged", manual})
	return p
}

// sqlServer is SQL Server at SNAPSHOT.
func sqlServer() *Profile {
	const manual = "SQL Server's documentation: transaction locking and row versioning guide"
	p := documented("sqlserver", "SQL Server SNAPSHOT", "READ COMMITTED", manual)
	p.OtherTexts = "its collations take texts for equal that PostgreSQL tells apart"
	p.Facts = append(p.Facts,
		Fact{"4", "locks are hints of tables (UPDLOCK, HOLDLOCK)", "row locks exclude nothing", manual},
		Fact{"5", "collations ignore case by default, and blanks at the end", "no verdict where a program reads texts", manual},
		Fact{"6", "READ COMMITTED is the default: with locks that end with each row, or with READ_COMMITTED_SNAPSHOT on a snapshot for each statement", "not judged", manual},
		Fact{"7", "SERIALIZABLE locks ranges of keys until the end", "not judged", manual})
	return p
}

// yugabyte is YugabyteDB at REPEATABLE READ.
func yugabyte() *Profile {
	const manual = "YugabyteDB's documentation: isolation levels, explicit locking"
	p := documented("yugabyte", "YugabyteDB REPEATABLE READ", "READ COMMITTED", manual)
	p.Weaker = "locks are on columns of a row, and writes that read nothing do not conflict: two transactions that write one row may both commit, which snapshot isolation excludes"
	p.Instead = "postgres"
	p.Facts = []Fact{
		p.Facts[0],
		{"2", "what conflicts are columns of a row, and writes that read nothing do not conflict with each other", "no verdict", manual},
		{"3", "READ COMMITTED is REPEATABLE READ unless the server is told otherwise (yb_enable_read_committed_isolation)", "not judged", manual},
		{"4", "SERIALIZABLE locks what a transaction reads", "not judged", manual},
	}
	return p
}

// readsTexts says where a program needs to know which texts are equal, or how they are ordered: in
// a key, a constraint or an expression. It is "" where texts are only written.
func readsTexts(p *ir.Program) string {
	texts, why := map[string]*ir.Table{}, ""
	for _, t := range p.Tables {
		for i, c := range t.Columns {
			if c.Type.Kind != ir.KindText {
				continue
			}
			texts[c.Name] = t
			if t.IsKey(i) || pieces.Indexed(t, i) {
				return fmt.Sprintf("%s: %s of %s is a text, and a key or in an index", t.Pos, c.Name, t.Name)
			}
		}
	}
	look := func(at ir.Pos, e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			c, ok := e.(*ir.Col)
			if ok && texts[c.Col] != nil && why == "" {
				why = fmt.Sprintf("%s: %s of %s is a text, and read", at, c.Col, texts[c.Col].Name)
			}
		})
	}
	for _, t := range p.Tables {
		for _, c := range t.Checks {
			look(c.Pos, c.Expr)
		}
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			for _, e := range ir.Exprs(s) {
				look(s.Position(), e)
			}
		})
	}
	return why
}
