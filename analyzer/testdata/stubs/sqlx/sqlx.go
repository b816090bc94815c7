// Package sqlx has the types and signatures of sqlx that tests need. Nothing of it
// runs.
package sqlx

import (
	"context"
	"database/sql"
)

type DB struct{ *sql.DB }
type Tx struct{ *sql.Tx }
type Rows struct{ *sql.Rows }
type Row struct{}
type NamedStmt struct{}
type Stmt struct{ *sql.Stmt }

func In(query string, args ...interface{}) (string, []interface{}, error) { return "", nil, nil }
func Named(query string, arg interface{}) (string, []interface{}, error)  { return "", nil, nil }
func (db *DB) Beginx() (*Tx, error)                                       { return nil, nil }
func (db *DB) Rebind(query string) string                                 { return query }
func (db *DB) BindNamed(query string, arg interface{}) (string, []interface{}, error) {
	return "", nil, nil
}
func (tx *Tx) BindNamed(query string, arg interface{}) (string, []interface{}, error) {
	return "", nil, nil
}
func (db *DB) NamedExec(query string, arg interface{}) (sql.Result, error)    { return nil, nil }
func (db *DB) PrepareNamed(query string) (*NamedStmt, error)                  { return nil, nil }
func (tx *Tx) NamedExec(query string, arg interface{}) (sql.Result, error)    { return nil, nil }
func (tx *Tx) NamedQuery(query string, arg interface{}) (*Rows, error)        { return nil, nil }
func (tx *Tx) PrepareNamed(query string) (*NamedStmt, error)                  { return nil, nil }
func (tx *Tx) Preparex(query string) (*Stmt, error)                           { return nil, nil }
func (db *DB) BeginTxx(ctx context.Context, opts *sql.TxOptions) (*Tx, error) { return nil, nil }
func (tx *Tx) GetContext(ctx context.Context, dest interface{}, query string, args ...interface{}) error {
	return nil
}
func (tx *Tx) MustExecContext(ctx context.Context, query string, args ...any) sql.Result { return nil }

func (tx *Tx) SelectContext(ctx context.Context, dest interface{}, query string, args ...interface{}) error {
	return nil
}
func (tx *Tx) Get(dest interface{}, query string, args ...interface{}) error { return nil }
func (tx *Tx) Select(dest interface{}, query string, args ...interface{}) error {
	return nil
}
func (tx *Tx) Rebind(query string) string                                        { return query }
func (tx *Tx) Stmtx(stmt interface{}) *Stmt                                      { return nil }
func (db *DB) Select(dest interface{}, query string, args ...interface{}) error  { return nil }
func MustConnect(driver, source string) *DB                                      { return nil }
func (tx *Tx) NamedStmt(stmt *NamedStmt) *NamedStmt                              { return stmt }
func (n *NamedStmt) Exec(arg interface{}) (sql.Result, error)                    { return nil, nil }
func (n *NamedStmt) Get(dest interface{}, arg interface{}) error                 { return nil }
func (n *NamedStmt) Select(dest interface{}, arg interface{}) error              { return nil }
func (n *NamedStmt) GetContext(ctx context.Context, dest, arg interface{}) error { return nil }
func (s *Stmt) Get(dest interface{}, args ...interface{}) error                  { return nil }
func (s *Stmt) Select(dest interface{}, args ...interface{}) error               { return nil }
func (tx *Tx) QueryRowx(query string, args ...interface{}) *Row                  { return nil }
func (r *Row) StructScan(dest interface{}) error                                 { return nil }
func (r *Rows) StructScan(dest interface{}) error                                { return nil }
func (r *Row) MapScan(dest map[string]interface{}) error                         { return nil }
func (r *Row) SliceScan() ([]interface{}, error)                                 { return nil, nil }

// Ext is what both a database and a transaction do.
type Ext interface {
	Query(query string, args ...interface{}) (*sql.Rows, error)
	Exec(query string, args ...interface{}) (sql.Result, error)
}

const (
	UNKNOWN = iota
	QUESTION
	DOLLAR
	NAMED
	AT
)

func Get(q interface{}, dest interface{}, query string, args ...interface{}) error { return nil }
func Rebind(bindType int, query string) string                                     { return query }
func BindNamed(bindType int, query string, arg interface{}) (string, []interface{}, error) {
	return "", nil, nil
}
