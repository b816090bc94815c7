// Package pgconn has the declarations of pgx that the tests need.
package pgconn

type CommandTag struct{ s string }

func (t CommandTag) RowsAffected() int64 { return int64(len(t.s)) }

type PgError struct{ Code, ConstraintName, Message string }

func (e *PgError) Error() string { return e.Message }
