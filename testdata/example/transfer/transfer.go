// Package transfer has two transactions. Withdraw is wrong at snapshot isolation: two of them
// may take from two accounts of one owner what is there only once.
package transfer

import (
	"context"
	"database/sql"
	"errors"
)

// Deposit adds an amount to an account.
func Deposit(ctx context.Context, db *sql.DB, id, amount int) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance + $1 WHERE id = $2", amount, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Withdraw takes an amount from an account, if all accounts of its owner have that much.
func Withdraw(ctx context.Context, db *sql.DB, owner, id, amount int) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var sum int
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(balance), 0) FROM account WHERE owner = $1", owner).Scan(&sum); err != nil {
		return err
	}
	if sum < amount {
		return errors.New("there is not enough money")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - $1 WHERE id = $2", amount, id); err != nil {
		return err
	}
	return tx.Commit()
}
