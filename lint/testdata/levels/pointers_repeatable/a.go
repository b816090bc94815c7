// want package:"transactions: 1"

// Package pointers_repeatable begins with one of two options, both of which are high enough.
package pointers_repeatable

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64, strict bool) error {
	o := &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
	if strict {
		o = &sql.TxOptions{Isolation: sql.LevelSerializable}
	}
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := add(ctx, tx, id, n); err != nil {
		return err
	}
	return tx.Commit()
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
