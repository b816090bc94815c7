// want package:"transactions: 1"

// Package affected inserts a row where an UPDATE has changed none.
package affected

import (
	"context"
	"database/sql"
)

func hit(ctx context.Context, db *sql.DB, id int64, name string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "UPDATE counter SET hits = hits + 1 WHERE name = $1", name) // want `write-skew .*: hit -> hit`
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		if _, err := tx.ExecContext(ctx, "INSERT INTO counter (id, name, hits) VALUES ($1, $2, 1)", id, name); err != nil {
			return err
		}
	}
	return tx.Commit()
}
