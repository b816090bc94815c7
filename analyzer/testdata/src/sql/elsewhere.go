package sql

import (
	"context"
	"database/sql"
	"fmt"
)

// TellNamed sends what it has read elsewhere, by a parameter with a name.
func TellNamed(ctx context.Context, db, log *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if _, err := log.ExecContext(ctx, "INSERT INTO log VALUES (@n)", sql.Named("n", n)); err != nil {
		return err
	}
	return tx.Commit()
}

// Tell does the same by a parameter without one.
func Tell(ctx context.Context, db, log *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if _, err := log.ExecContext(ctx, "INSERT INTO log VALUES ($1)", n); err != nil {
		return err
	}
	return tx.Commit()
}

// ByText has the text of a statement from what it has read.
func ByText(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var limit string
	if err := tx.QueryRowContext(ctx, "SELECT name FROM limits WHERE id = $1", id).Scan(&limit); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE items SET n = 0 WHERE n < %s", limit)); err != nil {
		return err
	}
	return tx.Commit()
}

// TellOneOf chooses what it sends elsewhere by what it has read.
func TellOneOf(ctx context.Context, db, log *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	told := "INSERT INTO few DEFAULT VALUES"
	if n > 3 {
		told = "INSERT INTO many DEFAULT VALUES"
	}
	if _, err := log.ExecContext(ctx, told); err != nil {
		return err
	}
	return tx.Commit()
}

// TellIf sends something elsewhere, or not, by what it has read.
func TellIf(ctx context.Context, db, log *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if n > 3 {
		if _, err := log.ExecContext(ctx, "INSERT INTO many DEFAULT VALUES"); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// TellLate sends what it has read when the transaction is over.
func TellLate(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO log VALUES (@n)", sql.Named("n", n))
	return err
}

// TellLateIf sends something, or not, by what it has read when the transaction is over.
func TellLateIf(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT n FROM items WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if n > 3 {
		_, err = db.ExecContext(ctx, "INSERT INTO many DEFAULT VALUES")
	}
	return err
}
