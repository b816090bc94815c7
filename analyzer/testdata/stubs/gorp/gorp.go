// Package gorp has the signatures of gorp, without what they do.
package gorp

import (
	"context"
	"database/sql"
)

type DbMap struct{ Db *sql.DB }

type Transaction struct{ dbmap *DbMap }

type TableMap struct{ TableName string }

func (t *TableMap) SetKeys(auto bool, fields ...string) *TableMap { return t }

func (m *DbMap) AddTable(i any) *TableMap                      { return nil }
func (m *DbMap) AddTableWithName(i any, name string) *TableMap { return nil }
func (m *DbMap) WithContext(ctx context.Context) SqlExecutor   { return nil }
func (m *DbMap) Begin() (*Transaction, error)                  { return nil, nil }
func (m *DbMap) Insert(list ...any) error                      { return nil }
func (m *DbMap) Get(i any, keys ...any) (any, error)           { return nil, nil }

func (m *DbMap) SelectInt(query string, args ...any) (int64, error) { return 0, nil }

func (t *Transaction) Insert(list ...any) error                               { return nil }
func (t *Transaction) Update(list ...any) (int64, error)                      { return 0, nil }
func (t *Transaction) Delete(list ...any) (int64, error)                      { return 0, nil }
func (t *Transaction) Get(i any, keys ...any) (any, error)                    { return nil, nil }
func (t *Transaction) Exec(query string, args ...any) (sql.Result, error)     { return nil, nil }
func (t *Transaction) Select(i any, query string, args ...any) ([]any, error) { return nil, nil }
func (t *Transaction) SelectOne(holder any, query string, args ...any) error  { return nil }
func (t *Transaction) Commit() error                                          { return nil }
func (t *Transaction) Rollback() error                                        { return nil }

type SqlExecutor interface {
	Insert(list ...any) error
	Update(list ...any) (int64, error)
	Delete(list ...any) (int64, error)
	Get(i any, keys ...any) (any, error)
	Exec(query string, args ...any) (sql.Result, error)
	Select(i any, query string, args ...any) ([]any, error)
	SelectOne(holder any, query string, args ...any) error
}
