// want package:"transactions: 1"

// Package rowsloop goes through rows, and writes for each.
package rowsloop

import (
	"context"
	"database/sql"
)

func swap(ctx context.Context, db *sql.DB, from, to int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id FROM doctor WHERE shift = $1 AND on_call", from) // want `write-skew .*: swap -> swap`
	if err != nil {
		return err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE shift = $1", to); err != nil {
		return err
	}
	return tx.Commit()
}
