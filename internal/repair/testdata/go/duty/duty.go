// Package duty lets one leave if another stays, at REPEATABLE READ.
//
//	want: for-update Leave
//	want: promotion Leave
package duty

import (
	"context"
	"database/sql"
)

// Leave ends the duty of one if the other stays.
func Leave(ctx context.Context, db *sql.DB, me, other int) (int, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var on bool
	if err := tx.QueryRowContext(ctx, "SELECT on_call FROM doctor WHERE id = $1", other).Scan(&on); err != nil {
		return 0, err
	}
	if !on {
		return 0, nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1", me); err != nil {
		return 0, err
	}
	return 1, tx.Commit()
}
