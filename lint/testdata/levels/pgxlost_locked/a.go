// want package:"transactions: 1"

// Package pgxlost_locked is lost_locked for pgx.
package pgxlost_locked

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func restock(ctx context.Context, pool *pgxpool.Pool, id, n int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var stock int64
		if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = $1 FOR UPDATE", id).Scan(&stock); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
		return err
	})
}
