// want package:"transactions: 3"

// Package unkept has a reader that never commits, and returns what it has read.
package unkept

import (
	"context"
	"database/sql"
)

func sum(ctx context.Context, db *sql.DB) (a, b int64, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	defer tx.Rollback()
	if err = tx.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = 1").Scan(&a); err != nil { // want `READ COMMITTED: sum -> both`
		return 0, 0, err
	}
	err = tx.QueryRowContext(ctx, "SELECT n FROM counter WHERE name = 'x'").Scan(&b)
	return a, b, err
}

// ahead gives only constants.
func ahead(ctx context.Context, db *sql.DB) (bool, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var a, b int64
	if err := tx.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = 1").Scan(&a); err != nil {
		return false, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT n FROM counter WHERE name = 'x'").Scan(&b); err != nil {
		return false, err
	}
	if a > b {
		return true, nil
	}
	return false, nil
}

func both(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - 1 WHERE id = 1"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE counter SET n = n + 1 WHERE name = 'x'"); err != nil {
		return err
	}
	return tx.Commit()
}
