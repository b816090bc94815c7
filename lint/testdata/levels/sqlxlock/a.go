// want package:"transactions: 1"

// Package sqlxlock drops the errors of the rows that it locks.
package sqlxlock

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
	var seen []int64
	tx.SelectContext(waiting, &seen, "SELECT stock FROM item WHERE id = $1 FOR UPDATE", id)
	var one int64
	tx.GetContext(waiting, &one, "SELECT stock FROM item WHERE id = $1 FOR UPDATE", id)
	var stock int64
	if err := tx.GetContext(ctx, &stock, "SELECT stock FROM item WHERE id = $1", id); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
