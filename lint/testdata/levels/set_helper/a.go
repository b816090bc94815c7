// want package:"transactions: 1"

// Package set_helper sets the level in a function, on all paths.
package set_helper

import (
	"context"
	"database/sql"
)

// raise sets the level.
func raise(ctx context.Context, tx *sql.Tx, hot bool) error {
	if hot {
		println("hot")
	}
	_, err := tx.ExecContext(ctx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
	return err
}

func restock(ctx context.Context, db *sql.DB, id, n int64, hot bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := raise(ctx, tx, hot); err != nil {
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
