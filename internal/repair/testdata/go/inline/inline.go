// Package inline takes from a stock, with the SQL where it is sent.
//
//	want: for-update Sell
//	want: level Sell
package inline

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
	// What is there?
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id); err != nil {
		return 0, err
	}
	return stock - n, tx.Commit()
}
