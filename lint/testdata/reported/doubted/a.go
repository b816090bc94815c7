// want package:"transactions: 1"

// Package doubted has the name of a data source with a level, which is that of other sessions.
package doubted

import (
	"context"
	"database/sql"
)

// reports opens the database for reports.
func reports() (*sql.DB, error) {
	return sql.Open("pgx", "postgres://db/app?default_transaction_isolation=serializable")
}

func restock(ctx context.Context, db *sql.DB, id, n int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil { // want `suspected lost-update .RB1101. at READ COMMITTED.*it may run at SERIALIZABLE instead`
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	return tx.Commit()
}
