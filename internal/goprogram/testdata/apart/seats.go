package apart

import (
	"context"
	"database/sql"
	"errors"
)

func (s *Store) taken(ctx context.Context, show int64, place int) (bool, error) {
	var id int64
	err := s.db.QueryRowContext(ctx, "SELECT id FROM seats WHERE show_id = $1 AND place = $2", show, place).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return true, err
}

// Reserve looks for the seat, and inserts it.
func (s *Store) Reserve(ctx context.Context, show int64, place int, name string) error {
	taken, err := s.taken(ctx, show, place)
	if err != nil {
		return err
	}
	if taken {
		return errors.New("taken")
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO seats (show_id, name, place) VALUES ($1, $2, $3)", show, name, place) // RB4003 -
	return err
}

// ReserveOnce leaves it to the statement whether the seat is taken.
func (s *Store) ReserveOnce(ctx context.Context, show int64, place int, name string) error {
	if taken, err := s.taken(ctx, show, place); err != nil || taken {
		return err
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO seats (show_id, name, place) SELECT $1, $2, $3
		WHERE NOT EXISTS (SELECT 1 FROM seats WHERE show_id = $1 AND place = $3)`, show, name, place)
	return err
}

// Append takes the place behind the last one.
func (s *Store) Append(ctx context.Context, show int64, name string) error {
	var last int
	if err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(place), 0) FROM seats WHERE show_id = $1", show).Scan(&last); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO seats (show_id, name, place) VALUES ($1, $2, $3)", show, name, last+1) // RB4003 place
	return err
}

// Register looks for the address, which is a key.
func (s *Store) Register(ctx context.Context, email string) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM users WHERE email = $1", email).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errors.New("known")
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO users (email, admin) VALUES ($1, false)", email)
	return err
}

// First makes the first user an administrator.
func (s *Store) First(ctx context.Context, email string) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM users WHERE admin").Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errors.New("there is one")
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO users (email, admin) VALUES ($1, true)", email) // RB4003 -
	return err
}

// Resign leaves one administrator.
func (s *Store) Resign(ctx context.Context, id int64) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM users WHERE admin").Scan(&n); err != nil {
		return err
	}
	if n < 2 {
		return errors.New("the last one")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE users SET admin = false WHERE id = $1", id) // RB4002 -
	return err
}

// Visit inserts something else than what it has read.
func (s *Store) Visit(ctx context.Context, email string, show int64) error {
	var id int64
	if err := s.db.QueryRowContext(ctx, "SELECT id FROM users WHERE email = $1", email).Scan(&id); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO seats (show_id, name, place) VALUES ($1, $2, 0)", show, email)
	return err
}
