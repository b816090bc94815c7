// want package:"transactions: 1"

// Package reset gives the level back that its options ask for.
package reset

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "RESET transaction_isolation"); err != nil {
		return err
	}
	if err := add(ctx, tx, id, n); err != nil {
		return err
	}
	return tx.Commit()
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
