// want package:"transactions: 1"

// Package generic_repaired runs a method value in a transaction, by a function with a type
// parameter.
package generic_repaired

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

var errFull = errors.New("sold out")

// inTx gives what the function gives.
func inTx[T any](ctx context.Context, db *sql.DB, fn func(*sql.Tx) (T, error)) (T, error) {
	var zero T
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return zero, fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	out, err := fn(tx)
	if err != nil {
		return zero, err
	}
	if err := tx.Commit(); err != nil {
		return zero, fmt.Errorf("commit: %w", err)
	}
	return out, nil
}

type order struct {
	id, screening int64
	holder        string
}

func (o order) place(tx *sql.Tx) (left int64, err error) {
	var seats, sold int64
	if err := tx.QueryRow("UPDATE screening SET sold = sold + 1 WHERE id = $1 RETURNING seats", o.screening).Scan(&seats); err != nil {
		return 0, err
	}
	if err := tx.QueryRow("SELECT count(*) FROM ticket WHERE screening = $1", o.screening).Scan(&sold); err != nil {
		return 0, err
	}
	if sold >= seats {
		return 0, errFull
	}
	_, err = tx.Exec("INSERT INTO ticket (id, screening, holder) VALUES ($1, $2, $3)", o.id, o.screening, o.holder)
	return seats - sold - 1, err
}

func buy(ctx context.Context, db *sql.DB, id, screening int64, holder string) (int64, error) {
	return inTx(ctx, db, order{id, screening, holder}.place)
}
