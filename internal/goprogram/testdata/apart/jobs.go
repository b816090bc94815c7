package apart

import (
	"context"
	"database/sql"
	"errors"
)

// Claim takes a job that waits.
func (s *Store) Claim(ctx context.Context, worker string) (id int64, err error) {
	if err := s.db.QueryRowContext(ctx, "SELECT id FROM jobs WHERE state = 'waiting' LIMIT 1").Scan(&id); err != nil {
		return 0, err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE jobs SET state = 'running', worker = $1 WHERE id = $2", worker, id) // RB4002 state
	return id, err
}

// ClaimWaiting looks again at the state.
func (s *Store) ClaimWaiting(ctx context.Context, worker string) (id int64, err error) {
	if err := s.db.QueryRowContext(ctx, "SELECT id FROM jobs WHERE state = 'waiting' LIMIT 1").Scan(&id); err != nil {
		return 0, err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE jobs SET state = 'running', worker = $1 WHERE id = $2 AND state = 'waiting'", worker, id)
	return id, err
}

// Cancel deletes a job that does not run.
func (s *Store) Cancel(ctx context.Context, id int64) error {
	var state string
	if err := s.db.QueryRowContext(ctx, "SELECT state FROM jobs WHERE id = $1", id).Scan(&state); err != nil {
		return err
	}
	if state == "running" {
		return errors.New("it runs")
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM jobs WHERE id = $1", id) // RB4002 state
	return err
}

// CancelIdle has the condition in the statement.
func (s *Store) CancelIdle(ctx context.Context, id int64) error {
	var state string
	if err := s.db.QueryRowContext(ctx, "SELECT state FROM jobs WHERE id = $1", id).Scan(&state); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM jobs WHERE id = $1 AND state <> 'running'", id)
	return err
}

// Drop takes a job away that is there: the statement finds it or not.
func (s *Store) Drop(ctx context.Context, id int64) error {
	var there bool
	if err := s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM jobs WHERE id = $1)", id).Scan(&there); err != nil || !there {
		return err
	}
	_, err := s.db.ExecContext(ctx, "DELETE FROM jobs WHERE id = $1", id)
	return err
}

// Sweep goes through jobs, and writes each of them by itself.
func (s *Store) Sweep(ctx context.Context) error {
	rows, err := s.db.QueryContext(ctx, "SELECT id, worker FROM jobs WHERE state = 'running'")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var worker sql.NullString
		if err := rows.Scan(&id, &worker); err != nil {
			return err
		}
		if worker.Valid {
			continue
		}
		if _, err := s.db.ExecContext(ctx, "UPDATE jobs SET state = 'waiting' WHERE id = $1", id); err != nil { // RB4002 state
			return err
		}
	}
	return rows.Err()
}

// Start inserts a job unless the worker has one that runs; a partial key says so, too.
func (s *Store) Start(ctx context.Context, id int64, worker string) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM jobs WHERE worker = $1 AND state = 'running'", worker).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errors.New("busy")
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO jobs (id, state, worker) VALUES ($1, 'running', $2)", id, worker)
	return err
}
