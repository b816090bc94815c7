// want package:"transactions: 1"

// Package lockbackground locks with a context that ends before that of the transaction.
package lockbackground

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)")
	var stock int64
	if err := tx.QueryRowContext(context.Background(), "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(context.Background(), "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
