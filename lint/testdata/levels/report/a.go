// want package:"transactions: 2"

// Package report reads two rows by two statements, which a transfer changes in between.
package report

import (
	"context"
	"database/sql"
)

func report(ctx context.Context, db *sql.DB, a, b int64) (int64, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var x, y int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", a).Scan(&x); err != nil { // want `(read-skew|non-repeatable-read) \(RB110[24]\) at READ COMMITTED \(report\) and REPEATABLE READ \(move\): .*`
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", b).Scan(&y); err != nil {
		return 0, err
	}
	return x + y, tx.Commit()
}

func move(ctx context.Context, db *sql.DB, from, to, n int64) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = stock - $1 WHERE id = $2", n, from); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = stock + $1 WHERE id = $2", n, to); err != nil {
		return err
	}
	return tx.Commit()
}
