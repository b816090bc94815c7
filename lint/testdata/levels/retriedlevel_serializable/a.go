// want package:"transactions: 1"

// Package retriedlevel_serializable begins all attempts at one level.
package retriedlevel_serializable

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	o := sql.TxOptions{Isolation: sql.LevelSerializable}
again:
	tx, err := db.BeginTx(ctx, &o)
	if err != nil {
		return err
	}
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		tx.Rollback()
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		tx.Rollback()
		goto again
	}
	return tx.Commit()
}
