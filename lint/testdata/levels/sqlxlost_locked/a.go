// want package:"transactions: 1"

// Package sqlxlost_locked is lost_locked for sqlx.
package sqlxlost_locked

import (
	"github.com/jmoiron/sqlx"
)

func restock(db *sqlx.DB, id, n int64) error {
	tx, err := db.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.Get(&stock, "SELECT stock FROM item WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
