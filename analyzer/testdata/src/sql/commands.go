package sql

import (
	"context"
	"database/sql"
)

// command is called by a library, as are those of a command line and migrations.
type command struct {
	name string
	run  func(db *sql.DB) error
}

var raise = &command{name: "raise", run: func(db *sql.DB) error {
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("UPDATE accounts SET balance = balance + 1"); err != nil {
		return err
	}
	return tx.Commit()
}}

var commands = []command{
	{name: "clear", run: func(db *sql.DB) error {
		_, err := db.Exec("DELETE FROM accounts")
		return err
	}},
	{name: "both", run: func(db *sql.DB) error {
		return within(db, func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE accounts SET balance = 0")
			return err
		})
	}},
}

// within runs f in a transaction.
func within(db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}
