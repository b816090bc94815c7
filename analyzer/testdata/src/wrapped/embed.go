package main

import (
	"context"
	"database/sql"
	"log"
	"time"
)

// loggedTx embeds a transaction, and has its own ExecContext.
type loggedTx struct {
	*sql.Tx
	prefix string
}

func (t *loggedTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	log.Printf("%s: %s", t.prefix, query)
	return t.Tx.ExecContext(ctx, query, args...)
}

// loggedDB embeds a database, and gives loggedTx.
type loggedDB struct {
	*sql.DB
	prefix string
}

func (d *loggedDB) BeginTx(ctx context.Context, opts *sql.TxOptions) (*loggedTx, error) {
	tx, err := d.DB.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &loggedTx{Tx: tx, prefix: d.prefix}, nil
}

func embedded(ctx context.Context, d *loggedDB, read string, from, to int) error {
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, read, from).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE a SET n = $1 WHERE id = $2", n, to); err != nil {
		return err
	}
	return tx.Commit()
}

func EmbeddedBug(ctx context.Context, d *loggedDB, from, to int) error {
	return embedded(ctx, d, "SELECT n FROM a WHERE id = $1", from, to)
}

func EmbeddedFix(ctx context.Context, d *loggedDB, from, to int) error {
	return embedded(ctx, d, "SELECT n FROM a WHERE id = $1 FOR UPDATE", from, to)
}

// timed holds a transaction in a field that is not embedded, and measures.
type timed struct {
	inner   *sql.Tx
	observe func(name string, took time.Duration)
}

func (t *timed) Exec(query string, args ...any) (sql.Result, error) {
	defer func(began time.Time) { t.observe("exec", time.Since(began)) }(time.Now())
	return t.inner.Exec(query, args...)
}

func (t *timed) QueryRow(query string, args ...any) *sql.Row {
	began := time.Now()
	row := t.inner.QueryRow(query, args...)
	t.observe("row", time.Since(began))
	return row
}

func (t *timed) Commit() error {
	if err := t.inner.Commit(); err != nil {
		log.Print(err)
		return err
	}
	return nil
}

func (t *timed) Rollback() error { return t.inner.Rollback() }

func beginTimed(db *sql.DB, observe func(string, time.Duration)) (*timed, error) {
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	return &timed{tx, observe}, nil
}

func TimedBug(db *sql.DB, observe func(string, time.Duration), from, to int) error {
	tx, err := beginTimed(db, observe)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow("SELECT n FROM a WHERE id = $1", from).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE a SET n = $1 WHERE id = $2", n, to); err != nil {
		return err
	}
	return tx.Commit()
}

func TimedFix(db *sql.DB, observe func(string, time.Duration), from, to int) error {
	tx, err := beginTimed(db, observe)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow("SELECT n FROM a WHERE id = $1 FOR UPDATE", from).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE a SET n = $1 WHERE id = $2", n, to); err != nil {
		return err
	}
	return tx.Commit()
}
