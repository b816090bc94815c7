// want package:"transactions: 1"

// Package lockmust_through does not recover from the panic of its lock.
package lockmust_through

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

func lock(ctx context.Context, tx *sqlx.Tx) {
	tx.MustExecContext(ctx, "SELECT pg_advisory_xact_lock(1)")
}

func restock(ctx context.Context, db *sqlx.DB, id, n int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	lock(waiting, tx)
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
