// Package joined puts SQL together of constants.
//
//	want: for-update Sell
package joined

import (
	"context"
	"database/sql"
)

const from = " FROM item"

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, "SELECT stock"+from+" WHERE id = $1", id).Scan(&stock); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id); err != nil {
		return 0, err
	}
	return stock - n, tx.Commit()
}
