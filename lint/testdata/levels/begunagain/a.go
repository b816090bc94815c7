// want package:"transactions: 2"

// Package begunagain begins at the level of the session where it cannot begin at another.
package begunagain

import (
	"context"
	"database/sql"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		if tx, err = db.BeginTx(ctx, nil); err != nil {
			return err
		}
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED .restock#2. and SERIALIZABLE .restock.: restock#2 -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
