// want package:"transactions: 1"

// Package attemptsofattempts_locked locks in all attempts.
package attemptsofattempts_locked

import (
	"context"
	"database/sql"
	"errors"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	for range 3 {
		lock := true
		for range 2 {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			if lock {
				if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
					tx.Rollback()
					return err
				}
			}
			var stock int64
			if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
				tx.Rollback()
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
				tx.Rollback()
				return err
			}
			if err := tx.Commit(); err == nil {
				return nil
			}
		}
	}
	return errors.New("too many attempts")
}
