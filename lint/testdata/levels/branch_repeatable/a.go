// want package:"transactions: 2"

// Package branch_repeatable is the mend of branch: both levels are high enough.
package branch_repeatable

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
		tx, err = db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	}
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
