// Package squirrel has the types and signatures of squirrel that tests need.
// Nothing of it runs.
package squirrel

import (
	"context"
	"database/sql"
)

type Sqlizer interface {
	ToSql() (string, []interface{}, error)
}

type RowScanner interface{ Scan(...interface{}) error }

type BaseRunner interface {
	Exec(query string, args ...interface{}) (sql.Result, error)
	Query(query string, args ...interface{}) (*sql.Rows, error)
}

type PlaceholderFormat interface {
	ReplacePlaceholders(sql string) (string, error)
}

type format struct{}

func (format) ReplacePlaceholders(sql string) (string, error) { return sql, nil }

var Dollar, Question = format{}, format{}

type Eq map[string]interface{}
type NotEq Eq
type Gt Eq
type LtOrEq Eq
type And []Sqlizer
type Or []Sqlizer
type expr struct{ sql string }

func (Eq) ToSql() (string, []interface{}, error)     { return "", nil, nil }
func (NotEq) ToSql() (string, []interface{}, error)  { return "", nil, nil }
func (Gt) ToSql() (string, []interface{}, error)     { return "", nil, nil }
func (LtOrEq) ToSql() (string, []interface{}, error) { return "", nil, nil }
func (And) ToSql() (string, []interface{}, error)    { return "", nil, nil }
func (Or) ToSql() (string, []interface{}, error)     { return "", nil, nil }
func (expr) ToSql() (string, []interface{}, error)   { return "", nil, nil }

type builder struct{ parts map[string]interface{} }

type StatementBuilderType builder
type SelectBuilder builder
type InsertBuilder builder
type UpdateBuilder builder
type DeleteBuilder builder

var StatementBuilder = StatementBuilderType{}

func Expr(sql string, args ...interface{}) Sqlizer { return expr{sql} }
func Select(columns ...string) SelectBuilder       { return SelectBuilder{} }
func Insert(into string) InsertBuilder             { return InsertBuilder{} }
func Update(table string) UpdateBuilder            { return UpdateBuilder{} }
func Delete(from string) DeleteBuilder             { return DeleteBuilder{} }

func (b StatementBuilderType) PlaceholderFormat(f PlaceholderFormat) StatementBuilderType { return b }
func (b StatementBuilderType) RunWith(r BaseRunner) StatementBuilderType                  { return b }
func (b StatementBuilderType) Select(columns ...string) SelectBuilder                     { return SelectBuilder{} }
func (b StatementBuilderType) Insert(into string) InsertBuilder                           { return InsertBuilder{} }
func (b StatementBuilderType) Update(table string) UpdateBuilder                          { return UpdateBuilder{} }
func (b StatementBuilderType) Delete(from string) DeleteBuilder                           { return DeleteBuilder{} }

func (b SelectBuilder) PlaceholderFormat(f PlaceholderFormat) SelectBuilder { return b }
func (b SelectBuilder) RunWith(r BaseRunner) SelectBuilder                  { return b }
func (b SelectBuilder) From(from string) SelectBuilder                      { return b }
func (b SelectBuilder) Join(join string, rest ...interface{}) SelectBuilder { return b }
func (b SelectBuilder) Where(pred interface{}, args ...interface{}) SelectBuilder {
	return b
}
func (b SelectBuilder) OrderBy(orderBys ...string) SelectBuilder                  { return b }
func (b SelectBuilder) Limit(limit uint64) SelectBuilder                          { return b }
func (b SelectBuilder) Suffix(sql string, args ...interface{}) SelectBuilder      { return b }
func (b SelectBuilder) ToSql() (string, []interface{}, error)                     { return "", nil, nil }
func (b SelectBuilder) Query() (*sql.Rows, error)                                 { return nil, nil }
func (b SelectBuilder) QueryRow() RowScanner                                      { return nil }
func (b SelectBuilder) QueryRowContext(ctx context.Context) RowScanner            { return nil }
func (b SelectBuilder) Scan(dest ...interface{}) error                            { return nil }
func (b InsertBuilder) RunWith(r BaseRunner) InsertBuilder                        { return b }
func (b InsertBuilder) Columns(columns ...string) InsertBuilder                   { return b }
func (b InsertBuilder) Values(values ...interface{}) InsertBuilder                { return b }
func (b InsertBuilder) SetMap(clauses map[string]interface{}) InsertBuilder       { return b }
func (b InsertBuilder) Suffix(sql string, args ...interface{}) InsertBuilder      { return b }
func (b InsertBuilder) ToSql() (string, []interface{}, error)                     { return "", nil, nil }
func (b InsertBuilder) Exec() (sql.Result, error)                                 { return nil, nil }
func (b InsertBuilder) QueryRow() RowScanner                                      { return nil }
func (b UpdateBuilder) RunWith(r BaseRunner) UpdateBuilder                        { return b }
func (b UpdateBuilder) Set(column string, value interface{}) UpdateBuilder        { return b }
func (b UpdateBuilder) SetMap(clauses map[string]interface{}) UpdateBuilder       { return b }
func (b UpdateBuilder) Where(pred interface{}, args ...interface{}) UpdateBuilder { return b }
func (b UpdateBuilder) ToSql() (string, []interface{}, error)                     { return "", nil, nil }
func (b UpdateBuilder) Exec() (sql.Result, error)                                 { return nil, nil }
func (b UpdateBuilder) ExecContext(ctx context.Context) (sql.Result, error)       { return nil, nil }
func (b DeleteBuilder) RunWith(r BaseRunner) DeleteBuilder                        { return b }
func (b DeleteBuilder) Where(pred interface{}, args ...interface{}) DeleteBuilder { return b }
func (b DeleteBuilder) Exec() (sql.Result, error)                                 { return nil, nil }

type (
	Lt       map[string]interface{}
	GtOrEq   map[string]interface{}
	Like     map[string]interface{}
	NotLike  map[string]interface{}
	NotILike map[string]interface{}
)

func (b SelectBuilder) Distinct() SelectBuilder                                           { return b }
func (b SelectBuilder) Columns(columns ...string) SelectBuilder                           { return b }
func (b SelectBuilder) Column(column interface{}, args ...interface{}) SelectBuilder      { return b }
func (b SelectBuilder) RemoveColumns() SelectBuilder                                      { return b }
func (b SelectBuilder) LeftJoin(join string, rest ...interface{}) SelectBuilder           { return b }
func (b SelectBuilder) CrossJoin(join string, rest ...interface{}) SelectBuilder          { return b }
func (b SelectBuilder) JoinClause(pred interface{}, args ...interface{}) SelectBuilder    { return b }
func (b SelectBuilder) GroupBy(groupBys ...string) SelectBuilder                          { return b }
func (b SelectBuilder) Having(pred interface{}, rest ...interface{}) SelectBuilder        { return b }
func (b SelectBuilder) OrderByClause(pred interface{}, args ...interface{}) SelectBuilder { return b }
func (b SelectBuilder) Offset(offset uint64) SelectBuilder                                { return b }
func (b SelectBuilder) RemoveLimit() SelectBuilder                                        { return b }
func (b SelectBuilder) RemoveOffset() SelectBuilder                                       { return b }
func (b SelectBuilder) Prefix(sql string, args ...interface{}) SelectBuilder              { return b }
func (b SelectBuilder) Options(options ...string) SelectBuilder                           { return b }
func (b InsertBuilder) Select(sb SelectBuilder) InsertBuilder                             { return b }
func (b InsertBuilder) Into(from string) InsertBuilder                                    { return b }
func (b UpdateBuilder) Limit(limit uint64) UpdateBuilder                                  { return b }
func Replace(into string) InsertBuilder                                                   { return InsertBuilder{} }

func (Lt) ToSql() (string, []interface{}, error)       { return "", nil, nil }
func (GtOrEq) ToSql() (string, []interface{}, error)   { return "", nil, nil }
func (Like) ToSql() (string, []interface{}, error)     { return "", nil, nil }
func (NotLike) ToSql() (string, []interface{}, error)  { return "", nil, nil }
func (NotILike) ToSql() (string, []interface{}, error) { return "", nil, nil }
