// want package:"transactions: 1"

// Package lockpanics_through is the mend of lockpanics.
package lockpanics_through

import (
	"context"
	"database/sql"
	"time"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func lock(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)")
	return err
}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	must(lock(waiting, tx))
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
