// Package transfer is a program with one transaction.
package transfer

import (
	"context"
	"database/sql"
)

// Withdraw takes an amount from an account.
func Withdraw(ctx context.Context, db *sql.DB, id, amount int) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - $1 WHERE id = $2", amount, id); err != nil {
		return err
	}
	return tx.Commit()
}
