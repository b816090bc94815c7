// want package:"transactions: 2"

// Package recursivevalue calls itself by a variable without the options that it got.
package recursivevalue

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64, o *sql.TxOptions) error {
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
	if err := tx.Commit(); err == nil {
		return nil
	}
	return again(ctx, db, id, n, nil)
}

var again func(ctx context.Context, db *sql.DB, id, n int64, o *sql.TxOptions) error

func init() { again = restock }

func Restock(ctx context.Context, db *sql.DB, id, n int64) error {
	return restock(ctx, db, id, n, &sql.TxOptions{Isolation: sql.LevelSerializable})
}
