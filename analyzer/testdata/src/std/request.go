package std

import (
	"context"
	"database/sql"
)

type txKey struct{}

// request is a context of the program's own, with the methods of the one that it embeds.
type request struct {
	context.Context
	user int
}

func (r *request) set(key, value any) { r.Context = context.WithValue(r.Context, key, value) }

// cursor has a method Scan, as rows have it.
type cursor struct {
	rows *sql.Rows
}

func (c *cursor) Scan(dest ...any) error { return c.rows.Scan(dest...) }

// Handle runs what it is given with a transaction in the context of a request.
func Handle(db *sql.DB, next func(*request) error, r *request) error {
	tx, err := db.BeginTx(r, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	r.set(txKey{}, tx)
	if err := next(r); err != nil { // want `unknown *: a call of a function that is not known`
		return err
	}
	return tx.Commit()
}

// Within uses the transaction of a request that it makes.
func Within(db *sql.DB, ctx context.Context, id int) (n int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	r := &request{Context: ctx}
	r.set(txKey{}, tx)
	return read(r, id)
}

func read(ctx context.Context, id int) (n int, err error) {
	tx := ctx.Value(txKey{}).(*sql.Tx)
	rows, err := tx.Query("SELECT n FROM t WHERE id = $1", id) // want `SELECT n FROM t WHERE id = $1 (id)`
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	c := &cursor{rows}
	if rows.Next() {
		err = c.Scan(&n)
	}
	return n, err
}
