// Package orm has the declarations of go-pg's package orm that the tests use.
package orm

import "context"

type Result interface {
	RowsAffected() int
	RowsReturned() int
}

type DB interface {
	Model(model ...interface{}) *Query
	Exec(query interface{}, params ...interface{}) (Result, error)
	ExecOne(query interface{}, params ...interface{}) (Result, error)
	Query(model, query interface{}, params ...interface{}) (Result, error)
	QueryOne(model, query interface{}, params ...interface{}) (Result, error)
	Context() context.Context
}

type SafeQueryAppender struct{}

type Query struct{}

func (q *Query) Clone() *Query                                                      { return nil }
func (q *Query) Model(model ...interface{}) *Query                                  { return nil }
func (q *Query) AllWithDeleted() *Query                                             { return nil }
func (q *Query) Table(tables ...string) *Query                                      { return nil }
func (q *Query) TableExpr(expr string, params ...interface{}) *Query                { return nil }
func (q *Query) Column(columns ...string) *Query                                    { return nil }
func (q *Query) ColumnExpr(expr string, params ...interface{}) *Query               { return nil }
func (q *Query) ExcludeColumn(columns ...string) *Query                             { return nil }
func (q *Query) Relation(name string, apply ...func(*Query) (*Query, error)) *Query { return nil }
func (q *Query) Set(set string, params ...interface{}) *Query                       { return nil }
func (q *Query) Value(column string, value string, params ...interface{}) *Query    { return nil }
func (q *Query) Where(condition string, params ...interface{}) *Query               { return nil }
func (q *Query) WhereOr(condition string, params ...interface{}) *Query             { return nil }
func (q *Query) WhereIn(where string, slice interface{}) *Query                     { return nil }
func (q *Query) WherePK() *Query                                                    { return nil }
func (q *Query) Join(join string, params ...interface{}) *Query                     { return nil }
func (q *Query) JoinOn(condition string, params ...interface{}) *Query              { return nil }
func (q *Query) Group(columns ...string) *Query                                     { return nil }
func (q *Query) Having(having string, params ...interface{}) *Query                 { return nil }
func (q *Query) Order(orders ...string) *Query                                      { return nil }
func (q *Query) OrderExpr(order string, params ...interface{}) *Query               { return nil }
func (q *Query) Limit(n int) *Query                                                 { return nil }
func (q *Query) OnConflict(s string, params ...interface{}) *Query                  { return nil }
func (q *Query) Returning(s string, params ...interface{}) *Query                   { return nil }
func (q *Query) For(s string, params ...interface{}) *Query                         { return nil }
func (q *Query) Apply(fn func(*Query) (*Query, error)) *Query                       { return nil }
func (q *Query) Count() (int, error)                                                { return 0, nil }
func (q *Query) Exists() (bool, error)                                              { return false, nil }
func (q *Query) First() error                                                       { return nil }
func (q *Query) Select(values ...interface{}) error                                 { return nil }
func (q *Query) ForEach(fn interface{}) error                                       { return nil }
func (q *Query) Insert(values ...interface{}) (Result, error)                       { return nil, nil }
func (q *Query) SelectOrInsert(values ...interface{}) (bool, error)                 { return false, nil }
func (q *Query) Update(scan ...interface{}) (Result, error)                         { return nil, nil }
func (q *Query) UpdateNotZero(scan ...interface{}) (Result, error)                  { return nil, nil }
func (q *Query) Delete(values ...interface{}) (Result, error)                       { return nil, nil }
func (q *Query) ForceDelete(values ...interface{}) (Result, error)                  { return nil, nil }
