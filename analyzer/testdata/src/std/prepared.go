package std

import (
	"context"
	"database/sql"
)

// preparer is all of a database that its statements need.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// statements prepares, and keeps the first error.
type statements struct {
	db  preparer
	ctx context.Context
	err error
}

func (p *statements) add(query string) (s *sql.Stmt) {
	if p.err != nil {
		return nil
	}
	if p.ctx != nil {
		s, p.err = p.db.PrepareContext(p.ctx, query)
	} else {
		s, p.err = p.db.PrepareContext(context.Background(), query)
	}
	return s
}

// shelf has statements that are prepared by a method value.
type shelf struct {
	find, take, either *sql.Stmt
}

func newShelf(ctx context.Context, db *sql.DB, all bool) (*shelf, error) {
	p := &statements{db: db, ctx: ctx}
	add := p.add
	s := &shelf{find: add("SELECT n FROM t WHERE id = $1"), take: add("UPDATE t SET n = n - 1 WHERE id = $1")}
	var err error
	if all {
		s.either, err = db.Prepare("SELECT count(*) FROM t")
	} else {
		s.either, err = db.Prepare("SELECT count(*) FROM t WHERE n > 0")
	}
	if err != nil {
		return nil, err
	}
	return s, p.err
}

// Take uses them in a transaction and outside.
func (s *shelf) Take(ctx context.Context, db *sql.DB, id int) (n int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := tx.StmtContext(ctx, s.find).QueryRowContext(ctx, id).Scan(&n); err != nil || n == 0 { // want `SELECT n FROM t WHERE id = $1 (id)`
		return 0, err
	}
	if _, err := tx.StmtContext(ctx, s.take).ExecContext(ctx, id); err != nil { // want `UPDATE t SET n = n - 1 WHERE id = $1 (id)`
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, err
	}
	err = s.either.QueryRowContext(ctx).Scan(&n) // want `SELECT count(*) FROM t` `SELECT count(*) FROM t WHERE n > 0`
	return n, err
}

// count takes one in the transaction that it gets, or without one.
func (s *shelf) count(ctx context.Context, tx *sql.Tx, id int) error {
	stmt := s.take
	if tx != nil {
		stmt = tx.StmtContext(ctx, stmt)
	}
	_, err := stmt.ExecContext(ctx, id) // want `UPDATE t SET n = n - 1 WHERE id = $1 (id)`
	return err
}

// Both takes one of each kind.
func (s *shelf) Both(ctx context.Context, db *sql.DB, id int) error {
	if err := s.count(ctx, nil, id); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.count(ctx, tx, id); err != nil {
		return err
	}
	return tx.Commit()
}
