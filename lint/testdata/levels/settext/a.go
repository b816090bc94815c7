// want package:"transactions: 1"

// Package settext sets the level by a text that is one of two.
package settext

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64, hot bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	text := "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
	if hot {
		text = "SET TRANSACTION READ WRITE"
	}
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return err
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
