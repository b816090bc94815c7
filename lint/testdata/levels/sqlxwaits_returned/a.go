// want package:"transactions: 1"

// Package sqlxwaits_returned is the mend of sqlxwaits.
package sqlxwaits_returned

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

func restock(ctx context.Context, db *sqlx.DB, id, n int64) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var locked []int64
	if err := tx.SelectContext(waiting, &locked, "SELECT id FROM item WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
