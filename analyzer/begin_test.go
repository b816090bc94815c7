package analyzer

import "testing"

// TestBeginHelpers has helpers that begin a transaction, and give nothing with an error: what their callers send is in
// the transaction, and nowhere else.
func TestBeginHelpers(t *testing.T) {
	const lines = `package main

import (
	"context"
	"database/sql"
	"errors"
)

type runner interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	Commit() error
	Rollback() error
}

type work struct {
	*sql.Tx
	name string
}

var closed = errors.New("closed")

`
	const use = `
func use(ctx context.Context, db *sql.DB) error {
	tx, err := begin(ctx, db)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE t SET n = n + 1 WHERE id = 1"); err != nil {
		return err
	}
	return tx.Commit()
}

func main() { use(context.Background(), nil) }
`
	for name, begin := range map[string]string{
		"pointer": `func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return tx, nil
}`,
		"interface": `func begin(ctx context.Context, db *sql.DB) (runner, error) {
	if ctx.Err() != nil {
		return nil, closed
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return tx, nil
}`,
		"struct": `func begin(ctx context.Context, db *sql.DB) (work, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return work{}, err
	}
	return work{tx, "x"}, nil
}`,
		"pointer to struct": `func begin(ctx context.Context, db *sql.DB) (*work, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &work{tx, "x"}, nil
}`,
		"set first": `func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
		tx.Rollback()
		return nil, err
	}
	return tx, nil
}`,
		"two ways": `func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	var tx *sql.Tx
	var err error
	if ctx.Err() == nil {
		tx, err = db.BeginTx(ctx, nil)
	} else {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return tx, nil
}`,
	} {
		res := loadFiles(t, Options{}, map[string]string{"main.go": lines + begin + "\n" + use})
		if len(res.Txns) != 1 || res.Begins != 1 {
			t.Errorf("%s: %d transactions that begin at %d places", name, len(res.Txns), res.Begins)
			for _, x := range res.Txns {
				t.Logf("%s: %v", x.Name, x.Pos)
			}
		}
	}
}

// TestHandlesInStructs has structs around a transaction with methods that have the names of those by which drivers store
// values: what they send is in the transaction.
func TestHandlesInStructs(t *testing.T) {
	for _, methods := range []string{
		"func (c counter) Value() (int, error) { return 1, nil }",
		"func (c *counter) Scan(name string) error { return nil }",
		"func (c *counter) Scan(dest any) *counter { return c }",
		"func (c *counter) Scan(dest ...any) error { return nil }",
		"func (c counter) Value(key any) any { return nil }",
	} {
		res := loadFiles(t, Options{}, map[string]string{"main.go": `package main

import "database/sql"

type counter struct{ *sql.Tx }

` + methods + `

func (c counter) add(n int) error {
	var have int
	if err := c.QueryRow("SELECT n FROM t WHERE id = 1").Scan(&have); err != nil {
		return err
	}
	_, err := c.Exec("UPDATE t SET n = $1 WHERE id = 1", have+n)
	return err
}

func use(db *sql.DB, n int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := (counter{tx}).add(n); err != nil {
		return err
	}
	return tx.Commit()
}

func main() { use(nil, 1) }
`})
		if len(res.Txns) != 1 || res.Statements != 2 {
			t.Errorf("%s: %d transactions with %d statements", methods, len(res.Txns), res.Statements)
		}
	}
}
