package sql

import (
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
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
			Drivers: map[string]program.Database{"github.com/go-sql-driver/mysql": program.MySQL, "github.com/lib/pq": program.PostgreSQL},
			Uses:    []string{"github.com/cockroachdb/cockroach-go/v2/crdb.ExecuteTx"},
			NoRows:  []string{"database/sql.ErrNoRows"},
		},
		Functions: map[string]session.CallModel{
			"database/sql.Named":                                    namedArg,
			"github.com/lib/pq.Array":                               session.GivesLast,
			"github.com/lib/pq.QuoteIdentifier":                     session.Computes,
			"github.com/cockroachdb/cockroach-go/v2/crdb.ExecuteTx": session.RunInTransaction,
		},
	}
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
