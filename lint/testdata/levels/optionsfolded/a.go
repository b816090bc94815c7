// want package:"transactions: 1"

// Package optionsfolded sets the level of options, and a lower one afterwards.
package optionsfolded

import (
	"context"
	"database/sql"
)

type config struct{ options sql.TxOptions }

type option func(*config)

func committed(c *config) { c.options.Isolation = sql.LevelReadCommitted }

func serializable(c *config) { c.options.Isolation = sql.LevelSerializable }

func configured(list ...option) config {
	var c config
	for _, o := range list {
		o(&c)
	}
	return c
}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	options := configured(serializable, committed).options
	tx, err := db.BeginTx(ctx, &options)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
