// Package switches has two settings, of which one may be on, at REPEATABLE READ.
//
//	want: promotion Light
package switches

import (
	"context"
	"database/sql"
)

// Light switches one on, if the other is off.
func Light(ctx context.Context, db *sql.DB, id, _ int) (int, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var on bool
	if err := tx.QueryRowContext(ctx, "SELECT hot FROM heater WHERE id = $1", id).Scan(&on); err != nil {
		return 0, err
	}
	if on {
		return 0, nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE lamp SET lit = true WHERE id = $1", id); err != nil {
		return 0, err
	}
	return 1, tx.Commit()
}

// Heat switches one on, if the other is off.
func Heat(ctx context.Context, db *sql.DB, id, _ int) (int, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var on bool
	if err := tx.QueryRowContext(ctx, "SELECT lit FROM lamp WHERE id = $1", id).Scan(&on); err != nil {
		return 0, err
	}
	if on {
		return 0, nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE heater SET hot = true WHERE id = $1", id); err != nil {
		return 0, err
	}
	return 1, tx.Commit()
}
