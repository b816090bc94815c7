// want package:"transactions: 1"

// Package opentext_repaired has texts that are not all known: one of a few, with an order of
// the rows, and one with a condition of the caller.
package opentext_repaired

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

var errBusy = errors.New("finish something first")

func assign(ctx context.Context, db *sql.DB, owner int64, id int64, byRank bool, filter string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "UPDATE owner SET changes = changes + 1 WHERE id = $1", owner)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, sql.ErrNoRows)
	}
	order := "id"
	if byRank {
		order = "rank, id"
	}
	rows, err := tx.QueryContext(ctx, fmt.Sprintf("SELECT id FROM task WHERE owner = $1 AND NOT done AND (%s) ORDER BY %s", filter, order), owner)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if n > 0 {
		return errBusy
	}
	if _, err := tx.ExecContext(ctx, "UPDATE task SET owner = $1 WHERE id = $2", owner, id); err != nil {
		return err
	}
	return tx.Commit()
}
