// Package bun has the types and signatures of bun that tests need. Nothing of it
// runs.
package bun

import (
	"context"
	"database/sql"
)

type BaseModel struct{}

type DB struct{ *sql.DB }

type Tx struct{ *sql.Tx }

type IDB interface {
	ExecContext(ctx context.Context, query string, args ...interface{}) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...interface{}) (*sql.Rows, error)
	NewSelect() *SelectQuery
	NewUpdate() *UpdateQuery
}

type SelectQuery struct{}

type InsertQuery struct{}

type UpdateQuery struct{}

type DeleteQuery struct{}

type RawQuery struct{}

func (db *DB) RunInTx(ctx context.Context, opts *sql.TxOptions, fn func(ctx context.Context, tx Tx) error) error {
	return nil
}
func (db *DB) NewSelect() *SelectQuery { return nil }
func (db *DB) NewUpdate() *UpdateQuery { return nil }
func (tx Tx) NewSelect() *SelectQuery  { return nil }
func (tx Tx) NewInsert() *InsertQuery  { return nil }
func (tx Tx) NewUpdate() *UpdateQuery  { return nil }
func (tx Tx) NewDelete() *DeleteQuery  { return nil }

func (tx Tx) NewRaw(query string, args ...interface{}) *RawQuery { return nil }

func (q *SelectQuery) Model(model interface{}) *SelectQuery                     { return q }
func (q *SelectQuery) Where(query string, args ...interface{}) *SelectQuery     { return q }
func (q *SelectQuery) For(s string, args ...interface{}) *SelectQuery           { return q }
func (q *SelectQuery) TableExpr(query string, args ...interface{}) *SelectQuery { return q }
func (q *SelectQuery) Scan(ctx context.Context, dest ...interface{}) error      { return nil }
func (q *SelectQuery) Count(ctx context.Context) (int, error)                   { return 0, nil }
func (q *InsertQuery) Model(model interface{}) *InsertQuery                     { return q }
func (q *InsertQuery) Exec(ctx context.Context, d ...interface{}) (sql.Result, error) {
	return nil, nil
}
func (q *UpdateQuery) Model(model interface{}) *UpdateQuery               { return q }
func (q *UpdateQuery) Set(query string, args ...interface{}) *UpdateQuery { return q }
func (q *UpdateQuery) WherePK(cols ...string) *UpdateQuery                { return q }
func (q *UpdateQuery) Exec(ctx context.Context, d ...interface{}) (sql.Result, error) {
	return nil, nil
}
func (q *RawQuery) Scan(ctx context.Context, dest ...interface{}) error { return nil }
