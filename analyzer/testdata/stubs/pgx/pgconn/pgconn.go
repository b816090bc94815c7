// Package pgconn has the declarations of pgx that the tests need.
package pgconn

import "context"

type CommandTag struct{ s string }

func (t CommandTag) RowsAffected() int64 { return int64(len(t.s)) }

type PgError struct{ Code, ConstraintName, Message string }

func (e *PgError) Error() string { return e.Message }

type MultiResultReader struct{}

func (r *MultiResultReader) ReadAll() ([]any, error) { return nil, nil }

type ResultReader struct{}

func (r *ResultReader) Close() (CommandTag, error) { return CommandTag{}, nil }

type PgConn struct{ n int }

func (c *PgConn) Exec(ctx context.Context, sql string) *MultiResultReader { return nil }

func (c *PgConn) ExecParams(ctx context.Context, sql string, paramValues [][]byte, paramOIDs []uint32, paramFormats, resultFormats []int16) *ResultReader {
	return nil
}

func (c *PgConn) ExecPrepared(ctx context.Context, stmtName string, paramValues [][]byte, paramFormats, resultFormats []int16) *ResultReader {
	return nil
}

func (c *PgConn) PID() uint32 { return 0 }
