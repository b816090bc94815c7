// Package executor runs functions in transactions, with whatever sends the
// statements. It is a module of its own in the same repository.
package executor

import (
	"context"
	"database/sql"
)

// Beginner begins transactions.
type Beginner interface {
	BeginTx(ctx context.Context, readOnly bool) (*sql.Tx, error)
}

// Base is a database.
type Base struct{ *sql.DB }

func (b *Base) BeginTx(ctx context.Context, readOnly bool) (*sql.Tx, error) {
	return b.DB.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: readOnly})
}

type end interface {
	Commit() error
	Rollback() error
}

// Executor runs functions in transactions.
type Executor[Q any] struct {
	Beginner
	queries func(*sql.Tx) Q
	retries int
}

func New[Q any](b Beginner, queries func(*sql.Tx) Q) *Executor[Q] {
	return &Executor[Q]{Beginner: b, queries: queries, retries: 3}
}

func (e *Executor[Q]) ExecTx(ctx context.Context, readOnly bool, body func(Q) error) error {
	begin := func() (end, error) { return e.Beginner.BeginTx(ctx, readOnly) }
	return retry(begin, func(tx end) error {
		return body(e.queries(tx.(*sql.Tx)))
	}, e.retries)
}

func retry(begin func() (end, error), body func(end) error, n int) error {
	var last error
	for i := 0; i < n; i++ {
		tx, err := begin()
		if err != nil {
			return err
		}
		if last = body(tx); last != nil {
			_ = tx.Rollback()
			continue
		}
		return tx.Commit()
	}
	return last
}
