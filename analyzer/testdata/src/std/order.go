package std

import (
	"context"
	"database/sql"
	"errors"
)

// The compiler reads a variable after the calls of its statement: what they scan is what these give.

func counted(ctx context.Context, tx *sql.Tx) (int, error) {
	var n int
	return n, tx.QueryRowContext(ctx, "SELECT count(*) FROM t").Scan(&n) // want `SELECT count(*) FROM t`
}

type purse struct{ id, n int }

func loaded(ctx context.Context, tx *sql.Tx, id int) (*purse, error) {
	p := purse{id: id}
	return &purse{id: p.id, n: p.n}, tx.QueryRowContext(ctx, "SELECT n FROM purses WHERE id = $1", p.id).Scan(&p.n) // want `SELECT n FROM purses WHERE id = $1 (id)`
}

// WrittenBeside writes what helpers have read.
func WrittenBeside(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	n, err := counted(ctx, tx)
	if err != nil {
		return err
	}
	if n > 7 {
		return errors.New("full")
	}
	p, err := loaded(ctx, tx, id)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE purses SET n = $1 WHERE id = $2", n+p.n, id); err != nil { // want `UPDATE purses SET n = $1 WHERE id = $2 (n + p.n, id)`
		return err
	}
	return tx.Commit()
}

// WrittenBefore writes what it had before it read.
func WrittenBefore(ctx context.Context, db *sql.DB, id int) error {
	n := 5
	old := n
	err := db.QueryRowContext(ctx, "SELECT n FROM purses WHERE id = $1", id).Scan(&n) // want `SELECT n FROM purses WHERE id = $1 (id)`
	_, err2 := db.ExecContext(ctx, "UPDATE purses SET n = $1 WHERE id = $2", old, id) // want `UPDATE purses SET n = $1 WHERE id = $2 (5, id)`
	return errors.Join(err, err2)
}
