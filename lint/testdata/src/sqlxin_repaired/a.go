// want package:"transactions: 1"

// Package sqlxin_repaired uses sqlx: In with Rebind, and a statement with names of a map.
package sqlxin_repaired

import (
	"errors"

	"github.com/jmoiron/sqlx"
)

var errHeavy = errors.New("something heavy is there")

func put(db *sqlx.DB, id, box, other, weight int64) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("UPDATE box SET items = items + 1 WHERE id = $1 OR id = $2", box, other); err != nil {
		return err
	}
	query, args, err := sqlx.In("SELECT count(*) FROM item WHERE box IN (?) AND weight > 0", []int64{box, other})
	if err != nil {
		return err
	}
	var n int64
	if err := tx.Get(&n, tx.Rebind(query), args...); err != nil {
		return err
	}
	if n > 0 {
		return errHeavy
	}
	if _, err := tx.NamedExec("INSERT INTO item (id, box, weight) VALUES (:id, :box, :weight)", map[string]any{"id": id, "box": box, "weight": weight}); err != nil {
		return err
	}
	return tx.Commit()
}
