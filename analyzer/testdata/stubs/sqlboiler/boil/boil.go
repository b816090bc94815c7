// Package boil has what generated code uses of the package of this name.
package boil

import (
	"context"
	"database/sql"
)

type Executor interface {
	Exec(query string, args ...interface{}) (sql.Result, error)
	Query(query string, args ...interface{}) (*sql.Rows, error)
	QueryRow(query string, args ...interface{}) *sql.Row
}

type ContextExecutor interface {
	Executor
	ExecContext(context.Context, string, ...interface{}) (sql.Result, error)
	QueryContext(context.Context, string, ...interface{}) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...interface{}) *sql.Row
}

type Columns struct {
	Kind int
	Cols []string
}

func None() Columns
func Infer() Columns
func Whitelist(columns ...string) Columns
func Blacklist(columns ...string) Columns
func Greylist(columns ...string) Columns

func TimestampsAreSkipped(ctx context.Context) bool
