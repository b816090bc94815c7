// want package:"transactions: 2"

// Package recursiveinterface calls itself through an interface without the options that it got.
package recursiveinterface

import (
	"context"
	"database/sql"
)

type restocker interface {
	restock(ctx context.Context, db *sql.DB, id, n int64, o *sql.TxOptions) error
}

type shop struct{ self restocker }

func (s *shop) restock(ctx context.Context, db *sql.DB, id, n int64, o *sql.TxOptions) error {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var stock int64
	if err := tx.QueryRowContext(ctx, "SELECT stock FROM item WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE item SET stock = $1 WHERE id = $2", stock+n, id); err != nil {
		return err
	}
	if err := tx.Commit(); err == nil {
		return nil
	}
	return s.self.restock(ctx, db, id, n, nil)
}

func Restock(ctx context.Context, db *sql.DB, id, n int64) error {
	s := &shop{}
	s.self = s
	return s.restock(ctx, db, id, n, &sql.TxOptions{Isolation: sql.LevelSerializable})
}
