package sql

import (
	"context"
	"database/sql"
)

// runner has two implementations: one with a database, and one without.
type runner[Q any] interface {
	Run(ctx context.Context, body func(Q) error) error
}

type onDatabase[Q any] struct {
	db   *sql.DB
	make func(*sql.Tx) Q
}

func (r *onDatabase[Q]) Run(ctx context.Context, body func(Q) error) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := body(r.make(tx)); err != nil {
		return err
	}
	return tx.Commit()
}

type inMemory[Q any] struct{ it Q }

func (r *inMemory[Q]) Run(_ context.Context, body func(Q) error) error { return body(r.it) }

type stockQueries interface {
	CountStock(ctx context.Context, id int) (int, error)
	SetStock(ctx context.Context, id, n int) error
}

type stockOf struct{ tx *sql.Tx }

func newStock(tx *sql.Tx) *stockOf { return &stockOf{tx} }

func (s *stockOf) CountStock(ctx context.Context, id int) (n int, err error) {
	err = s.tx.QueryRowContext(ctx, "SELECT n FROM stock WHERE id = $1", id).Scan(&n)
	return n, err
}

func (s *stockOf) SetStock(ctx context.Context, id, n int) error {
	_, err := s.tx.ExecContext(ctx, "UPDATE stock SET n = $1 WHERE id = $2", n, id)
	return err
}

type shelf struct{ r runner[stockQueries] }

// Take runs in a transaction, if the runner has a database.
func (s *shelf) Take(ctx context.Context, id int) error {
	return s.r.Run(ctx, func(q stockQueries) error {
		n, err := q.CountStock(ctx, id)
		if err != nil {
			return err
		}
		return q.SetStock(ctx, id, n-1)
	})
}
