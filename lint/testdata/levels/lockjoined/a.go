// want package:"transactions: 1"

// Package lockjoined drops what it has joined.
package lockjoined

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, failed := tx.ExecContext(waiting, "SELECT pg_advisory_xact_lock(1)")
	if err := errors.Join(err, failed); err != nil {
		log.Print(err)
	}
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
