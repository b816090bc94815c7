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

// Short goes through lists whose elements are known: each round is written by itself.
func Short(db *sql.DB, a, b, limit int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	sent := 0
	for _, p := range []struct{ id, n int }{{a, 1}, {b, -1}, {a + b, 0}} {
		if p.id == limit {
			continue
		}
		if p.n > limit {
			break
		}
		if _, err := tx.Exec("UPDATE t SET n = n + $1 WHERE id = $2", p.n, p.id); err != nil {
			return err
		}
		sent++
	}
	if sent == 0 {
		return nil
	}
	return tx.Commit()
}

// Around has the transaction in such a loop: whichever round it is.
func Around(db *sql.DB, a, b int) error {
	for _, id := range []int{a, b} {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE t SET n = n + 1 WHERE id = $1", id); err != nil {
			tx.Rollback()
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// BeginInRound begins its transaction in a loop, and writes in the rounds behind that.
func (s *Service) BeginInRound(ctx context.Context, p int) error {
	var tx *sql.Tx
	for i := range 3 {
		if i > 0 {
			if _, err := tx.ExecContext(ctx, "INSERT INTO late (i, p) VALUES ($1, $2)", i, p); err != nil {
				return err
			}
		} else {
			var err error
			if tx, err = s.db.BeginTx(ctx, nil); err != nil {
				return err
			}
			defer tx.Rollback()
		}
	}
	return tx.Commit()
}
