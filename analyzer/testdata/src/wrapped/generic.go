package main

import (
	"context"
	"database/sql"
)

// WithTx runs a function in a transaction, and gives its result.
func WithTx[T any](ctx context.Context, db *sql.DB, fn func(ctx context.Context, tx *sql.Tx) (T, error)) (out T, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return out, err
	}
	defer tx.Rollback()
	if out, err = fn(ctx, tx); err != nil {
		return out, err
	}
	return out, tx.Commit()
}

func GenericBug(ctx context.Context, db *sql.DB, from, to int) (int, error) {
	return WithTx(ctx, db, func(ctx context.Context, tx *sql.Tx) (int, error) {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM a WHERE id = $1", from).Scan(&n); err != nil {
			return 0, err
		}
		_, err := tx.ExecContext(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, to)
		return n, err
	})
}

func GenericFix(ctx context.Context, db *sql.DB, from, to int) (int, error) {
	return WithTx(ctx, db, func(ctx context.Context, tx *sql.Tx) (int, error) {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM a WHERE id = $1 FOR UPDATE", from).Scan(&n); err != nil {
			return 0, err
		}
		_, err := tx.ExecContext(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, to)
		return n, err
	})
}

// query is an executor: a text, and what to do with the row.
type query[A, R any] struct {
	text string
	args func(A) []any
	scan func(row *sql.Row) (R, error)
}

func (q query[A, R]) one(ctx context.Context, db DBTX, a A) (R, error) {
	return q.scan(db.QueryRowContext(ctx, q.text, q.args(a)...))
}

// command is one without a row.
type command[A any] struct {
	text string
	args func(A) []any
}

func (c command[A]) run(ctx context.Context, db DBTX, a A) error {
	_, err := db.ExecContext(ctx, c.text, c.args(a)...)
	return err
}

type change struct{ id, n int }

// table has the executors of a table.
var table = struct {
	read, locked query[int, int]
	set          command[change]
}{
	read:   query[int, int]{"SELECT n FROM a WHERE id = $1", one[int], number},
	locked: query[int, int]{"SELECT n FROM a WHERE id = $1 FOR UPDATE", one[int], number},
	set:    command[change]{"UPDATE a SET n = $1 WHERE id = $2", func(c change) []any { return []any{c.n, c.id} }},
}

func one[A any](a A) []any { return []any{a} }

func number(row *sql.Row) (n int, err error) {
	err = row.Scan(&n)
	return n, err
}

func ExecutorBug(ctx context.Context, db *sql.DB, from, to int) error {
	return inTx(ctx, db, func(q DBTX) error {
		n, err := table.read.one(ctx, q, from)
		if err != nil {
			return err
		}
		return table.set.run(ctx, q, change{to, n})
	})
}

func ExecutorFix(ctx context.Context, db *sql.DB, from, to int) error {
	return inTx(ctx, db, func(q DBTX) error {
		n, err := table.locked.one(ctx, q, from)
		if err != nil {
			return err
		}
		return table.set.run(ctx, q, change{to, n})
	})
}

// createQuery is a factory of statements.
func createQuery(kind string, lock bool) *stmt {
	switch kind {
	case "read":
		s := &stmt{text: "SELECT n FROM a WHERE id = $1"}
		if lock {
			s.text += " FOR UPDATE"
		}
		return s
	case "set":
		return &stmt{text: "UPDATE a SET n = $1 WHERE id = $2"}
	}
	panic("no such statement: " + kind)
}

type stmt struct {
	text string
	args []any
}

func (s *stmt) With(args ...any) *stmt {
	s.args = append(s.args, args...)
	return s
}

func (s *stmt) Row(tx *sql.Tx) *sql.Row { return tx.QueryRow(s.text, s.args...) }

func (s *stmt) Run(tx *sql.Tx) error {
	_, err := tx.Exec(s.text, s.args...)
	return err
}

func FactoryBug(ctx context.Context, db *sql.DB, from, to int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := createQuery("read", false).With(from).Row(tx).Scan(&n); err != nil {
		return err
	}
	if err := createQuery("set", false).With(n, to).Run(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func FactoryFix(ctx context.Context, db *sql.DB, from, to int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := createQuery("read", true).With(from).Row(tx).Scan(&n); err != nil {
		return err
	}
	if err := createQuery("set", false).With(n, to).Run(tx); err != nil {
		return err
	}
	return tx.Commit()
}
