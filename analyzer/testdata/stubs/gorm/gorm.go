// Package gorm has the types and signatures of GORM that tests need. Nothing of
// it runs.
package gorm

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

var ErrRecordNotFound = errors.New("record not found")

type Config struct {
	SkipDefaultTransaction bool
	NamingStrategy         schema.NamingStrategy
}

type Statement struct{ Table string }

type DB struct {
	*Config
	Error        error
	RowsAffected int64
	Statement    *Statement
	clone        int
}

type Session struct {
	DryRun, NewDB, SkipHooks, AllowGlobalUpdate, FullSaveAssociations, PrepareStmt, Initialized bool
	Context                                                                                     context.Context
}

type Model struct {
	ID        uint `gorm:"primarykey"`
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt DeletedAt `gorm:"index"`
}

type DeletedAt sql.NullTime

func (n *DeletedAt) Scan(value interface{}) error   { return nil }
func (n DeletedAt) Value() (driver.Value, error)    { return nil, nil }
func (DeletedAt) QueryClauses(f *int) []interface{} { return nil }

type Association struct{ Error error }

func (a *Association) Append(values ...interface{}) error { return nil }

type Migrator interface{ HasTable(dst interface{}) bool }

func Expr(expr string, args ...interface{}) clause.Expr { return clause.Expr{SQL: expr, Vars: args} }
func Open(d interface{}, opts ...*Config) (*DB, error)  { return nil, nil }

func (db *DB) Model(value interface{}) *DB                                           { return db }
func (db *DB) Clauses(conds ...clause.Expression) *DB                                { return db }
func (db *DB) Table(name string, args ...interface{}) *DB                            { return db }
func (db *DB) Distinct(args ...interface{}) *DB                                      { return db }
func (db *DB) Select(query interface{}, args ...interface{}) *DB                     { return db }
func (db *DB) Omit(columns ...string) *DB                                            { return db }
func (db *DB) Where(query interface{}, args ...interface{}) *DB                      { return db }
func (db *DB) Not(query interface{}, args ...interface{}) *DB                        { return db }
func (db *DB) Or(query interface{}, args ...interface{}) *DB                         { return db }
func (db *DB) Joins(query string, args ...interface{}) *DB                           { return db }
func (db *DB) InnerJoins(query string, args ...interface{}) *DB                      { return db }
func (db *DB) Group(name string) *DB                                                 { return db }
func (db *DB) Having(query interface{}, args ...interface{}) *DB                     { return db }
func (db *DB) Order(value interface{}) *DB                                           { return db }
func (db *DB) Limit(limit int) *DB                                                   { return db }
func (db *DB) Offset(offset int) *DB                                                 { return db }
func (db *DB) Scopes(funcs ...func(*DB) *DB) *DB                                     { return db }
func (db *DB) Preload(query string, args ...interface{}) *DB                         { return db }
func (db *DB) Attrs(attrs ...interface{}) *DB                                        { return db }
func (db *DB) Assign(attrs ...interface{}) *DB                                       { return db }
func (db *DB) Unscoped() *DB                                                         { return db }
func (db *DB) Raw(sql string, values ...interface{}) *DB                             { return db }
func (db *DB) Create(value interface{}) *DB                                          { return db }
func (db *DB) CreateInBatches(value interface{}, batchSize int) *DB                  { return db }
func (db *DB) Save(value interface{}) *DB                                            { return db }
func (db *DB) First(dest interface{}, conds ...interface{}) *DB                      { return db }
func (db *DB) Take(dest interface{}, conds ...interface{}) *DB                       { return db }
func (db *DB) Last(dest interface{}, conds ...interface{}) *DB                       { return db }
func (db *DB) Find(dest interface{}, conds ...interface{}) *DB                       { return db }
func (db *DB) FirstOrInit(dest interface{}, conds ...interface{}) *DB                { return db }
func (db *DB) FirstOrCreate(dest interface{}, conds ...interface{}) *DB              { return db }
func (db *DB) Update(column string, value interface{}) *DB                           { return db }
func (db *DB) Updates(values interface{}) *DB                                        { return db }
func (db *DB) UpdateColumn(column string, value interface{}) *DB                     { return db }
func (db *DB) UpdateColumns(values interface{}) *DB                                  { return db }
func (db *DB) Delete(value interface{}, conds ...interface{}) *DB                    { return db }
func (db *DB) Count(count *int64) *DB                                                { return db }
func (db *DB) Row() *sql.Row                                                         { return nil }
func (db *DB) Rows() (*sql.Rows, error)                                              { return nil, nil }
func (db *DB) Scan(dest interface{}) *DB                                             { return db }
func (db *DB) Pluck(column string, dest interface{}) *DB                             { return db }
func (db *DB) ScanRows(rows *sql.Rows, dest interface{}) error                       { return nil }
func (db *DB) Transaction(fc func(tx *DB) error, opts ...*sql.TxOptions) (err error) { return nil }
func (db *DB) Begin(opts ...*sql.TxOptions) *DB                                      { return db }
func (db *DB) Commit() *DB                                                           { return db }
func (db *DB) Rollback() *DB                                                         { return db }
func (db *DB) SavePoint(name string) *DB                                             { return db }
func (db *DB) RollbackTo(name string) *DB                                            { return db }
func (db *DB) Exec(sql string, values ...interface{}) *DB                            { return db }
func (db *DB) Session(config *Session) *DB                                           { return db }
func (db *DB) WithContext(ctx context.Context) *DB                                   { return db }
func (db *DB) Debug() *DB                                                            { return db }
func (db *DB) AutoMigrate(dst ...interface{}) error                                  { return nil }
func (db *DB) Association(column string) *Association                                { return nil }
func (db *DB) DB() (*sql.DB, error)                                                  { return nil, nil }
func (db *DB) FindInBatches(dest interface{}, batchSize int, fc func(tx *DB, batch int) error) *DB {
	return db
}
func (db *DB) AddError(err error) error { return err }
