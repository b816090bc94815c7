// want package:"transactions: 1"

// Package lost_computed lets the database compute the new value.
package lost_computed

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = stock + $1 WHERE id = $2", n, id); err != nil {
		return err
	}
	return tx.Commit()
}
