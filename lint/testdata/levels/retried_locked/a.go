// want package:"transactions: 1"

// Package retried_locked takes its lock in each attempt.
package retried_locked

import (
	"context"
	"database/sql"
)

type attempt struct{ locks bool }

func restock(ctx context.Context, db *sql.DB, id, n int64) (err error) {
	a := &attempt{locks: true}
	for range 3 {
		var tx *sql.Tx
		if tx, err = db.BeginTx(ctx, nil); err != nil {
			return err
		}
		if a.locks {
			if _, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
				tx.Rollback()
				return err
			}
		}
		var stock int64
		if err = tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
			tx.Rollback()
			return err
		}
		if _, err = tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
			tx.Rollback()
			return err
		}
		if err = tx.Commit(); err == nil {
			return nil
		}
		a.locks = true
	}
	return err
}
