// want package:"transactions: 1"

// Package perrow sends statements for each row of an earlier one.
package perrow

import (
	"context"
	"database/sql"
)

func clear(ctx context.Context, db *sql.DB, from, to int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT id FROM card WHERE board = $1", from) // want `write-skew .*: clear -> clear`
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE card SET board = $1 WHERE id = $2", to, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO history (card, text) VALUES ($1, 'moved')", id); err != nil {
			return err
		}
	}
	return tx.Commit()
}
