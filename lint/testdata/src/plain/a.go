// want package:"transactions: 1"

// Package plain has transactions that begin, commit and roll back in one
// function.
package plain

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("nobody else is on call")

func leave(ctx context.Context, db *sql.DB, id, shift int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift).Scan(&n); err != nil { // want `write-skew \(RB100[12]\) at snapshot isolation: leave -> leave`
		return err
	}
	if n < 2 {
		return errAlone
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1 AND shift = $2", id, shift); err != nil {
		return err
	}
	return tx.Commit()
}
