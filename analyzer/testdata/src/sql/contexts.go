package sql

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

type txKey struct{}

type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// conn gives the transaction that the context holds, or the database.
func (s *Service) conn(ctx context.Context) querier {
	if tx, ok := ctx.Value(txKey{}).(*sql.Tx); ok {
		return tx
	}
	return s.db
}

// inTx runs a function in a transaction that its context holds: the one that is
// there, or a new one.
func (s *Service) inTx(ctx context.Context, f func(ctx context.Context) error) error {
	if _, ok := ctx.Value(txKey{}).(*sql.Tx); ok {
		return f(ctx)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s *Service) stock(ctx context.Context, id int) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err = s.conn(ctx).QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n)
	return n, err
}

func (s *Service) take(ctx context.Context, id, n int) error {
	return s.inTx(ctx, func(ctx context.Context) error {
		_, err := s.conn(ctx).ExecContext(ctx, "UPDATE items SET n = n - $1 WHERE id = $2", n, id)
		return err
	})
}

var errNone = errors.New("none left")

// Sell reads and writes in one transaction, which is in the context.
func (s *Service) Sell(ctx context.Context, id int) error {
	return s.inTx(ctx, func(ctx context.Context) error {
		n, err := s.stock(ctx, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return errNone
		}
		return s.take(ctx, id, 1)
	})
}
