// want package:"transactions: 1"

// Package rowsloop_repaired writes the rows that it has read, one by one.
package rowsloop_repaired

import (
	"context"
	"database/sql"
)

func relieve(ctx context.Context, db *sql.DB, shift int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id FROM doctor WHERE shift = $1 AND on_call", shift)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE doctor SET on_call = false WHERE id = $1", id); err != nil {
			return err
		}
	}
	return tx.Commit()
}
