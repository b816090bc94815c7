// want package:"transactions: 1"

// Package absent_repaired has a unique key for what it inserts.
package absent_repaired

import (
	"context"
	"database/sql"
	"errors"
)

func remind(ctx context.Context, db *sql.DB, id, shift int64, text string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var old int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM note WHERE shift = $1", shift).Scan(&old)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if _, err := tx.ExecContext(ctx, "INSERT INTO note (id, shift, text) VALUES ($1, $2, $3)", id, shift, text); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	return tx.Commit()
}
