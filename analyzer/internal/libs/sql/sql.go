package sql

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// New models database/sql, and what is like it in other libraries: the methods of
// values that statements are sent through. It knows github.com/lib/pq and crdb, too.
func New(*program.Program) *session.Library {
	return &session.Library{
		Names: program.Names{
			Handles:  map[string]string{"database/sql.DB": "db", "database/sql.Conn": "db", "database/sql.Tx": "tx"},
			Prepared: []string{"database/sql.Stmt"},
			Results: map[string]program.Role{"database/sql.Result": program.ExecRole, "database/sql.Rows": program.QueryRole, "database/sql.Row": program.QueryRowRole,
				"database/sql.Stmt": program.PrepareRole},
			Methods: map[string]program.Role{
				"Exec": program.ExecRole, "ExecContext": program.ExecRole, "Query": program.QueryRole, "QueryContext": program.QueryRole,
				"QueryRow": program.QueryRowRole, "QueryRowContext": program.QueryRowRole,
				"Tx": program.BeginRole, "Begin": program.BeginRole, "BeginTx": program.BeginRole, "Commit": program.CommitRole, "Rollback": program.RollbackRole,
				"Prepare": program.PrepareRole, "PrepareContext": program.PrepareRole,
				"Close": program.IdleRole, "Ping": program.IdleRole, "PingContext": program.IdleRole, "SetMaxOpenConns": program.IdleRole,
				"Stmt": program.SameRole, "StmtContext": program.SameRole, "Conn": program.WithRole,
			},
			Drivers: drivers,
			Uses:    []string{"github.com/cockroachdb/cockroach-go/v2/crdb.ExecuteTx"},
			NoRows:  []string{"database/sql.ErrNoRows"},
		},
		Functions: map[string]session.CallModel{
			"database/sql.Named":                                    namedArg,
			"(*database/sql.Conn).Raw":                              raw,
			"github.com/lib/pq.Array":                               session.GivesLast,
			"github.com/lib/pq.QuoteIdentifier":                     session.Computes,
			"github.com/lib/pq.CopyIn":                              copyIn,
			"github.com/lib/pq.CopyInSchema":                        copyIn,
			"github.com/cockroachdb/cockroach-go/v2/crdb.ExecuteTx": session.RunInTransaction,
		},
		Method: onCopy,
	}
}

// drivers are modules of drivers for database/sql. Those of SQLite are listed for all libraries.
var drivers = map[string]program.Database{"github.com/go-sql-driver/mysql": program.MySQL, "github.com/lib/pq": program.PostgreSQL,
	"github.com/mattn/go-sqlite3": program.SQLite, "modernc.org/sqlite": program.SQLite, "github.com/ncruces/go-sqlite3": program.SQLite,
	"github.com/glebarez/sqlite": program.SQLite, "github.com/glebarez/go-sqlite": program.SQLite, "gorm.io/driver/sqlite": program.SQLite,
	"github.com/uptrace/bun/driver/sqliteshim": program.SQLite, "github.com/tursodatabase/go-libsql": program.SQLite,
	"github.com/tursodatabase/libsql-client-go": program.SQLite, "zombiezen.com/go/sqlite": program.SQLite}

// raw is a call of Raw: the function that it gets may send anything through the connection of the driver.
func raw(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	h, ok := memory.Unbox(inv.Args[0]).(*memory.Handle)
	if ok && in.IsOpen() && in.Perhaps(h) && in.Trace == nil {
		in.Unknown("a call of Raw, which gives the connection of the transaction away")
	}
	return nil, false
}

// copying begins the text of a statement that pq.CopyIn makes: what follows is the INSERT of a row.
const copying = "COPY by "

// copyIn is pq.CopyIn of lib/pq, with the names of the table and its columns.
func copyIn(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	last := len(inv.Args) - 1
	var table []string
	for _, a := range inv.Args[:last] {
		name, known := memory.ConstText(a)
		if !known {
			return nil, false
		}
		table = append(table, name)
	}
	columns := session.TextsIn(in, inv.Args[last])
	if len(columns) == 0 {
		return nil, false
	}
	return memory.Of(client.C(ir.Text(copying+session.InsertText(table, columns))), client.Text), true
}

// onCopy models a statement that pq.CopyIn makes: Exec inserts a row, and one without values ends the copy.
func onCopy(in *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	p, ok := memory.Unbox(inv.Args[0]).(*memory.Prepared)
	if !ok || in.P.Know.Methods[name] != program.ExecRole {
		return nil, false
	}
	text, known := memory.ConstText(p.SQL)
	insert, isCopy := strings.CutPrefix(text, copying)
	if !known || !isCopy {
		return nil, false
	}
	args := in.WithoutContext(sig, inv.Args[1:])
	if list, ok := in.ListOf(args[len(args)-1]); ok && len(list) == 0 {
		return in.Quiet(inv.T), true
	}
	return in.Send(inv, p.H, program.ExecRole, append([]memory.Value{memory.Of(client.C(ir.Text(insert)), client.Text)}, args...))
}

// namedArg is sql.Named: a struct of a name and a value.
func namedArg(in *session.Session, inv *session.Invocation) (memory.Value, bool) {
	a, ok := in.Zero(inv.T).(*memory.Aggregate)
	if !ok {
		return nil, false
	}
	for i, n := range a.Names() {
		switch n {
		case "Name":
			a.Parts[i] = inv.Args[0]
		case "Value":
			a.Parts[i] = inv.Args[1]
		}
	}
	return a, true
}
