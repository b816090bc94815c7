// want package:"transactions: 1"

// Package dispatched calls rules through an interface: which ones, the caller says.
package dispatched

import (
	"context"
	"database/sql"
	"errors"
)

var errFull = errors.New("no bed")

type rule interface {
	check(ctx context.Context, tx *sql.Tx, room int64) error
}

type beds struct{}

func (beds) check(ctx context.Context, tx *sql.Tx, room int64) error {
	var all, used int64
	if err := tx.QueryRowContext(ctx, "SELECT beds FROM room WHERE id = $1", room).Scan(&all); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM guest WHERE room = $1", room).Scan(&used); err != nil { // want `write-skew .*: hotel.arrive -> hotel.arrive`
		return err
	}
	if used >= all {
		return errFull
	}
	return nil
}

type open struct{ reason string }

func (o *open) check(ctx context.Context, tx *sql.Tx, room int64) error {
	var closed bool
	if err := tx.QueryRowContext(ctx, "SELECT closed FROM room WHERE id = $1", room).Scan(&closed); err != nil {
		return err
	}
	if closed {
		return errors.New(o.reason)
	}
	return nil
}

type hotel struct{ db *sql.DB }

func (h *hotel) arrive(ctx context.Context, r rule, id, room int64, name string) error {
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := r.check(ctx, tx, room); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO guest (id, room, name) VALUES ($1, $2, $3)", id, room, name); err != nil {
		return err
	}
	return tx.Commit()
}
