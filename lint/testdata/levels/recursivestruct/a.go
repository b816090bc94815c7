// want package:"transactions: 2"

// Package recursivestruct calls itself with other options in a struct.
package recursivestruct

import (
	"context"
	"database/sql"
)

type attempt struct {
	options sql.TxOptions
	left    int
}

func restock(ctx context.Context, db *sql.DB, id, n int64, a attempt) error {
	tx, err := db.BeginTx(ctx, &a.options)
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
	a.left--
	a.options.Isolation = sql.LevelDefault
	return restock(ctx, db, id, n, a)
}

func Restock(ctx context.Context, db *sql.DB, id, n int64) error {
	return restock(ctx, db, id, n, attempt{options: sql.TxOptions{Isolation: sql.LevelSerializable}, left: 3})
}
