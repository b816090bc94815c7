package apart

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Queue gives jobs to workers.
type Queue struct{ db *sql.DB }

// Next locks a job by a statement of its own: the lock ends with it.
func (q *Queue) Next(ctx context.Context) (id int64, err error) {
	if err := q.db.QueryRowContext(ctx, "SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&id); err != nil {
		return 0, err
	}
	_, err = q.db.ExecContext(ctx, "UPDATE jobs SET state = 'running' WHERE id = $1", id) // RB4002 state
	return id, err
}

// NextTogether has a transaction around both.
func (q *Queue) NextTogether(ctx context.Context) (id int64, err error) {
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&id); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE jobs SET state = 'running' WHERE id = $1", id); err != nil {
		return 0, err
	}
	return id, tx.Commit()
}

// Name gives a seat the first name that is not taken.
func Name(ctx context.Context, db *sql.DB, base string) error {
	name := base
	for i := 2; i < 20; i++ {
		var x int
		err := db.QueryRowContext(ctx, "SELECT 1 FROM seats WHERE name = $1", name).Scan(&x)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
	_, err := db.ExecContext(ctx, "INSERT INTO seats (show_id, name, place) VALUES (1, $1, 1)", name) // RB4003 -
	return err
}

// Register gives a user the first address that is not taken, of which there is a key.
func Register(ctx context.Context, db *sql.DB, base string) error {
	email := base
	for i := 2; i < 20; i++ {
		var x int
		err := db.QueryRowContext(ctx, "SELECT 1 FROM users WHERE email = $1", email).Scan(&x)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		email = fmt.Sprintf("%s-%d", base, i)
	}
	_, err := db.ExecContext(ctx, "INSERT INTO users (email, admin) VALUES ($1, false)", email)
	return err
}
