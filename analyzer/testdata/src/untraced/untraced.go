// Package untraced has transactions that come from places which nobody follows.
package untraced

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// Key is that of the transaction in a context.
type Key struct{}

// Move reads and writes in the transaction of the context.
func Move(ctx context.Context, id, n int64) error {
	have, err := Balance(ctx, id)
	if err != nil || have < n {
		return err
	}
	return Set(ctx, id, have-n)
}

// Balance is a part of Move, and a function that others call.
func Balance(ctx context.Context, id int64) (n int64, err error) {
	err = in(ctx).QueryRowContext(ctx, "SELECT n FROM accounts WHERE id = $1", id).Scan(&n)
	return n, err
}

// Set is a part of Move.
func Set(ctx context.Context, id, n int64) error {
	_, err := in(ctx).ExecContext(ctx, "UPDATE accounts SET n = $2 WHERE id = $1", id, n)
	return err
}

func in(ctx context.Context) *sql.Tx { return ctx.Value(Key{}).(*sql.Tx) }

var current *sql.Tx

// Global uses the transaction of a package variable.
func Global(id int64) error { return add(current, id) }

func add(tx *sql.Tx, id int64) error {
	var n int64
	if err := tx.QueryRow("SELECT n FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE accounts SET n = $2 WHERE id = $1", id, n+1)
	return err
}

// Receive takes transactions out of a channel, and ends them.
func Receive(c <-chan *sql.Tx, id int64) error {
	tx := <-c
	defer tx.Rollback()
	if err := add(tx, id); err != nil {
		return err
	}
	return tx.Commit()
}

var (
	kept   sync.Map
	idle   sync.Pool
	latest atomic.Pointer[sql.Tx]
	byName = map[string]*sql.Tx{}
	list   []*sql.Tx
)

// Kept has its transaction in a sync.Map.
func Kept(name string, id int64) error {
	v, ok := kept.Load(name)
	if !ok {
		return sql.ErrTxDone
	}
	return add(v.(*sql.Tx), id)
}

// Pooled has its transaction in a sync.Pool.
func Pooled(id int64) error {
	tx := idle.Get().(*sql.Tx)
	defer idle.Put(tx)
	return add(tx, id)
}

// Latest has its transaction in an atomic pointer.
func Latest(id int64) error { return add(latest.Load(), id) }

// Named has its transaction in a map.
func Named(name string, id int64) error { return add(byName[name], id) }

// Listed has its transaction in a slice.
func Listed(i int, id int64) error { return add(list[i], id) }

// UnitOfWork is implemented elsewhere.
type UnitOfWork interface {
	Do(ctx context.Context, f func(ctx context.Context) error) error
}

// Service works in units of work.
type Service struct {
	u  UnitOfWork
	db *sql.DB
}

// Transfer runs in a transaction that nobody here begins.
func (s *Service) Transfer(ctx context.Context, from, to int64) error {
	return s.u.Do(ctx, func(ctx context.Context) error {
		if err := Move(ctx, from, 1); err != nil {
			return err
		}
		return Set(ctx, to, 7)
	})
}

type sender interface {
	ExecContext(ctx context.Context, q string, a ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, q string, a ...any) *sql.Row
}

func (s *Service) of(ctx context.Context) sender {
	if tx, ok := ctx.Value(Key{}).(*sql.Tx); ok {
		return tx
	}
	return s.db
}

// Both runs in the transaction of the context, or without one.
func (s *Service) Both(ctx context.Context, id int64) error {
	var n int64
	if err := s.of(ctx).QueryRowContext(ctx, "SELECT n FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := s.of(ctx).ExecContext(ctx, "UPDATE accounts SET n = $2 WHERE id = $1", id, n+1)
	return err
}

// Given gets its transaction from its callers, who are elsewhere.
func Given(tx *sql.Tx, id int64) error { return add(tx, id) }
