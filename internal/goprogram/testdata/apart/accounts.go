// Package apart has writes that rest on what another transaction has read, and
// each of them repaired. A comment with a code is at the place of each note that is
// expected.
package apart

import (
	"context"
	"database/sql"
	"errors"
)

type Store struct{ db *sql.DB }

func (s *Store) balance(ctx context.Context, id int64) (n int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n)
	return n, err
}

// Deposit reads, computes and updates by statements of their own.
func (s *Store) Deposit(ctx context.Context, id int64, amount int) error {
	n, err := s.balance(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id) // RB4001 balance
	return err
}

// DepositInSQL lets the statement compute.
func (s *Store) DepositInSQL(ctx context.Context, id int64, amount int) error {
	if _, err := s.balance(ctx, id); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = balance + $1 WHERE id = $2", amount, id)
	return err
}

// DepositOther writes another row than the one that it has read.
func (s *Store) DepositOther(ctx context.Context, from, id int64) error {
	n, err := s.balance(ctx, from)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n, id)
	return err
}

// DepositGuarded compares what it has read.
func (s *Store) DepositGuarded(ctx context.Context, id int64, amount int) error {
	n, err := s.balance(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2 AND balance = $3", n+amount, id, n)
	return err
}

// DepositVersioned compares a version.
func (s *Store) DepositVersioned(ctx context.Context, id int64, amount int) error {
	var n, version int
	if err := s.db.QueryRowContext(ctx, "SELECT balance, version FROM accounts WHERE id = $1", id).Scan(&n, &version); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "UPDATE accounts SET balance = $1, version = version + 1 WHERE id = $2 AND version = $3", n+amount, id, version)
	return err
}

// DepositTogether does all of it in one transaction.
func (s *Store) DepositTogether(ctx context.Context, id int64, amount int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Withdraw reads in one transaction and writes in another one.
func (s *Store) Withdraw(ctx context.Context, id int64, amount int) error {
	var n int
	err := s.in(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n)
	})
	if err != nil {
		return err
	}
	if n < amount {
		return errors.New("not enough")
	}
	return s.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id) // RB4002 balance
		return err
	})
}

// WithdrawAgain looks again in the second transaction.
func (s *Store) WithdrawAgain(ctx context.Context, id int64, amount int) error {
	n, err := s.balance(ctx, id)
	if err != nil || n < amount {
		return err
	}
	return s.in(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&n); err != nil {
			return err
		}
		if n < amount {
			return errors.New("not enough")
		}
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, id)
		return err
	})
}

// WithdrawIf has the condition in the statement.
func (s *Store) WithdrawIf(ctx context.Context, id int64, amount int) error {
	n, err := s.balance(ctx, id)
	if err != nil || n < amount {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE accounts SET balance = balance - $1 WHERE id = $2 AND balance >= $1", amount, id)
	return err
}

// Note asks who owns the account, which never changes.
func (s *Store) Note(ctx context.Context, id int64, who, text string) error {
	var owner string
	if err := s.db.QueryRowContext(ctx, "SELECT owner FROM accounts WHERE id = $1", id).Scan(&owner); err != nil {
		return err
	}
	if owner != who {
		return errors.New("not yours")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE accounts SET note = $1 WHERE id = $2", text, id)
	return err
}

// Locked takes a lock of the session around all of it.
func (s *Store) Locked(ctx context.Context, id int64, amount int) error {
	if _, err := s.db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil {
		return err
	}
	return s.Deposit(ctx, id, amount)
}

// in runs a function in a transaction.
func (s *Store) in(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

// DepositOnConnection has the transaction on the connection that the statements go to.
func DepositOnConnection(ctx context.Context, conn *sql.Conn, id int64, amount int) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := conn.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id); err != nil {
		return err
	}
	return tx.Commit()
}

// DepositBare has no transaction on the connection.
func DepositBare(ctx context.Context, conn *sql.Conn, id int64, amount int) error {
	var n int
	if err := conn.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2", n+amount, id) // RB4001 balance
	return err
}

type prepared struct {
	conn          *sql.Conn
	read, deposit *sql.Stmt
}

func newPrepared(ctx context.Context, conn *sql.Conn) (*prepared, error) {
	read, err := conn.PrepareContext(ctx, "SELECT balance FROM accounts WHERE id = $1")
	if err != nil {
		return nil, err
	}
	deposit, err := conn.PrepareContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = $2")
	if err != nil {
		return nil, err
	}
	return &prepared{conn, read, deposit}, nil
}

// Deposit sends prepared statements while their connection has a transaction.
func (p *prepared) Deposit(ctx context.Context, id int64, amount int) error {
	tx, err := p.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := p.read.QueryRowContext(ctx, id).Scan(&n); err != nil {
		return err
	}
	if _, err := p.deposit.ExecContext(ctx, n+amount, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Forget reads a note that may be NULL, which its variable cannot be, and removes the account whatever it is.
func (s *Store) Forget(ctx context.Context, id int64) (string, error) {
	var note string
	if err := s.db.QueryRowContext(ctx, "SELECT note FROM accounts WHERE id = $1", id).Scan(&note); err != nil {
		return "", err
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM accounts WHERE id = $1", id)
	return note, err
}

// ForgetBlank removes the account if its note is blank.
func (s *Store) ForgetBlank(ctx context.Context, id int64) error {
	var note string
	if err := s.db.QueryRowContext(ctx, "SELECT note FROM accounts WHERE id = $1", id).Scan(&note); err != nil || note != "" {
		return err
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM accounts WHERE id = $1", id) // RB4002 note
	return err
}
