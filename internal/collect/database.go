package collect

import (
	"context"
	"fmt"
)

// Database is where clients connect.
type Database interface {
	// Name says what it is, with its version.
	Name() string
	// Prepare makes what the workload needs, empty. It may be called again, without clients.
	Prepare(ctx context.Context) error
	Connect(ctx context.Context) (Conn, error)
	// Close removes what Prepare made.
	Close(ctx context.Context) error
}

// Conn is a connection. An error of any method but Commit means that the transaction has no
// effect, as long as Commit is not called.
type Conn interface {
	Begin(ctx context.Context) error
	Do(ctx context.Context, r Request) (Answer, error)
	// Commit ends the transaction. The error is a *Refused if it certainly has no effect.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	// Close gives the connection up, and with it the transaction that runs.
	Close()
}

// Refused is the error of a database that says that a transaction has no effect.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// Op is what a request does.
type Op string

const (
	Read        Op = "read"      // of a register: Found, Value, Data
	Write       Op = "write"     // Value and Data to a register
	Append      Op = "append"    // Value to the end of a list
	ReadList    Op = "read-list" // Elements
	Add         Op = "add"       // Value to a set
	ReadSet     Op = "read-set"  // Elements
	Increment   Op = "increment" // a counter by Value
	ReadCounter Op = "read-counter"
	Put         Op = "put"  // a row with Value: Found tells whether there was one
	Bury        Op = "bury" // Value is the tombstone of a row
	Scan        Op = "scan" // Rows from Key to High
)

// Request is one statement of a transaction.
type Request struct {
	Op    Op    `json:"op"`
	Key   int64 `json:"key"`
	High  int64 `json:"high,omitempty"`
	Value int64 `json:"value,omitempty"`
	Data  int64 `json:"data,omitempty"`
}

// Answer is what a request returned.
type Answer struct {
	Found    bool    `json:"found,omitempty"`
	Value    int64   `json:"value,omitempty"`
	Data     int64   `json:"data,omitempty"`
	Elements []int64 `json:"elements,omitempty"`
	Rows     []Row   `json:"rows,omitempty"`
}

// Row is a row of a scan, or a tombstone.
type Row struct {
	Key   int64 `json:"key"`
	Value int64 `json:"value"`
	Dead  bool  `json:"dead,omitempty"`
}

// Isolation is a level of SQL.
type Isolation string

// isolations are the levels by the names of the command line.
var isolations = map[string]Isolation{
	"ru": "READ UNCOMMITTED", "rc": "READ COMMITTED", "rr": "REPEATABLE READ", "serializable": "SERIALIZABLE",
}

// ParseIsolation gives the level of a name.
func ParseIsolation(name string) (Isolation, error) {
	if l, ok := isolations[name]; ok {
		return l, nil
	}
	return "", fmt.Errorf("there is no isolation %q; it is ru, rc, rr or serializable", name)
}
