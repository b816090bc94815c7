// want package:"transactions: 1"

// Package scanned scans structs with sqlx.
package scanned

import "github.com/jmoiron/sqlx"

type item struct {
	ID     int64   `db:"id"`
	Weight int64   `db:"weight"`
	Label  *string `db:"label"`
}

func balance(db *sqlx.DB, id, other int64) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var i item
	if err := tx.QueryRowx("SELECT id, weight FROM item WHERE id = $1", other).StructScan(&i); err != nil { // want `write-skew .*: balance -> balance`
		return err
	}
	if i.Weight > 0 {
		if _, err := tx.Exec("UPDATE item SET weight = -$1::bigint WHERE id = $2", i.Weight, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}
