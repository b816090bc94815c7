// want package:"transactions: 2"

// Package branch begins a transaction at one of two levels, and has one body for both.
package branch

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64, strict bool) error {
	var tx *sql.Tx
	var err error
	if strict {
		tx, err = db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	} else {
		tx, err = db.BeginTx(ctx, nil)
	}
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED \(restock#2\) and SERIALIZABLE \(restock\): restock#2 -> restock;.* the same read is part of .*restock#2 -> restock#2`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
