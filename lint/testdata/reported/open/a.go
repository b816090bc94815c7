// want package:"transactions: 1"

// Package open sends a text of which nothing is known.
package open

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, text string, id, n int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, text, id).Scan(&stock); err != nil { // want `undecided: restock: a statement of which a part is not known`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
