// want package:"transactions: 1"

// Package built_repaired builds its statements with squirrel.
package built_repaired

import (
	"database/sql"
	"errors"

	sq "github.com/Masterminds/squirrel"
)

var (
	errSeated = errors.New("the passenger has a seat")
	psql      = sq.StatementBuilder.PlaceholderFormat(sq.Dollar)
)

func seat(db *sql.DB, id, flight, passenger int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := psql.Update("passenger").Set("changes", sq.Expr("changes + 1")).Where(sq.Eq{"id": passenger}).RunWith(tx).Exec()
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return sql.ErrNoRows
	}
	var n int
	if err := psql.Select("count(*)").From("seat").Where(sq.Eq{"flight": flight, "passenger": passenger}).RunWith(tx).QueryRow().Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errSeated
	}
	res, err = psql.Update("seat").Set("passenger", passenger).Where(sq.Eq{"id": id, "flight": flight, "passenger": nil}).RunWith(tx).Exec()
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, errSeated)
	}
	return tx.Commit()
}
