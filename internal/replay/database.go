package replay

import (
	"context"
	"fmt"

	"github.com/txrobust/robust/internal/witness"
)

// server is a database system of one dialect, to which somebody is connected.
type server interface {
	// title is the name and the version of the system.
	title() (name, version string)
	// create makes an empty database.
	create(ctx context.Context, name string) (database, error)
	close() error
}

// database is an empty database that was made for a replay.
type database interface {
	// connect opens a session.
	connect(ctx context.Context) (connection, error)
	// waits reports whether a session waits for a lock, and for which other one. known is
	// false where the server does not tell.
	waits(ctx context.Context, c connection) (waiting, known bool)
	// session gives the statements with which each session begins.
	session(plan *witness.Plan) []string
	// begin gives the statements that begin a transaction. With snapshot, it takes its
	// snapshot at once, as far as that is possible; otherwise the first query does.
	begin(level string, snapshot bool) []string
	// takeSnapshot is the query that takes it, "" if begin does.
	takeSnapshot() string
	// drop removes the database, whoever is connected.
	drop(ctx context.Context) error
}

// connection is a session.
type connection interface {
	// run sends a request and gives what came back. The error is one of the connection;
	// errors of SQL are replies.
	run(ctx context.Context, q request) (*reply, error)
	// close ends the session, even if a command is under way.
	close()
}

// request is a command with the values of its parameters; nil is NULL.
type request struct {
	sql    string
	params []*string
	rows   bool // something comes back
}

func statement(sql string) request { return request{sql: sql} }

// reply is what came back.
type reply struct {
	rows [][]*string
	// types are the names of the types of the columns, as far as they matter.
	types []string
	// columns are the names of the columns.
	columns []string
	// count is the number of rows, or -1 if there is none.
	count int
	// code and message are those of an error, "" if there is none; rolledBack says that
	// a COMMIT did not commit.
	code, message string
	rolledBack    bool
}

func (r *reply) failed() bool { return r.code != "" || r.rolledBack }

// failure is an error in a line.
func (r *reply) failure() string {
	if r.rolledBack {
		return "the transaction was rolled back"
	}
	return r.code + " (" + r.message + ")"
}

// open connects to the server of a connection string.
func open(ctx context.Context, dialect, dsn string) (server, error) {
	switch dialect {
	case witness.Postgres:
		return openPostgres(ctx, dsn)
	case witness.MySQL:
		return openMySQL(ctx, dsn)
	}
	return nil, fmt.Errorf("replay: there is no dialect %q", dialect)
}
