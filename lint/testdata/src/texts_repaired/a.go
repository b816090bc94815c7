// want package:"transactions: 1"

// Package texts_repaired writes the row of the shift, too.
package texts_repaired

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

const table = "doctor"

var errAlone = errors.New("nobody else is on call")

func leave(ctx context.Context, db *sql.DB, id, shift int64, strict bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "UPDATE shift SET changes = changes + 1 WHERE id = $1", shift)
	if err != nil {
		return err
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return errAlone
	}
	query := fmt.Sprintf("SELECT count(*) FROM %s WHERE shift = $1", table)
	query += " AND on_call"
	var n int
	if err := tx.QueryRowContext(ctx, query, shift).Scan(&n); err != nil {
		return err
	}
	if n < 2 {
		return errAlone
	}
	var b strings.Builder
	b.WriteString("UPDATE " + table + " SET on_call = false")
	b.WriteString(" WHERE id = $1")
	b.WriteString(" AND shift = $2")
	if _, err := tx.ExecContext(ctx, b.String(), id, shift); err != nil {
		return err
	}
	return tx.Commit()
}
