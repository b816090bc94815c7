// want package:"transactions: 1"

// Package pgxlock commits though the context of its lock has ended.
package pgxlock

import (
	"context"
	"github.com/jackc/pgx/v5/pgxpool"
)

func restock(ctx context.Context, pool *pgxpool.Pool, id, n int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.Background())
	tx.Exec(ctx, "SELECT pg_advisory_xact_lock(1)")
	var stock int64
	if err := tx.QueryRow(context.Background(), "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
		return err
	}
	if _, err := tx.Exec(context.Background(), "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit(context.Background())
}
