// Package main has transactions behind types of the program's own.
package main

import (
	"context"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
)

// Unused is a helper that nobody calls: a program does not run it.
func Unused(db *sql.DB, query string) error {
	_, err := db.Exec(query)
	return err
}

// run is a wrapper that nobody calls: what it runs is somebody else's.
func (p *Pool) run(ctx context.Context, query string, fn func(ctx context.Context) error) error {
	if _, err := p.inner.Exec(ctx, query); err != nil {
		return err
	}
	return p.InTx(ctx, func(Runner) error { return fn(ctx) })
}

func main() {
	ctx := context.Background()
	var db *sql.DB
	var x *sqlx.DB
	logged := &loggedDB{db, "app"}
	observe := func(string, time.Duration) {}
	EmbeddedBug(ctx, logged, 1, 2)
	EmbeddedFix(ctx, logged, 1, 2)
	TimedBug(db, observe, 1, 2)
	TimedFix(db, observe, 1, 2)
	DecoratedBug(ctx, db, 1, 2)
	DecoratedFix(ctx, db, 1, 2)
	UnitBug(ctx, db, 1, 2)
	UnitFix(ctx, db, 1, 2)
	GenericBug(ctx, db, 1, 2)
	GenericFix(ctx, db, 1, 2)
	ExecutorBug(ctx, db, 1, 2)
	ExecutorFix(ctx, db, 1, 2)
	FactoryBug(ctx, db, 1, 2)
	FactoryFix(ctx, db, 1, 2)
	NumberedBug(db, 1, 2)
	NumberedFix(db, 1, 2)
	ReplacerBug(db, 1, 2)
	ReplacerFix(db, 1, 2)
	RegexpBug(db, 1, 2)
	RegexpFix(db, 1, 2)
	SqlxBug(x, 1, 2)
	SqlxFix(x, 1, 2)
	NamedBug(x, 1, 2)
	NamedFix(x, 1, 2)
	store := &Store{db}
	store.StepsBug(ctx, 1, 2)
	store.StepsFix(ctx, 1, 2)
	SessionBug(ctx, db, 1, 2)
	SessionFix(ctx, db, 1, 2)
	p := &Pool{&pgxpool.Pool{}, func(string) {}}
	PoolBug(ctx, p, 1, 2)
	PoolFix(ctx, p, 1, 2)
	s := &service{p, repo{p}}
	s.ContextBug(ctx, 1, 2)
	s.ContextFix(ctx, 1, 2)
}
