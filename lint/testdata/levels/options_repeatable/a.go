// want package:"transactions: 1"

// Package options_repeatable is the mend of options.
package options_repeatable

import (
	"context"
	"database/sql"
)

type config struct{ level sql.IsolationLevel }

type option func(*config)

func at(l sql.IsolationLevel) option { return func(c *config) { c.level = l } }

func quietly(*config) {}

func inTx(ctx context.Context, db *sql.DB, change func(*sql.Tx) error, opts ...option) error {
	var c config
	for _, o := range opts {
		o(&c)
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
	return inTx(ctx, db, func(tx *sql.Tx) error { return add(ctx, tx, id, n) }, quietly, at(sql.LevelRepeatableRead), quietly, quietly, quietly, quietly)
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
