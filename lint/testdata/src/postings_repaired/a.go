// want package:"transactions: 1"

// Package postings_repaired sends a statement for each element of a short list.
package postings_repaired

import (
	"context"
	"database/sql"
	"errors"
)

var errPoor = errors.New("the accounts of the customer do not cover this")

type posting struct{ account, amount int64 }

func transfer(ctx context.Context, db *sql.DB, from, reserve, to, amount int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var sum int64
	for _, account := range []int64{from, reserve} {
		var balance int64
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = $1 FOR UPDATE", account).Scan(&balance); err != nil {
			return err
		}
		sum += balance
	}
	if sum < amount {
		return errPoor
	}
	for _, p := range []posting{{from, -amount}, {to, amount}} {
		if _, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance + $1 WHERE id = $2", p.amount, p.account); err != nil {
			return err
		}
	}
	return tx.Commit()
}
