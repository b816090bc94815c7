// want package:"transactions: 1"

// Package lockagain_returned is the mend of lockagain.
package lockagain_returned

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
	if err != nil {
		return err
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
