// Package closure uses pgx, with a function for the transaction.
//
//	want: for-update Sell
//	want: level Sell
package closure

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *pgx.Conn, id, n int) (int, error) {
	var stock int
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock-n, id)
		return err
	})
	return stock, err
}
