// want package:"transactions: 2"

// Package recursiveclosure changes what the next attempt of a function literal captures.
package recursiveclosure

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	options := &sql.TxOptions{Isolation: sql.LevelSerializable}
	var attempt func(left int) error
	attempt = func(left int) error {
		tx, err := db.BeginTx(ctx, options)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		var stock int64
		if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
			return err
		}
		err = tx.Commit()
		if err == nil || left == 0 {
			return err
		}
		options = nil
		return attempt(left - 1)
	}
	return attempt(3)
}
