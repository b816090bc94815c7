// want package:"transactions: 1"

// Package retried_repaired runs a closure again as long as the server says that it should,
// which it says in a wrapped error.
package retried_repaired

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errLimit = errors.New("one locker for each owner")

type hall struct{ pool *pgxpool.Pool }

func transient(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (h *hall) once(ctx context.Context, fn func(pgx.Tx) error) error {
	tx, err := h.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := fn(tx); err != nil {
		return fmt.Errorf("rolled back: %w", err)
	}
	return tx.Commit(ctx)
}

func (h *hall) run(ctx context.Context, fn func(pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := h.once(ctx, fn)
		if err == nil || attempt == 5 || !transient(err) {
			return err
		}
		time.Sleep(time.Duration(attempt) * 10 * time.Millisecond)
	}
}

func (h *hall) take(ctx context.Context, id int64, owner string) error {
	return h.run(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE owner SET lockers = lockers + 1 WHERE name = $1`, owner)
		if err != nil {
			return err
		}
		if tag.RowsAffected() != 1 {
			return pgx.ErrNoRows
		}
		var n int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM locker WHERE owner = $1`, owner).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return errLimit
		}
		tag, err = tx.Exec(ctx, `UPDATE locker SET owner = $1 WHERE id = $2 AND owner IS NULL`, owner, id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() != 1 {
			return pgx.ErrNoRows
		}
		return nil
	})
}
