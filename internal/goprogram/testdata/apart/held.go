package apart

import (
	"context"
	"database/sql"
)

type sender interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type queries struct{ q sender }

func (q *queries) Balance(ctx context.Context, id int64) (n int, err error) {
	err = q.q.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n)
	return n, err
}

func (q *queries) SetBalance(ctx context.Context, n int, id int64) error {
	_, err := q.q.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n, id) // RB4001 balance
	return err
}

func (q *queries) AddBalance(ctx context.Context, n int, id int64) error {
	_, err := q.q.ExecContext(ctx, "UPDATE accounts SET balance = $1, note = '' WHERE id = $2", n, id)
	return err
}

type balances interface {
	AddBalance(ctx context.Context, n int, id int64) error
	Balance(ctx context.Context, id int64) (int, error)
	SetBalance(ctx context.Context, n int, id int64) error
}

// updater holds what sends the statements of a transaction.
type updater struct{ b balances }

func (s *Store) updating(ctx context.Context, body func(u *updater) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := body(&updater{&queries{tx}}); err != nil {
		return err
	}
	return tx.Commit()
}

// DepositHeld reads and writes in one transaction, though somebody else had the
// updater in between.
func (s *Store) DepositHeld(ctx context.Context, id int64, amount int, look func(u *updater)) error {
	return s.updating(ctx, func(u *updater) error {
		n, err := u.b.Balance(ctx, id)
		if err != nil {
			return err
		}
		look(u)
		return u.b.AddBalance(ctx, n+amount, id)
	})
}

// DepositAfter writes when the transaction has ended.
func (s *Store) DepositAfter(ctx context.Context, id int64, amount int, other balances) error {
	var n int
	err := s.updating(ctx, func(u *updater) (err error) {
		n, err = u.b.Balance(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	return other.SetBalance(ctx, n+amount, id)
}
