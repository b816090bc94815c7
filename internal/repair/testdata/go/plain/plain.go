// Package plain begins transactions without a context or options.
//
//	want: for-update Sell
//	want: level Sell
package plain

import (
	"context"
	"database/sql"
)

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRow("SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return 0, err
	}
	if _, err := tx.Exec("UPDATE item SET stock = $1 WHERE id = $2", stock-n, id); err != nil {
		return 0, err
	}
	return stock, tx.Commit()
}
