// want package:"transactions: 1"

// Package poolpgx uses pgx: BeginFunc, CollectOneRow, named arguments and a level.
package poolpgx

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errAlone = errors.New("nobody else is on call")

func leave(ctx context.Context, pool *pgxpool.Pool, id, shift int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift) // want `write-skew .*: leave -> leave`
		if err != nil {
			return err
		}
		n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
		if err != nil {
			return err
		}
		if n < 2 {
			return errAlone
		}
		_, err = tx.Exec(ctx, "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2", id, shift)
		return err
	})
}
