// want package:"transactions: 1"

// Package optionsapplied_repeatable sets the level by values with a method.
package optionsapplied_repeatable

import (
	"context"
	"database/sql"
)

type config struct{ level sql.IsolationLevel }

type option interface{ apply(*config) }

type at sql.IsolationLevel

func (l at) apply(c *config) { c.level = sql.IsolationLevel(l) }

type quietly struct{}

func (quietly) apply(*config) {}

func inTx(ctx context.Context, db *sql.DB, change func(*sql.Tx) error, opts ...option) error {
	var c config
	for i := 0; i < len(opts); i++ {
		opts[i].apply(&c)
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: c.level})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := change(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	return inTx(ctx, db, func(tx *sql.Tx) error { return add(ctx, tx, id, n) }, at(sql.LevelRepeatableRead), quietly{})
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
