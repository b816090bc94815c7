// want package:"transactions: 1"

// Package batchdropped drops the error of the batch that has its lock.
package batchdropped

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func restock(ctx context.Context, pool *pgxpool.Pool, id, n int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		waiting, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		var b pgx.Batch
		b.Queue("SELECT pg_advisory_xact_lock($1)", 1)
		tx.SendBatch(waiting, &b).Close()
		var stock int64
		if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
		return err
	})
}
