// want package:"transactions: 1"

// Package lockagain goes on after the last attempt to lock.
package lockagain

import (
	"context"
	"database/sql"
	"time"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for i := 0; i < 3; i++ {
		if _, err = tx.ExecContext(waiting, "SELECT id FROM item WHERE id = $1 FOR UPDATE", id); err == nil {
			break
		}
	}
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
