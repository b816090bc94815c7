// want package:"transactions: 2"

// Package collected collects rows with pgx: structs by name, and by a function for
// each row; what they say decides about later statements.
package collected

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errPoor = errors.New("the budgets do not cover this")

type budget struct {
	ID     int64 `db:"id"`
	Amount int64 `db:"amount"`
}

func spend(ctx context.Context, pool *pgxpool.Pool, id, other, amount int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id, amount FROM budget WHERE id = $1", other) // want `write-skew .*: spend -> spend`
		if err != nil {
			return err
		}
		b, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[budget])
		if err != nil {
			return err
		}
		if b.Amount < amount {
			return errPoor
		}
		_, err = tx.Exec(ctx, "UPDATE budget SET amount = amount - $2 WHERE id = $1", id, amount)
		return err
	})
}

func level(ctx context.Context, pool *pgxpool.Pool, project, id int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT amount FROM budget WHERE project = $1", project) // want `write-skew .*: level -> .*`
		if err != nil {
			return err
		}
		var sum, amount int64
		if _, err := pgx.ForEachRow(rows, []any{&amount}, func() error {
			sum += amount
			return nil
		}); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE budget SET amount = $2 WHERE id = $1", id, sum)
		return err
	})
}
