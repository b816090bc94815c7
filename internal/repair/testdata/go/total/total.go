// Package total allows accounts of an owner to be overdrawn together, at REPEATABLE READ.
//
//	want: for-update Withdraw
package total

import (
	"context"
	"database/sql"
)

// Withdraw takes 2 from an account, if all of the owner have that.
func Withdraw(ctx context.Context, db *sql.DB, owner, kind int) (int, error) {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var sum int
	if err := tx.QueryRowContext(ctx, "SELECT sum(balance) FROM account WHERE owner = $1", owner).Scan(&sum); err != nil {
		return 0, err
	}
	if sum < 2 {
		return sum, nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - 2 WHERE owner = $1 AND kind = $2", owner, kind); err != nil {
		return 0, err
	}
	return sum, tx.Commit()
}
