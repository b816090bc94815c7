package std

import (
	"context"
	"database/sql"
)

// Queue has methods with the names of those of libraries, and with fewer arguments. The one
// that sends a statement makes it a database.
type Queue interface {
	Exec(query string, args ...any) (sql.Result, error)
	Prepare() error
	Stmt() *sql.Stmt
	Rebind() string
	NamedExec(query string) (sql.Result, error)
	NamedQuery(query string) (*sql.Rows, error)
	Get() error
	GetContext(ctx context.Context) error
	Select(dest any) error
	SendBatch() error
	CopyFrom() error
	PrepareNamed() error
	BeginFunc() error
	NewRaw() error
}

// Alike calls them all.
func Alike(q Queue, n int) error {
	var ctx context.Context
	for _, f := range []func() error{q.Prepare, q.Get, q.SendBatch} {
		if err := f(); err != nil {
			return err
		}
	}
	switch n {
	case 0:
		return q.Prepare()
	case 1:
		q.Stmt()
	case 2:
		q.Rebind()
	case 3:
		q.NamedExec("UPDATE logs SET n = 1")
	case 4:
		q.NamedQuery("SELECT n FROM logs")
	case 5:
		return q.Get()
	case 6:
		return q.Select(&n)
	case 7:
		return q.SendBatch()
	case 8:
		return q.CopyFrom()
	case 9:
		return q.PrepareNamed()
	case 10:
		return q.BeginFunc()
	case 11:
		return q.GetContext(ctx)
	case 12:
		return q.NewRaw()
	}
	_, err := q.Exec("UPDATE logs SET n = 2") // want `UPDATE logs SET n = 2`
	return err
}
