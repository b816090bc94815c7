package sql

import (
	"context"
	"database/sql"
	"iter"
)

// Shelf runs functions in transactions.
type Shelf struct {
	db    *sql.DB
	tasks []func(context.Context) error
}

func (s *Shelf) in(ctx context.Context, body func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := body(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Books gives a function that begins the transactions: nobody calls it here.
func (s *Shelf) Books(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		var n int
		err := s.in(ctx, func(tx *sql.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT count(*) FROM books").Scan(&n)
		})
		if err == nil {
			yield(n)
		}
	}
}

// Plan keeps such a function.
func (s *Shelf) Plan(id int) {
	s.tasks = append(s.tasks, func(ctx context.Context) error {
		return s.in(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM books WHERE id = $1", id)
			return err
		})
	})
}

func (s *Shelf) later(id int) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.in(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE books SET lent = true WHERE id = $1", id)
			return err
		})
	}
}

// Lend calls such a function itself.
func (s *Shelf) Lend(ctx context.Context, id int) error { return s.later(id)(ctx) }
