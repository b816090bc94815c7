// want package:"transactions: 1"

// Package named_repaired writes the row of the shift, too.
package named_repaired

import (
	"errors"

	"github.com/jmoiron/sqlx"
)

var errAlone = errors.New("nobody else is on call")

type tally struct {
	Doctors int `db:"doctors"`
}

type change struct {
	ID    int64 `db:"id"`
	Shift int64 `db:"shift"`
}

func leave(db *sqlx.DB, id, shift int64) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.Exec("UPDATE shift SET changes = changes + 1 WHERE id = $1", shift)
	if err != nil {
		return err
	}
	if changed, err := res.RowsAffected(); err != nil || changed == 0 {
		return errAlone
	}
	var t tally
	if err := tx.Get(&t, "SELECT count(*) AS doctors FROM doctor WHERE shift = $1 AND on_call", shift); err != nil {
		return err
	}
	if t.Doctors < 2 {
		return errAlone
	}
	if _, err := tx.NamedExec("UPDATE doctor SET on_call = false WHERE id = :id AND shift = :shift", change{id, shift}); err != nil {
		return err
	}
	return tx.Commit()
}
