// Package conn uses pgx, with options.
//
//	want: for-update Sell
//	want: level Sell
package conn

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *pgx.Conn, id, n int) (int, error) {
	tx, err := db.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx)
	var stock int
	if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id); err != nil {
		return 0, err
	}
	return stock, tx.Commit(ctx)
}
