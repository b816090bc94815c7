// want package:"transactions: 1"

// Package handed hands the transaction down: as a parameter, an interface and a
// field.
package handed

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
	err = s.q.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift).Scan(&n) // want `write-skew .*: leave -> leave`
	return n, err
}

func send(ctx context.Context, q querier, id, shift int64) error {
	_, err := q.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2", id, shift)
	return err
}

func steps(ctx context.Context, tx *sql.Tx, id, shift int64) error {
	s := &store{tx}
	n, err := s.onCall(ctx, shift)
	if err != nil {
		return err
	}
	if n < 2 {
		return errAlone
	}
	return send(ctx, tx, id, shift)
}

func leave(ctx context.Context, db *sql.DB, id, shift int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := steps(ctx, tx, id, shift); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}
