// want package:"transactions: 1"

// Package setpartly asks for no level, and then by a text for one that is not known.
package setpartly

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64, level string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SET LOCAL transaction_"+level); err != nil {
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
