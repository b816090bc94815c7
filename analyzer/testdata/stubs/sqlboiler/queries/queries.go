// Package queries has what generated code uses of the package of this name.
package queries

import (
	"context"
	"database/sql"

	"github.com/aarondl/sqlboiler/v4/boil"
)

type Query struct{ raw string }

func Raw(query string, args ...interface{}) *Query

func (q *Query) ExecContext(ctx context.Context, exec boil.ContextExecutor) (sql.Result, error)
func (q *Query) QueryContext(ctx context.Context, exec boil.ContextExecutor) (*sql.Rows, error)
func (q *Query) QueryRowContext(ctx context.Context, exec boil.ContextExecutor) *sql.Row
func (q *Query) Bind(ctx context.Context, exec boil.Executor, obj interface{}) error

func GetSelect(q *Query) []string
func SetSelect(q *Query, sel []string)
func SetLimit(q *Query, limit int)
