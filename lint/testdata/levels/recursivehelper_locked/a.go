// want package:"transactions: 2"

// Package recursivehelper_locked counts the attempts in a helper.
package recursivehelper_locked

import (
	"context"
	"database/sql"
)

type attempt struct {
	options *sql.TxOptions
	locks   bool
	number  int
}

func (a *attempt) next() { a.number++ }

func restock(ctx context.Context, db *sql.DB, id, n int64, a *attempt) error {
	tx, err := db.BeginTx(ctx, a.options)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if a.locks {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
			return err
		}
	}
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	if err := tx.Commit(); err == nil {
		return nil
	}
	a.next()
	return restock(ctx, db, id, n, a)
}

func Restock(ctx context.Context, db *sql.DB, id, n int64) error {
	return restock(ctx, db, id, n, &attempt{locks: true})
}
