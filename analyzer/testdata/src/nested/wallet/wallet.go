// Package wallet keeps balances. It sees the database through interfaces only.
package wallet

import (
	"context"
	"errors"
)

// Queries are the statements of a wallet.
type Queries interface {
	Balance(ctx context.Context, id int64) (int64, error)
	SetBalance(ctx context.Context, id, balance int64) error
}

// Batched runs functions with statements of one transaction.
type Batched[Q any] interface {
	ExecTx(ctx context.Context, readOnly bool, body func(Q) error) error
}

// DB is what a Store needs.
type DB interface {
	Queries
	Batched[Queries]
}

type Store struct{ DB DB }

var errEmpty = errors.New("the balance is too low")

func (s *Store) Spend(ctx context.Context, id, amount int64) error {
	return s.DB.ExecTx(ctx, false, func(q Queries) error {
		balance, err := q.Balance(ctx, id)
		if err != nil {
			return err
		}
		if balance < amount {
			return errEmpty
		}
		return q.SetBalance(ctx, id, balance-amount)
	})
}
