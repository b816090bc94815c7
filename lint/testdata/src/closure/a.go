// want package:"transactions: 1"

// Package closure has helpers that run a function in a transaction.
package closure

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

type queries struct{ tx *sql.Tx }

type db struct{ pool *sql.DB }

// atomically is nested in inTx, and retries.
func (d *db) atomically(ctx context.Context, fn func(*queries) error) error {
	var err error
	for range 3 {
		if err = d.inTx(ctx, func(tx *sql.Tx) error { return fn(&queries{tx}) }); err == nil {
			return nil
		}
	}
	return err
}

func (d *db) inTx(ctx context.Context, fn func(*sql.Tx) error) (err error) {
	tx, err := d.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
			return
		}
		err = tx.Commit()
	}()
	return fn(tx)
}

func (d *db) leave(ctx context.Context, id, shift int64) error {
	return d.atomically(ctx, func(q *queries) error {
		var n int
		err := q.tx.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift).Scan(&n) // want `write-skew .*: db.leave -> db.leave`
		if err != nil {
			return err
		}
		if n < 2 {
			return errAlone
		}
		_, err = q.tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2", id, shift)
		return err
	})
}
