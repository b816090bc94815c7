// want package:"transactions: 1"

// Package carried_repaired has its transaction in a context: what is sent goes through the one
// that is there, else through the database.
package carried_repaired

import (
	"context"
	"database/sql"
	"errors"
)

var errPoor = errors.New("the accounts of the customer do not cover this")

type key struct{}

type conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type ledger struct{ db *sql.DB }

func (l *ledger) conn(ctx context.Context) conn {
	if tx, ok := ctx.Value(key{}).(*sql.Tx); ok {
		return tx
	}
	return l.db
}

// within runs a function that sees the transaction in its context only.
func (l *ledger) within(ctx context.Context, fn func(context.Context) error) (err error) {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if err = fn(context.WithValue(ctx, key{}, tx)); err != nil {
		return err
	}
	return tx.Commit()
}

func (l *ledger) balance(ctx context.Context, account int64) (n int64, err error) {
	err = l.conn(ctx).QueryRowContext(ctx, "SELECT balance FROM account WHERE id = $1 FOR UPDATE", account).Scan(&n)
	return n, err
}

func (l *ledger) withdraw(ctx context.Context, from, other, amount int64) error {
	return l.within(ctx, func(ctx context.Context) error {
		a, err := l.balance(ctx, from)
		if err != nil {
			return err
		}
		b, err := l.balance(ctx, other)
		if err != nil {
			return err
		}
		if a+b < amount {
			return errPoor
		}
		_, err = l.conn(ctx).ExecContext(ctx, "UPDATE account SET balance = balance - $1 WHERE id = $2", amount, from)
		return err
	})
}
