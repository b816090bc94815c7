// Package raw has SQL in raw strings of several lines.
//
//	want: for-update Sell
package raw

import (
	"context"
	"database/sql"
)

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var stock int
	err = tx.QueryRowContext(ctx, `
		SELECT stock -- so far
		FROM item
		WHERE id = $1
	`, id).Scan(&stock)
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id); err != nil {
		return 0, err
	}
	return stock - n, tx.Commit()
}
