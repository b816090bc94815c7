// Package pg has the declarations of github.com/go-pg/pg/v10 that the tests use.
package pg

import (
	"context"

	"github.com/go-pg/pg/v10/orm"
	"github.com/go-pg/pg/v10/types"
)

type Error struct{ s string }

func (e Error) Error() string { return e.s }

var ErrNoRows = Error{"pg: no rows in result set"}

type (
	Ident  = types.Ident
	Safe   = types.Safe
	Result = orm.Result
	Query  = orm.Query
)

type baseDB struct{}

func (db *baseDB) Model(model ...interface{}) *Query                                { return nil }
func (db *baseDB) Exec(query interface{}, params ...interface{}) (Result, error)    { return nil, nil }
func (db *baseDB) ExecOne(query interface{}, params ...interface{}) (Result, error) { return nil, nil }
func (db *baseDB) Query(model, query interface{}, params ...interface{}) (Result, error) {
	return nil, nil
}
func (db *baseDB) QueryOne(model, query interface{}, params ...interface{}) (Result, error) {
	return nil, nil
}
func (db *baseDB) Begin() (*Tx, error)                                            { return nil, nil }
func (db *baseDB) BeginContext(ctx context.Context) (*Tx, error)                  { return nil, nil }
func (db *baseDB) RunInTransaction(ctx context.Context, fn func(*Tx) error) error { return nil }
func (db *baseDB) Prepare(q string) (*Stmt, error)                                { return nil, nil }

type DB struct{ *baseDB }

func (db *DB) Context() context.Context            { return nil }
func (db *DB) WithContext(ctx context.Context) *DB { return nil }

type Tx struct{}

func (tx *Tx) Context() context.Context                                              { return nil }
func (tx *Tx) Model(model ...interface{}) *Query                                     { return nil }
func (tx *Tx) Exec(query interface{}, params ...interface{}) (Result, error)         { return nil, nil }
func (tx *Tx) ExecOne(query interface{}, params ...interface{}) (Result, error)      { return nil, nil }
func (tx *Tx) Query(model, query interface{}, params ...interface{}) (Result, error) { return nil, nil }
func (tx *Tx) QueryOne(model, query interface{}, params ...interface{}) (Result, error) {
	return nil, nil
}
func (tx *Tx) Begin() (*Tx, error)                                            { return nil, nil }
func (tx *Tx) RunInTransaction(ctx context.Context, fn func(*Tx) error) error { return nil }
func (tx *Tx) Prepare(q string) (*Stmt, error)                                { return nil, nil }
func (tx *Tx) Commit() error                                                  { return nil }
func (tx *Tx) Rollback() error                                                { return nil }
func (tx *Tx) Close() error                                                   { return nil }

type Stmt struct{}

func (s *Stmt) Exec(params ...interface{}) (Result, error) { return nil, nil }

type scanner struct{}

func Scan(values ...interface{}) scanner                                   { return scanner{} }
func In(slice interface{}) types.ValueAppender                             { return nil }
func InMulti(values ...interface{}) types.ValueAppender                    { return nil }
func Array(v interface{}) *types.Array                                     { return nil }
func SafeQuery(query string, params ...interface{}) *orm.SafeQueryAppender { return nil }
