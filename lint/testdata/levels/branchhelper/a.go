// want package:"transactions: 3"

// Package branchhelper gets its transaction from a function that begins it at one of three levels.
package branchhelper

import (
	"context"
	"database/sql"
)

func begin(ctx context.Context, db *sql.DB, kind string) (*sql.Tx, error) {
	switch kind {
	case "strict":
		return db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	case "snapshot":
		return db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	}
	return db.BeginTx(ctx, nil)
}

func restock(ctx context.Context, db *sql.DB, id, n int64, kind string) error {
	tx, err := begin(ctx, db, kind)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `at READ COMMITTED \(restock#3\) and SERIALIZABLE \(restock\): restock#3 -> restock;.* the same read is part of .*restock#3 -> restock#3`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
