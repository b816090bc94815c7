// want package:"transactions: 1"

// Package skew_repeatable has the same anomaly at REPEATABLE READ.
package skew_repeatable

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

func leave(ctx context.Context, db *sql.DB, id, shift int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var others int64
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call AND id <> $2", shift, id).Scan(&others); err != nil { // want `write-skew \(RB100[12]\) at REPEATABLE READ: leave -> leave`
		return err
	}
	if others == 0 {
		return errAlone
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}
