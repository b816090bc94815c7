// want package:"transactions: 1"

// Package closure_repaired writes the row of the shift in the same closure.
package closure_repaired

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

type db struct{ pool *sql.DB }

func (d *db) inTx(ctx context.Context, fn func(*sql.Tx) error) (err error) {
	tx, err := d.pool.BeginTx(ctx, nil)
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
	return d.inTx(ctx, func(tx *sql.Tx) error {
		var changes int
		if err := tx.QueryRowContext(ctx, "UPDATE shift SET changes = changes + 1 WHERE id = $1 RETURNING changes", shift).Scan(&changes); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift).Scan(&n); err != nil {
			return err
		}
		if n < 2 {
			return errAlone
		}
		_, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2", id, shift)
		return err
	})
}
