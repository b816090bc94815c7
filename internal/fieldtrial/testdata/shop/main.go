// Package main is a shop that counts stock wrongly in one of two ways.
package main

import (
	"context"
	"database/sql"
)

// take reads how many there are, and writes one less.
func take(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow("SELECT n FROM stock WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE stock SET n = $1 WHERE id = $2", n-1, id); err != nil {
		return err
	}
	return tx.Commit()
}

// takeOne lets the database count.
func takeOne(db *sql.DB, id int) error {
	_, err := db.Exec("UPDATE stock SET n = n - 1 WHERE id = $1", id)
	return err
}

func main() {
	var db *sql.DB
	take(context.Background(), db, 1)
	takeOne(db, 1)
}
