// want package:"transactions: 1"

// Package pinged_locked locks whether the database answered before or not.
package pinged_locked

import (
	"context"
	"database/sql"
	"log"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	lock := true
	if err := db.PingContext(ctx); err != nil {
		log.Print(err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if lock {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
			return err
		}
	}
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
