// want package:"transactions: 1"

// Package plain_repaired lets both transactions write the row of the shift.
package plain_repaired

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
	res, err := tx.ExecContext(ctx, "UPDATE shift SET changes = changes + 1 WHERE id = $1", shift)
	if err != nil {
		return err
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return errors.New("no such shift")
	}
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM doctor WHERE shift = $1 AND on_call", shift).Scan(&n); err != nil {
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
