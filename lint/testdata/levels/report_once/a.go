// want package:"transactions: 2"

// Package report_once reads both rows by one statement.
package report_once

import (
	"context"
	"database/sql"
)

func report(ctx context.Context, db *sql.DB, a, b int64) (sum int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT sum(stock) FROM item WHERE id = $1 OR id = $2", a, b).Scan(&sum)
	return sum, err
}

func move(ctx context.Context, db *sql.DB, from, to, n int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = stock - $1 WHERE id = $2", n, from); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = stock + $1 WHERE id = $2", n, to); err != nil {
		return err
	}
	return tx.Commit()
}
