// want package:"transactions: 1"

// Package pgxbegin has a level among its options, which the command that begins replaces.
package pgxbegin

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func restock(ctx context.Context, pool *pgxpool.Pool, id, n int64) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, BeginQuery: "BEGIN READ WRITE"}, func(tx pgx.Tx) error {
		var stock int64
		if err := tx.QueryRow(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `lost-update \(RB1101\) at READ COMMITTED: restock -> restock`
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id)
		return err
	})
}
