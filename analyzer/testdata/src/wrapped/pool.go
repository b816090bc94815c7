package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool wraps a pool, with an interface of its own.
type Pool struct {
	inner *pgxpool.Pool
	trace func(string)
}

// Runner is what repositories use.
type Runner interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

type traced struct {
	Runner
	trace func(string)
}

func (t traced) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	t.trace(sql)
	tag, err := t.Runner.Exec(ctx, sql, args...)
	if err != nil {
		return tag, fmt.Errorf("exec: %w", err)
	}
	return tag, nil
}

// InTx runs a function in a transaction.
func (p *Pool) InTx(ctx context.Context, fn func(r Runner) error) error {
	return pgx.BeginFunc(ctx, p.inner, func(tx pgx.Tx) error { return fn(traced{tx, p.trace}) })
}

func PoolBug(ctx context.Context, p *Pool, from, to int) error {
	return p.InTx(ctx, func(r Runner) error {
		var n int
		if err := r.QueryRow(ctx, "SELECT n FROM a WHERE id = $1", from).Scan(&n); err != nil {
			return err
		}
		_, err := r.Exec(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, to)
		return err
	})
}

func PoolFix(ctx context.Context, p *Pool, from, to int) error {
	return p.InTx(ctx, func(r Runner) error {
		var n int
		if err := r.QueryRow(ctx, "SELECT n FROM a WHERE id = $1 FOR UPDATE", from).Scan(&n); err != nil {
			return err
		}
		_, err := r.Exec(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, to)
		return err
	})
}

// Transactor puts the transaction in the context.
type Transactor interface {
	Within(ctx context.Context, fn func(ctx context.Context) error) error
}

type txKey struct{}

func (p *Pool) Within(ctx context.Context, fn func(ctx context.Context) error) error {
	if _, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return fn(ctx)
	}
	tx, err := p.inner.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := fn(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// conn is the transaction of the context, or the pool.
func (p *Pool) conn(ctx context.Context) Runner {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return tx
	}
	return p.inner
}

type repo struct{ p *Pool }

func (r repo) read(ctx context.Context, id int, lock bool) (n int, err error) {
	q := "SELECT n FROM a WHERE id = $1"
	if lock {
		q += " FOR UPDATE"
	}
	err = r.p.conn(ctx).QueryRow(ctx, q, id).Scan(&n)
	return n, err
}

func (r repo) set(ctx context.Context, id, n int) error {
	_, err := r.p.conn(ctx).Exec(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, id)
	return err
}

// service does not know what its transactor is.
type service struct {
	tx   Transactor
	repo repo
}

func (s *service) ContextBug(ctx context.Context, from, to int) error {
	return s.tx.Within(ctx, func(ctx context.Context) error {
		n, err := s.repo.read(ctx, from, false)
		if err != nil {
			return err
		}
		return s.repo.set(ctx, to, n)
	})
}

func (s *service) ContextFix(ctx context.Context, from, to int) error {
	return s.tx.Within(ctx, func(ctx context.Context) error {
		n, err := s.repo.read(ctx, from, true)
		if err != nil {
			return err
		}
		return s.repo.set(ctx, to, n)
	})
}
