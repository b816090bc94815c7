// Nested has its transactions in a module that a directory replaces.
package main

import (
	"context"
	"database/sql"

	"nested.test/executor"
	"nested.test/wallet"
)

type dbtx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type queries struct{ db dbtx }

func (q *queries) Balance(ctx context.Context, id int64) (n int64, err error) {
	err = q.db.QueryRowContext(ctx, "SELECT balance FROM wallets WHERE id = $1", id).Scan(&n)
	return n, err
}

func (q *queries) SetBalance(ctx context.Context, id, balance int64) error {
	_, err := q.db.ExecContext(ctx, "UPDATE wallets SET balance = $2 WHERE id = $1", id, balance)
	return err
}

type walletDB struct {
	*queries
	*executor.Executor[wallet.Queries]
}

func main() {
	db, err := sql.Open("postgres", "")
	if err != nil {
		panic(err)
	}
	s := &wallet.Store{DB: walletDB{&queries{db}, executor.New(&executor.Base{DB: db}, func(tx *sql.Tx) wallet.Queries { return &queries{tx} })}}
	if err := s.Spend(context.Background(), 1, 2); err != nil {
		panic(err)
	}
}
