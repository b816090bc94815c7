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
