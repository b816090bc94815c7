// want package:"transactions: 2"

// Package beginner begins its transaction by one of two functions.
package beginner

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64, strict bool) error {
	begin := func() (*sql.Tx, error) { return db.BeginTx(ctx, nil) }
	if strict {
		begin = func() (*sql.Tx, error) {
			return db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		}
	}
	tx, err := begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := add(ctx, tx, id, n); err != nil {
		return err
	}
	return tx.Commit()
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `at READ COMMITTED \(restock#2\) and SERIALIZABLE \(restock\): restock#2 -> restock;.* the same read is part of .*restock#2 -> restock#2`
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
