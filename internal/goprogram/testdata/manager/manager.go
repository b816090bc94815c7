// Package manager has a transaction manager as libraries have it: the transaction is in a context.
package manager

import (
	"context"
	"database/sql"
)

type key struct{}

// DB is a database or a transaction.
type DB interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Manager begins transactions.
type Manager struct{ db *sql.DB }

// Do calls a function in a transaction.
func (m *Manager) Do(ctx context.Context, f func(ctx context.Context) error) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(context.WithValue(ctx, key{}, tx)); err != nil {
		return tx.Rollback()
	}
	return tx.Commit()
}

// Of gives the transaction of a context, or else the database.
func Of(ctx context.Context, db *sql.DB) DB {
	if tx, ok := ctx.Value(key{}).(*sql.Tx); ok {
		return tx
	}
	return db
}
