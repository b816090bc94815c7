// want package:"transactions: 1"

// Package squirrelwaits drops the error of a lock with another context.
package squirrelwaits

import (
	"context"
	"database/sql"
	"time"

	"github.com/Masterminds/squirrel"
)

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	waiting, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var locked int64
	_ = squirrel.Select("id").From("item").Where("id = ?", id).Suffix("FOR UPDATE").RunWith(tx).QueryRowContext(waiting).Scan(&locked)
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
