// want package:"transactions: 1"

// Package awaited waits for the database, and begins at the level of the session then.
package awaited

import (
	"context"
	"database/sql"
	"time"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	o := &sql.TxOptions{Isolation: sql.LevelSerializable}
	for db.PingContext(ctx) != nil {
		time.Sleep(time.Second)
		o = nil
	}
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
