// want package:"transactions: 1"

// Package added_unique has a key that keeps the second one out.
package added_unique

import (
	"context"
	"database/sql"
	"errors"
)

var errThere = errors.New("there is one")

func add(ctx context.Context, db *sql.DB, id int64, slug string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var found int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM note WHERE slug = $1", slug).Scan(&found)
	if err == nil {
		return errThere
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO note (id, slug) VALUES ($1, $2)", id, slug); err != nil {
		return err
	}
	return tx.Commit()
}
