// want package:"transactions: 1"

// Package optionskept has options in a package variable that a function changes.
package optionskept

import (
	"context"
	"database/sql"
)

var serial = &sql.TxOptions{Isolation: sql.LevelSerializable}

// Relax lowers the level.
func Relax() { serial.Isolation = sql.LevelDefault }

func begin(ctx context.Context, db *sql.DB, o *sql.TxOptions) (*sql.Tx, error) {
	return db.BeginTx(ctx, o)
}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := begin(ctx, db, serial)
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
