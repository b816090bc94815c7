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

// bodyRunner runs functions in transactions, in one of two ways.
type bodyRunner interface {
	run(ctx context.Context, body func(q sender) error) error
}

type shelfRunner struct{ *Shelf }

func (r shelfRunner) run(ctx context.Context, body func(q sender) error) error {
	return r.in(ctx, func(tx *sql.Tx) error { return body(tx) })
}

type nowhere struct{}

func (nowhere) run(context.Context, func(q sender) error) error { return nil }

// Library has a runner.
type Library struct{ r bodyRunner }

type desk struct{ q sender }

// Session runs what others give: they are not here, and may do anything.
func (l *Library) Session(ctx context.Context, f func(d desk) error) error {
	return l.r.run(ctx, func(q sender) error { return f(desk{q}) })
}

// Return has its statement in a function that another one captures.
func (l *Library) Return(ctx context.Context, id int) error {
	update := func(q sender) error {
		_, err := q.ExecContext(ctx, "UPDATE books SET lent = false WHERE id = $1", id)
		return err
	}
	return l.r.run(ctx, func(q sender) error { return update(q) })
}

// sessions may be a library or something else.
type sessions interface {
	Session(ctx context.Context, f func(d desk) error) error
}

type lost struct{ sessions }

// Any calls Session through an interface that many types implement.
func (l lost) Any(ctx context.Context, list []sessions, f func(d desk) error) error {
	return list[0].Session(ctx, f)
}

type noSessions struct{}
type fewSessions struct{}
type manySessions struct{}

func (noSessions) Session(context.Context, func(d desk) error) error   { return nil }
func (fewSessions) Session(context.Context, func(d desk) error) error  { return nil }
func (manySessions) Session(context.Context, func(d desk) error) error { return nil }

// Clear empties the shelf later.
func (s *Shelf) Clear(ctx context.Context, id int) {
	go s.in(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM books WHERE id > $1", id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE shelves SET n = 0 WHERE id = $1", id)
		return err
	})
}

// Note writes to the database, and in a goroutine that has its transaction.
func (s *Shelf) Note(ctx context.Context, id int) error {
	return s.in(ctx, func(tx *sql.Tx) error {
		go func() { _, _ = s.db.ExecContext(ctx, "UPDATE shelves SET noted = true WHERE id = $1", id) }()
		go func() { _, _ = tx.ExecContext(ctx, "UPDATE shelves SET n = 1 WHERE id = $1", id) }()
		return nil
	})
}
