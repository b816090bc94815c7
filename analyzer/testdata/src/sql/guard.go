package sql

import (
	"context"
	"database/sql"
)

// Guard has a database that may be missing, and another one that may be used instead.
type Guard struct{ db, replica *sql.DB }

// Reserve does nothing without a database.
func (g *Guard) Reserve(ctx context.Context, id int) error {
	if g.db == nil || g.db == g.replica {
		return sql.ErrConnDone
	}
	tx, err := g.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE items SET n = 3 WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}

// Count reads from the replica, if there is one.
func (g *Guard) Count(ctx context.Context) (n int, err error) {
	if g.replica == nil {
		err = g.db.QueryRowContext(ctx, "SELECT count(*) FROM items").Scan(&n)
	} else {
		err = g.replica.QueryRowContext(ctx, "SELECT count(id) FROM items").Scan(&n)
	}
	return n, err
}
