// want package:"transactions: 1"

// Package batchdropped_returned is the mend of batchdropped.
package batchdropped_returned

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
		if err := tx.SendBatch(waiting, &b).Close(); err != nil {
			return err
		}
		var stock int64
		if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
		return err
	})
}
