// Package dotsql has the types and functions of github.com/qustavo/dotsql that tests use.
package dotsql

import (
	"context"
	"database/sql"
)

type Execer interface {
	Exec(query string, args ...interface{}) (sql.Result, error)
}

type ExecerContext interface {
	ExecContext(ctx context.Context, query string, args ...interface{}) (sql.Result, error)
}

type QueryRower interface {
	QueryRow(query string, args ...interface{}) *sql.Row
}

type DotSql struct{ queries map[string]string }

func LoadFromFile(path string) (*DotSql, error) { return nil, nil }

func (d DotSql) Exec(db Execer, name string, args ...interface{}) (sql.Result, error) {
	return nil, nil
}
func (d DotSql) ExecContext(ctx context.Context, db ExecerContext, name string, args ...interface{}) (sql.Result, error) {
	return nil, nil
}
func (d DotSql) QueryRow(db QueryRower, name string, args ...interface{}) (*sql.Row, error) {
	return nil, nil
}
func (d DotSql) Raw(name string) (string, error) { return "", nil }
