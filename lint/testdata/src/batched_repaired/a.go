// want package:"transactions: 1"

// Package batched_repaired sends statements of pgx in a batch.
package batched_repaired

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errFull = errors.New("the doctor has no time")

func count(ctx context.Context, tx pgx.Tx, doctor int64) (n int, err error) {
	tag, err := tx.Exec(ctx, "UPDATE doctor SET slots = slots + 1 WHERE id = $1", doctor)
	if err != nil {
		return 0, err
	}
	if tag.RowsAffected() == 0 {
		return 0, pgx.ErrNoRows
	}
	err = tx.QueryRow(ctx, "SELECT count(*) FROM slot WHERE doctor = $1", doctor).Scan(&n)
	return n, err
}

func book(ctx context.Context, pool *pgxpool.Pool, id, doctor, patient int64, text string) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		n, err := count(ctx, tx, doctor)
		if err != nil {
			return err
		}
		if n > 0 {
			return errFull
		}
		b := &pgx.Batch{}
		b.Queue("INSERT INTO slot (id, doctor, patient) VALUES ($1, $2, $3)", id, doctor, patient)
		b.Queue("INSERT INTO note (slot, text) VALUES ($1, $2)", id, text)
		return tx.SendBatch(ctx, b).Close()
	})
}
