// Package sql sends statements through database/sql alone.
package sql

import (
	"context"
	"database/sql"
)

type settings struct {
	limit *int
	label string
}

type Service struct {
	db   *sql.DB
	opts *settings
}

// Raise reads a field of what it is given in a loop only, whose rounds are
// interpreted several times.
func (s *Service) Raise(ctx context.Context, ids []int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	sum, last := 0, 0
	for _, id := range ids {
		if s.opts.label != "" {
			sum++
		}
		if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&last); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE items SET n = n + $1, last = $2 WHERE id = $3", sum, last, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Fill leaves a loop over rows early, and goes on with what it got from them and from
// a statement before.
func (s *Service) Fill(ctx context.Context, want int) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id, n, note FROM items ORDER BY id")
	if err != nil {
		return err
	}
	var id, n int
	var note sql.NullString
	for rows.Next() {
		if err := rows.Scan(&id, &n, &note); err != nil {
			return err
		}
		if n > want {
			break
		}
	}
	rows.Close()
	if _, err := tx.ExecContext(ctx, "UPDATE items SET n = $1, note = $2 WHERE id = $3", min(n, want), note.String, id); err != nil {
		return err
	}
	return tx.Commit()
}
