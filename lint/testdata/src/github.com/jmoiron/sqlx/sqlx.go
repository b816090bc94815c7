// Package sqlx has the declarations of sqlx that the tests need.
package sqlx

import (
	"context"
	"database/sql"
)

type DB struct{ *sql.DB }

type Tx struct{ *sql.Tx }

func (db *DB) Beginx() (*Tx, error) { return nil, nil }

func (db *DB) BeginTxx(ctx context.Context, opts *sql.TxOptions) (*Tx, error) { return nil, nil }

func (tx *Tx) Get(dest any, query string, args ...any) error { return nil }

func (tx *Tx) GetContext(ctx context.Context, dest any, query string, args ...any) error { return nil }

func (tx *Tx) Select(dest any, query string, args ...any) error { return nil }

func (tx *Tx) NamedExec(query string, arg any) (sql.Result, error) { return nil, nil }
