package sql

import (
	"context"
	"database/sql"
	"errors"
	"log"
)

// Claim goes on where the name is taken: the transaction may do anything.
func (s *Shelf) Claim(ctx context.Context, name string) error {
	return s.with(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT claim"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO names (name) VALUES ($1)", name); err != nil {
			if _, err := tx.ExecContext(ctx, "ROLLBACK TO claim"); err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "UPDATE names SET used = used + 1 WHERE name = $1", name)
			return err
		}
		return nil
	})
}

// ClaimOnce ends with the error.
func (s *Shelf) ClaimOnce(ctx context.Context, name string) error {
	return s.with(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT claim"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO names (name) VALUES ($1)", name); err != nil {
			log.Println(err)
			return errors.Join(errors.New("claim"), err)
		}
		return nil
	})
}

// ClaimQuietly does not look at the error.
func (s *Shelf) ClaimQuietly(ctx context.Context, name string) error {
	return s.with(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT claim"); err != nil {
			return err
		}
		s.insert(ctx, tx, name)
		_, err := tx.ExecContext(ctx, "ROLLBACK TO claim")
		return err
	})
}

// ClaimNamed passes the error on in a result with a name.
func (s *Shelf) ClaimNamed(ctx context.Context, name string) (err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
			return
		}
		err = tx.Commit()
	}()
	if _, err = tx.ExecContext(ctx, "SAVEPOINT claim"); err != nil {
		return err
	}
	return s.insert(ctx, tx, name)
}

func (s *Shelf) insert(ctx context.Context, tx *sql.Tx, name string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO names (name) VALUES ($1)", name)
	return err
}

func (s *Shelf) with(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// ClaimLogged writes the error into a log, and goes on.
func (s *Shelf) ClaimLogged(ctx context.Context, name string) error {
	return s.with(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT claim"); err != nil {
			return err
		}
		err := s.insert(ctx, tx, name)
		log.Println("claim:", err)
		_, err = tx.ExecContext(ctx, "RELEASE claim")
		return err
	})
}
