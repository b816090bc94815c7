// Package pgx has the declarations of pgx that the tests need.
package pgx

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

var ErrNoRows = errors.New("no rows in result set")

type TxIsoLevel string

const (
	Serializable   TxIsoLevel = "serializable"
	RepeatableRead TxIsoLevel = "repeatable read"
)

type TxOptions struct {
	IsoLevel   TxIsoLevel
	BeginQuery string
}

type NamedArgs map[string]any

type Identifier []string

type Row interface{ Scan(dest ...any) error }

type Rows interface {
	Close()
	Err() error
	Next() bool
	Scan(dest ...any) error
}

type CollectableRow interface{ Scan(dest ...any) error }

type RowToFunc[T any] func(row CollectableRow) (T, error)

type QueuedQuery struct{}

type Batch struct{ queued []*QueuedQuery }

func (b *Batch) Queue(query string, arguments ...any) *QueuedQuery {
	q := &QueuedQuery{}
	b.queued = append(b.queued, q)
	return q
}

type BatchResults interface {
	Exec() (pgconn.CommandTag, error)
	Query() (Rows, error)
	QueryRow() Row
	Close() error
}

type CopyFromSource interface{ Next() bool }

func CopyFromRows(rows [][]any) CopyFromSource { return nil }

type Tx interface {
	Begin(ctx context.Context) (Tx, error)
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) Row
	SendBatch(ctx context.Context, b *Batch) BatchResults
	CopyFrom(ctx context.Context, tableName Identifier, columnNames []string, rowSrc CopyFromSource) (int64, error)
}

type Conn struct{ n int }

func (c *Conn) PgConn() *pgconn.PgConn { return nil }

type beginner interface {
	Begin(ctx context.Context) (Tx, error)
}

func BeginFunc(ctx context.Context, db beginner, fn func(Tx) error) error { return nil }

func BeginTxFunc(ctx context.Context, db interface {
	BeginTx(ctx context.Context, txOptions TxOptions) (Tx, error)
}, txOptions TxOptions, fn func(Tx) error) error {
	return nil
}

func CollectRows[T any](rows Rows, fn RowToFunc[T]) ([]T, error) { return nil, nil }

func CollectOneRow[T any](rows Rows, fn RowToFunc[T]) (t T, err error) { return t, nil }

func CollectExactlyOneRow[T any](rows Rows, fn RowToFunc[T]) (t T, err error) { return t, nil }

func RowTo[T any](row CollectableRow) (t T, err error) { return t, nil }

func RowToStructByName[T any](row CollectableRow) (t T, err error) { return t, nil }

func ForEachRow(rows Rows, scans []any, fn func() error) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, nil
}

func RowToStructByPos[T any](row CollectableRow) (t T, err error) { return t, nil }

func RowToAddrOfStructByName[T any](row CollectableRow) (t *T, err error) { return t, nil }

func AppendRows[T any](slice []T, rows Rows, fn RowToFunc[T]) ([]T, error) { return nil, nil }
