// want package:"transactions: 1"

// Package options sets the level by a list of functions, the last of which counts.
package options

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
	return inTx(ctx, db, func(tx *sql.Tx) error { return add(ctx, tx, id, n) }, at(sql.LevelSerializable), quietly, at(sql.LevelReadCommitted))
}

func add(ctx context.Context, tx *sql.Tx, id, n int64) error {
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
	return err
}
