// Package constant has a constant with SQL that two functions use.
//
//	want: for-update Double
package constant

import (
	"context"
	"database/sql"
)

const (
	readStock  = "SELECT stock FROM item WHERE id = $1" // by key
	writeStock = "UPDATE item SET stock = $1 WHERE id = $2"
)

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, readStock, id).Scan(&stock); err != nil {
		return 0, err
	}
	if stock < n {
		return -1, nil
	}
	if _, err := tx.ExecContext(ctx, writeStock, stock-n, id); err != nil {
		return 0, err
	}
	return stock - n, tx.Commit()
}

// Double doubles the stock of an item, but for n.
func Double(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var stock int
	if err := tx.QueryRowContext(ctx, readStock, id).Scan(&stock); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, writeStock, 2*stock-n, id); err != nil {
		return 0, err
	}
	return stock, tx.Commit()
}
