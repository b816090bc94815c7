// want package:"transactions: 1"

// Package setlocal_repeatable sets the level of its transaction by the name of a parameter.
package setlocal_repeatable

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SET LOCAL transaction_isolation = 'repeatable read'"); err != nil {
		return err
	}
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
