// want package:"transactions: 1"

// Package optionsvalue_serializable gives the address of options that nobody changes.
package optionsvalue_serializable

import (
	"context"
	"database/sql"
)

var serial = sql.TxOptions{Isolation: sql.LevelSerializable}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, &serial)
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
	return tx.Commit()
}
