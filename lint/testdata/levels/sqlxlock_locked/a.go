// want package:"transactions: 1"

// Package sqlxlock_locked ends where it cannot lock a row.
package sqlxlock_locked

import (
	"context"
	"github.com/jmoiron/sqlx"
	"time"
)

func restock(ctx context.Context, db *sqlx.DB, id, n int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var one int64
	if err := tx.GetContext(waiting, &one, "SELECT stock FROM item WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	var stock int64
	if err := tx.GetContext(ctx, &stock, "SELECT stock FROM item WHERE id = $1", id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
