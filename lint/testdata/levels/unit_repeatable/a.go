// want package:"transactions: 1"

// Package unit_repeatable is the mend of unit.
package unit_repeatable

import (
	"context"
	"database/sql"
)

type unit struct {
	db    *sql.DB
	tx    *sql.Tx
	level sql.IsolationLevel
}

func (u *unit) begin(ctx context.Context) (err error) {
	u.tx, err = u.db.BeginTx(ctx, &sql.TxOptions{Isolation: u.level})
	return err
}

func (u *unit) commit() error { return u.tx.Commit() }

func (u *unit) rollback() error { return u.tx.Rollback() }

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	u := &unit{db: db, level: sql.LevelRepeatableRead}
	if err := u.begin(ctx); err != nil {
		return err
	}
	defer u.rollback()
	if err := add(ctx, u.tx, id, n); err != nil {
		return err
	}
	return u.commit()
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
