package sql

import (
	"context"
	"database/sql"
)

// Browse gives a transaction that only reads to a function that is not here.
func (s *Shelf) Browse(ctx context.Context, f func(tx *sql.Tx) error) error {
	return s.browse(ctx, true, f)
}

// Change gives it one that may write.
func (s *Shelf) Change(ctx context.Context, f func(tx *sql.Tx) error) error {
	return s.browse(ctx, false, f)
}

func (s *Shelf) browse(ctx context.Context, readOnly bool, f func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: readOnly})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
