// want package:"transactions: 1"

// Package lockpanics panics after an error of its lock, and goes on after the panic.
package lockpanics

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

func attempt(f func()) {
	defer func() { _ = recover() }()
	f()
}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	attempt(func() { must(lock(waiting, tx)) })
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
