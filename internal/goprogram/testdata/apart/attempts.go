package apart

import (
	"context"
	"database/sql"
	"errors"

	"example.com/backoff"
)

// DepositRemembered writes in a later attempt what an earlier one has read.
func (s *Store) DepositRemembered(ctx context.Context, id int64, amount int) error {
	var n int
	read := false
	for range 3 {
		err := func() error {
			tx, err := s.db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if !read {
				if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
					return err
				}
				read = true
			}
			if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id); err != nil { // RB4001 balance
				return err
			}
			return tx.Commit()
		}()
		if err == nil {
			return nil
		}
	}
	return errors.New("too many attempts")
}

// DepositReadAgain reads in every attempt.
func (s *Store) DepositReadAgain(ctx context.Context, id int64, amount int) error {
	var n int
	for range 3 {
		err := func() error {
			tx, err := s.db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id); err != nil {
				return err
			}
			return tx.Commit()
		}()
		if err == nil {
			return nil
		}
	}
	return errors.New("too many attempts")
}

func (s *Store) retry(ctx context.Context, f func(tx *sql.Tx) error) error {
	for {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err = f(tx); err == nil {
			err = tx.Commit()
		}
		tx.Rollback()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// DepositKept keeps the row in a variable around the function that is tried.
func (s *Store) DepositKept(ctx context.Context, id int64, amount int) error {
	var row struct {
		balance int
		read    bool
	}
	return s.retry(ctx, func(tx *sql.Tx) error {
		if !row.read {
			var n int
			if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
				return err
			}
			row.balance, row.read = n, true
		}
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", row.balance+amount, id) // RB4001 balance
		return err
	})
}

// DepositFresh has a row of its own in each attempt.
func (s *Store) DepositFresh(ctx context.Context, id int64, amount int) error {
	return s.retry(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id)
		return err
	})
}

// DepositBackoff is tried by a library.
func (s *Store) DepositBackoff(ctx context.Context, id int64, amount int) error {
	n := -1
	return backoff.Retry(func() error {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if n < 0 {
			if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id); err != nil { // RB4001 balance
			return err
		}
		return tx.Commit()
	})
}

// DepositBackoffAgain reads in every attempt of the library.
func (s *Store) DepositBackoffAgain(ctx context.Context, id int64, amount int) error {
	n := -1
	return backoff.Retry(func() error {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// Inherit gives each account what the one before had, in transactions of their own.
func (s *Store) Inherit(ctx context.Context, ids []int64) error {
	var n int
	for _, id := range ids {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n, id); err != nil {
			tx.Rollback()
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
			tx.Rollback()
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}
