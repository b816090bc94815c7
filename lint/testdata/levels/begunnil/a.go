// want package:"transactions: 2"

// Package begunnil looks at the transaction to see that it did not begin.
package begunnil

import (
	"context"
	"database/sql"
	"errors"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, _ := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if tx == nil {
		tx, _ = db.BeginTx(ctx, nil)
	}
	if tx == nil {
		return errors.New("no transaction")
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
