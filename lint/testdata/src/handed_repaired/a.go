// want package:"transactions: 1"

// Package handed_repaired locks the row of the shift first.
package handed_repaired

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type store struct{ q querier }

func (s *store) onCall(ctx context.Context, shift int64) (n int, err error) {
	err = s.q.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift).Scan(&n)
	return n, err
}

func (s *store) touch(ctx context.Context, shift int64) error {
	var changes int64
	return s.q.QueryRowContext(ctx, "UPDATE shift SET changes = changes + 1 WHERE id = $1 RETURNING changes", shift).Scan(&changes)
}

func leave(ctx context.Context, db *sql.DB, id, shift int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	s := &store{q: tx}
	err = s.touch(ctx, shift)
	var n int
	if err == nil {
		n, err = s.onCall(ctx, shift)
	}
	if err == nil && n < 2 {
		err = errAlone
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2", id, shift)
	}
	if err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}
