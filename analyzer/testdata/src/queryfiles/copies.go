package main

import (
	"database/sql"

	"github.com/lib/pq"
)

// copies fills tables with COPY.
func copies(db *sql.DB, rooms []string, table string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.Prepare(pq.CopyIn("desks", "id", "room"))
	if err != nil {
		return err
	}
	for i, room := range rooms {
		if _, err := stmt.Exec(i, room); err != nil { // want `INSERT INTO "desks" ("id", "room") VALUES ($1, $2) (rangeindex + 1, element)`
			return err
		}
	}
	if _, err := stmt.Exec(); err != nil {
		return err
	}
	more, err := tx.Prepare(pq.CopyInSchema("old", "desks", "id"))
	if err != nil {
		return err
	}
	if _, err := more.Exec(7); err != nil { // want `INSERT INTO "old"."desks" ("id") VALUES ($1) (7)`
		return err
	}
	any, err := tx.Prepare(pq.CopyIn(table, "id"))
	if err != nil {
		return err
	}
	if _, err := any.Exec(7); err != nil { // want `… (7)`
		return err
	}
	return tx.Commit()
}
