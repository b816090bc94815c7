// Package scan has the declarations of a library that sends statements through the database which it gets.
package scan

import (
	"context"
	"database/sql"
)

type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func Get(ctx context.Context, db Querier, dst any, query string, args ...any) error { return nil }

type Conn struct{ *sql.DB }

type Session struct{ conn *Conn }

func (c *Conn) NewSession() *Session { return &Session{conn: c} }

func (s *Session) Remove(table string) error { return nil }

func Cleanup(db *sql.DB) error { return nil }

func CleanAll(dbs ...*sql.DB) error { return nil }

func Each(ctx context.Context, db Querier, query string, fn func() error) error { return nil }

// Getter gives the transaction of a context.
func Getter(ctx context.Context, db Querier) Querier { return db }

// Wrap gives a database that counts what is sent.
func Wrap(db Querier) Querier { return db }

// Serve calls the methods of a service.
func Serve(service any) error { return nil }

// Options may have the database.
type Options struct{ Source any }

func RunMap(m map[string]any) error { return nil }

func RunList(list []any) error { return nil }

func RunFunc(open func() *sql.DB) error { return nil }

func RunExec(exec func(ctx context.Context, query string, args ...any) (sql.Result, error)) error {
	return nil
}

func RunOptions(o *Options) error { return nil }

func RunChan(c chan *sql.DB) error { return nil }

func RunOf[T any](v T) error { return nil }

// Job is what keeps a context for what it does later.
type Job interface{ SetContext(ctx context.Context) }

// InTx runs a function in a transaction of a database that it has.
func InTx(f func(tx *sql.Tx) error) error { return nil }

// Message has the transaction in which it was received.
type Message struct {
	Tx *sql.Tx
	ID int
}

func Receive(f func(m *Message) error) error { return nil }

// Worker works on what was received.
type Worker interface {
	Work(tx *sql.Tx, id int) error
}

func Start(w Worker) error { return nil }
