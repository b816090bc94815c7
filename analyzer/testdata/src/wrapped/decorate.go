package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// DBTX is what statements are sent through: a database, a transaction, or a decorator.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// measured is a decorator.
type measured struct {
	next  DBTX
	count map[string]int
}

func (m measured) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	m.count["exec"]++
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return m.next.ExecContext(ctx, query, args...)
}

func (m measured) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	m.count["row"]++
	return m.next.QueryRowContext(ctx, query, args...)
}

// retried is another one around it.
type retried struct {
	DBTX
	times int
}

func (r *retried) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := r.DBTX.ExecContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("after %d: %w", r.times, err)
	}
	return res, nil
}

// accounts is a repository on any of them.
type accounts struct{ q DBTX }

func (a accounts) read(ctx context.Context, id int, lock string) (n int, err error) {
	err = a.q.QueryRowContext(ctx, "SELECT n FROM a WHERE id = $1"+lock, id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

func (a accounts) set(ctx context.Context, id, n int) error {
	res, err := a.q.ExecContext(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, id)
	if err != nil {
		return err
	}
	if k, _ := res.RowsAffected(); k == 0 {
		return sql.ErrNoRows
	}
	return nil
}

// inTx runs a function in a transaction, with decorators.
func inTx(ctx context.Context, db *sql.DB, fn func(q DBTX) error) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			tx.Rollback()
			panic(p)
		}
		if err != nil {
			err = errors.Join(err, tx.Rollback())
			return
		}
		err = tx.Commit()
	}()
	return fn(&retried{DBTX: measured{tx, map[string]int{}}, times: 3})
}

func DecoratedBug(ctx context.Context, db *sql.DB, from, to int) error {
	return inTx(ctx, db, func(q DBTX) error {
		repo := accounts{q}
		n, err := repo.read(ctx, from, "")
		if err != nil {
			return err
		}
		return repo.set(ctx, to, n)
	})
}

func DecoratedFix(ctx context.Context, db *sql.DB, from, to int) error {
	return inTx(ctx, db, func(q DBTX) error {
		repo := accounts{q}
		n, err := repo.read(ctx, from, " FOR UPDATE")
		if err != nil {
			return err
		}
		return repo.set(ctx, to, n)
	})
}

// scope is a unit of work: repositories that share a transaction.
type scope struct {
	tx       *sql.Tx
	accounts *accounts
	done     bool
}

func newScope(ctx context.Context, db *sql.DB) (*scope, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return nil, err
	}
	return &scope{tx: tx}, nil
}

func (s *scope) Accounts() *accounts {
	if s.accounts == nil {
		s.accounts = &accounts{q: s.tx}
	}
	return s.accounts
}

func (s *scope) Complete() error {
	s.done = true
	return s.tx.Commit()
}

func (s *scope) Close() {
	if !s.done {
		s.tx.Rollback()
	}
}

func UnitBug(ctx context.Context, db *sql.DB, from, to int) error {
	u, err := newScope(ctx, db)
	if err != nil {
		return err
	}
	defer u.Close()
	n, err := u.Accounts().read(ctx, from, "")
	if err != nil {
		return err
	}
	if err := u.Accounts().set(ctx, to, n); err != nil {
		return err
	}
	return u.Complete()
}

func UnitFix(ctx context.Context, db *sql.DB, from, to int) error {
	u, err := newScope(ctx, db)
	if err != nil {
		return err
	}
	defer u.Close()
	n, err := u.Accounts().read(ctx, from, " FOR UPDATE")
	if err != nil {
		return err
	}
	if err := u.Accounts().set(ctx, to, n); err != nil {
		return err
	}
	return u.Complete()
}
