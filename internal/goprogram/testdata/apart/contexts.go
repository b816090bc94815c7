package apart

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"

	"example.com/manager"
)

// DBTX is a database or a transaction.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type txKey struct{}

// Bank keeps the transaction in a context.
type Bank struct{ db *sql.DB }

// do calls a function in a transaction, that of the context if there is one.
func (b *Bank) do(ctx context.Context, f func(ctx context.Context) error) error {
	if ctx.Value(txKey{}) != nil {
		return f(ctx)
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return err
	}
	return tx.Commit()
}

// of gives the transaction of the context, or else the database.
func (b *Bank) of(ctx context.Context) DBTX {
	if tx, ok := ctx.Value(txKey{}).(*sql.Tx); ok {
		return tx
	}
	return b.db
}

func (b *Bank) get(ctx context.Context, id int64) (n int, err error) {
	err = b.of(ctx).QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n)
	return n, err
}

func (b *Bank) set(ctx context.Context, id int64, n int) error {
	_, err := b.of(ctx).ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n, id) // RB4001 balance
	return err
}

// WithdrawOuter reads with the context that has no transaction.
func (b *Bank) WithdrawOuter(ctx context.Context, id int64) error {
	return b.do(ctx, func(tx context.Context) error {
		n, err := b.get(ctx, id)
		if err != nil {
			return err
		}
		return b.set(tx, id, n-1)
	})
}

// setInner is set for the functions that are right.
func (b *Bank) setInner(ctx context.Context, id int64, n int) error {
	_, err := b.of(ctx).ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n, id)
	return err
}

// Withdraw does both with the context that has it.
func (b *Bank) Withdraw(ctx context.Context, id int64) error {
	return b.do(ctx, func(ctx context.Context) error {
		n, err := b.get(ctx, id)
		if err != nil {
			return err
		}
		return b.setInner(ctx, id, n-1)
	})
}

// Exchange calls functions that begin a transaction, or find one.
func (b *Bank) Exchange(ctx context.Context, id, to int64) error {
	return b.do(ctx, func(ctx context.Context) error {
		return errors.Join(b.Withdraw(ctx, id), b.Withdraw(ctx, to))
	})
}

func (b *Bank) setAlone(ctx context.Context, id int64, n int) error {
	_, err := b.of(ctx).ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n, id) // RB4001 balance
	return err
}

// WithdrawAlone has no transaction, neither has its caller.
func (b *Bank) WithdrawAlone(ctx context.Context, id int64) error {
	n, err := b.get(ctx, id)
	if err != nil {
		return err
	}
	return b.setAlone(ctx, id, n-1)
}

// Managed has a manager whose code is not read.
type Managed struct {
	m  *manager.Manager
	db *sql.DB
}

func (m *Managed) get(ctx context.Context, id int64) (n int, err error) {
	err = manager.Of(ctx, m.db).QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n)
	return n, err
}

// Withdraw may be in one transaction.
func (m *Managed) Withdraw(ctx context.Context, id int64) error {
	return m.m.Do(ctx, func(ctx context.Context) error {
		n, err := m.get(ctx, id)
		if err != nil {
			return err
		}
		_, err = manager.Of(ctx, m.db).ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id)
		return err
	})
}

// WithdrawOuter reads with the context that the manager did not give.
func (m *Managed) WithdrawOuter(ctx context.Context, id int64) error {
	return m.m.Do(ctx, func(tx context.Context) error {
		n, err := m.get(ctx, id)
		if err != nil {
			return err
		}
		_, err = manager.Of(tx, m.db).ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id) // RB4001 balance
		return err
	})
}

// WithdrawTwice reads in one call of the manager, and writes in the next.
func (m *Managed) WithdrawTwice(ctx context.Context, id int64) error {
	var n int
	if err := m.m.Do(ctx, func(ctx context.Context) (err error) {
		n, err = m.get(ctx, id)
		return err
	}); err != nil {
		return err
	}
	return m.m.Do(ctx, func(ctx context.Context) error {
		_, err := manager.Of(ctx, m.db).ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id) // RB4001 balance
		return err
	})
}

type requestKey struct{}

// within is a middleware that puts a transaction into the context of a request.
func (b *Bank) within(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tx, err := b.db.BeginTx(r.Context(), nil)
		if err != nil {
			return
		}
		defer tx.Rollback()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, tx)))
		_ = tx.Commit()
	})
}

func (b *Bank) ofRequest(ctx context.Context) DBTX {
	if tx, ok := ctx.Value(requestKey{}).(*sql.Tx); ok {
		return tx
	}
	return b.db
}

func (b *Bank) handle(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	var n int
	if err := b.ofRequest(r.Context()).QueryRowContext(r.Context(), "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
		return
	}
	_, _ = b.ofRequest(r.Context()).ExecContext(r.Context(), "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id)
}

// Handler is in the transaction of the middleware.
func (b *Bank) Handler() http.Handler { return b.within(http.HandlerFunc(b.handle)) }

// Bare has no middleware that begins a transaction.
func (b *Bank) Bare(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	n, err := b.get(r.Context(), id)
	if err != nil {
		return
	}
	_, _ = b.of(r.Context()).ExecContext(r.Context(), "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id) // RB4001 balance
}

// Opened has a transaction on the database that it opens, and reads outside of it.
func Opened(ctx context.Context, id int64) error {
	db, err := sql.Open("postgres", "")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id); err != nil { // RB4001 balance
		return err
	}
	return tx.Commit()
}

// OpenedTogether reads in it.
func OpenedTogether(ctx context.Context, id int64) error {
	db, err := sql.Open("postgres", "")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n-1, id); err != nil {
		return err
	}
	return tx.Commit()
}
