package main

import (
	"context"
	"database/sql"
	"strings"
)

// Store has its statements in a struct of functions, and its texts in another one.
type Store struct {
	db *sql.DB
}

// texts are those of the program, which nobody changes.
var texts = struct{ read, lock, set string }{
	read: "SELECT n FROM a WHERE id = $1",
	lock: " FOR UPDATE",
	set:  "UPDATE a SET n = $1 WHERE id = $2",
}

// handlers are steps by name.
var handlers = struct {
	read func(ctx context.Context, tx *sql.Tx, text string, id int) (int, error)
	set  func(ctx context.Context, tx *sql.Tx, id, n int) error
}{
	read: func(ctx context.Context, tx *sql.Tx, text string, id int) (n int, err error) {
		err = tx.QueryRowContext(ctx, text, id).Scan(&n)
		return n, err
	},
	set: setOne,
}

func setOne(ctx context.Context, tx *sql.Tx, id, n int) error {
	_, err := tx.ExecContext(ctx, texts.set, n, id)
	return err
}

// Do runs steps in a transaction, which functions before and after see.
func (s *Store) Do(ctx context.Context, steps ...func(context.Context, *sql.Tx) error) (err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
		}
	}()
	for _, step := range steps {
		if err = step(ctx, tx); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (s *Store) StepsBug(ctx context.Context, from, to int) error {
	var n int
	return s.Do(ctx,
		func(ctx context.Context, tx *sql.Tx) (err error) {
			n, err = handlers.read(ctx, tx, texts.read, from)
			return err
		},
		func(ctx context.Context, tx *sql.Tx) error { return handlers.set(ctx, tx, to, n) })
}

func (s *Store) StepsFix(ctx context.Context, from, to int) error {
	var n int
	return s.Do(ctx,
		func(ctx context.Context, tx *sql.Tx) (err error) {
			n, err = handlers.read(ctx, tx, strings.TrimSpace(texts.read+texts.lock), from)
			return err
		},
		func(ctx context.Context, tx *sql.Tx) error { return handlers.set(ctx, tx, to, n) })
}

// session is a database or a transaction, and begins where there is none.
type session struct {
	db *sql.DB
	tx *sql.Tx
}

func (s session) Begin(ctx context.Context) (session, error) {
	if s.tx != nil {
		return s, nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	return session{s.db, tx}, err
}

func (s session) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s.tx != nil {
		return s.tx.QueryRowContext(ctx, query, args...)
	}
	return s.db.QueryRowContext(ctx, query, args...)
}

func (s session) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s.tx != nil {
		return s.tx.ExecContext(ctx, query, args...)
	}
	return s.db.ExecContext(ctx, query, args...)
}

func (s session) Commit() error { return s.tx.Commit() }

func (s session) Rollback() { _ = s.tx.Rollback() }

func SessionBug(ctx context.Context, db *sql.DB, from, to int) error {
	s, err := session{db: db}.Begin(ctx)
	if err != nil {
		return err
	}
	defer s.Rollback()
	n, err := accounts{s}.read(ctx, from, "")
	if err != nil {
		return err
	}
	if err := (accounts{s}).set(ctx, to, n); err != nil {
		return err
	}
	return s.Commit()
}

func SessionFix(ctx context.Context, db *sql.DB, from, to int) error {
	s, err := session{db: db}.Begin(ctx)
	if err != nil {
		return err
	}
	defer s.Rollback()
	n, err := accounts{s}.read(ctx, from, " FOR UPDATE")
	if err != nil {
		return err
	}
	if err := (accounts{s}).set(ctx, to, n); err != nil {
		return err
	}
	return s.Commit()
}
