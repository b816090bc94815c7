// Package helper runs functions in a transaction that a helper begins.
//
//	want: for-update Sell
//	want: level Sell
package helper

import (
	"context"
	"database/sql"
)

func within(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	var stock int
	err := within(ctx, db, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id)
		return err
	})
	return stock, err
}
