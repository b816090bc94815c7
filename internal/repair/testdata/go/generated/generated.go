// Package generated has queries as sqlc generates them.
//
//	want: for-update Sell
package generated

import (
	"context"
	"database/sql"
)

const getStock = `-- name: GetStock :one
SELECT stock FROM item
WHERE id = $1
`

const setStock = `-- name: SetStock :exec
UPDATE item SET stock = $1 WHERE id = $2
`

// Queries runs the queries.
type Queries struct{ tx *sql.Tx }

// GetStock reads the stock of an item.
func (q *Queries) GetStock(ctx context.Context, id int) (int, error) {
	var stock int
	err := q.tx.QueryRowContext(ctx, getStock, id).Scan(&stock)
	return stock, err
}

// SetStock writes the stock of an item.
func (q *Queries) SetStock(ctx context.Context, stock, id int) error {
	_, err := q.tx.ExecContext(ctx, setStock, stock, id)
	return err
}

// Sell takes n from the stock of an item.
func Sell(ctx context.Context, db *sql.DB, id, n int) (int, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	q := &Queries{tx}
	stock, err := q.GetStock(ctx, id)
	if err != nil {
		return 0, err
	}
	if err := q.SetStock(ctx, stock-n, id); err != nil {
		return 0, err
	}
	return stock, tx.Commit()
}
