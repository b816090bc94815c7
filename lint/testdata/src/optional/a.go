// want package:"transactions: 2"

// Package optional has columns that may be NULL: as sql.Null types, and as pointers.
package optional

import (
	"context"
	"database/sql"
	"errors"
)

var errAlone = errors.New("one of the two shifts needs a leader")

func resign(ctx context.Context, db *sql.DB, id, other int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var leader sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT leader FROM shift WHERE id = $1", other).Scan(&leader); err != nil { // want `write-skew .*: resign -> resign`
		return err
	}
	if !leader.Valid {
		return errAlone
	}
	if _, err := tx.ExecContext(ctx, "UPDATE shift SET leader = $2 WHERE id = $1", id, sql.NullInt64{}); err != nil {
		return err
	}
	return tx.Commit()
}

// describe writes what stands in the other row, if there is something.
func describe(ctx context.Context, db *sql.DB, id, other int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var note *string
	if err := tx.QueryRowContext(ctx, "SELECT note FROM shift WHERE id = $1", other).Scan(&note); err != nil { // want `write-skew .*: describe -> describe`
		return err
	}
	text := sql.Null[string]{Valid: note == nil}
	if note != nil {
		text.V = *note
	} else {
		text.V = "as usual"
	}
	if _, err := tx.ExecContext(ctx, "UPDATE shift SET note = $2 WHERE id = $1", id, text); err != nil {
		return err
	}
	return tx.Commit()
}
