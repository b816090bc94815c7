package pgx

import (
	"go/types"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/internal/client"
)

// New models pgx v5 and v4: what it has beside the methods of database/sql.
func New(*program.Program) *session.Library {
	const v5, v4 = "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v4"
	l := &session.Library{
		Names: program.Names{
			Drivers: map[string]program.Database{"github.com/jackc/pgx": program.PostgreSQL},
			Handles: map[string]string{},
			Results: map[string]program.Role{v5 + "/pgconn.CommandTag": program.ExecRole, "github.com/jackc/pgconn.CommandTag": program.ExecRole},
			Methods: map[string]program.Role{"CopyFrom": program.OwnRole, "SendBatch": program.OwnRole, "BeginFunc": program.InTxRole, "BeginTxFunc": program.InTxRole,
				"Release": program.IdleRole, "Acquire": program.WithRole, "PgConn": program.WithRole, "Hijack": program.WithRole,
				"ExecParams": program.OwnRole, "ExecPrepared": program.OwnRole, "CopyTo": program.OwnRole, "ExecBatch": program.OwnRole, "ExecStatement": program.OwnRole, "StartPipeline": program.OwnRole},
			Uses: []string{v5 + ".BeginFunc", v5 + ".BeginTxFunc", "(*" + v4 + "/pgxpool.Pool).BeginFunc", "(*" + v4 + "/pgxpool.Pool).BeginTxFunc",
				v5 + ".CollectRows", v5 + ".AppendRows", v5 + ".CollectOneRow", v5 + ".CollectExactlyOneRow", v5 + ".ForEachRow"},
			Options: []string{v5 + ".QueryExecMode", v5 + ".QueryResultFormats"},
			NoRows:  []string{v5 + ".ErrNoRows", v4 + ".ErrNoRows"},
		},
		Functions: map[string]session.CallModel{
			v5 + ".BeginFunc": session.RunInTransaction, v5 + ".BeginTxFunc": session.RunInTransaction,
			"(*" + v4 + "/pgxpool.Pool).BeginFunc": session.RunInTransaction, "(*" + v4 + "/pgxpool.Pool).BeginTxFunc": session.RunInTransaction,
			v5 + ".CollectRows": collect(collectRows), v5 + ".AppendRows": collect(collectRows),
			v5 + ".CollectOneRow": collect(collectOne), v5 + ".CollectExactlyOneRow": collect(collectOne), v5 + ".ForEachRow": collect(forEach),
		},
		Method: method,
	}
	lower := map[string]string{v5: v5 + "/pgconn", v4: "github.com/jackc/pgconn"}
	for _, v := range []string{v5, v4} {
		for name, kind := range map[string]string{".Tx": "tx", ".Conn": "db", "/pgxpool.Pool": "db", "/pgxpool.Conn": "db", "/pgxpool.Tx": "tx"} {
			l.Handles[v+name] = kind
		}
		l.Handles[lower[v]+".PgConn"] = "db"
		l.Results[v+".Rows"], l.Results[v+".Row"] = program.QueryRole, program.QueryRowRole
		l.Whole = append(l.Whole, v+".Batch")
	}
	return l
}

// onConn models the methods of the connection below a handle that send something. Those with a text
// send that; what the others send was prepared or put together elsewhere.
func onConn(s *session.Session, inv *session.Invocation, h *memory.Handle, name string, args []memory.Value) (memory.Value, bool) {
	switch name {
	case "Exec", "ExecParams", "CopyTo", "CopyFrom":
		for _, a := range args {
			if v, ok := memory.Unbox(a).(memory.Scalar); ok && v.Kind == client.Text {
				return s.SendOpen(inv, h, v, args), true
			}
		}
	case "ExecPrepared", "ExecStatement", "ExecBatch", "StartPipeline":
	default:
		return nil, false
	}
	s.Anything(h, nil, false, "a call of "+name+" of the connection below")
	return s.Fresh(inv.T, "result", memory.Unknown), true
}

// method models CopyFrom and SendBatch, and the methods of batches.
func method(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
	args := inv.Args[1:]
	switch recv := memory.Unbox(inv.Args[0]).(type) {
	case *memory.Handle:
		args = s.WithoutContext(sig, args)
		if strings.HasSuffix(gotypes.TypeName(sig.Recv().Type()), "/pgconn.PgConn") {
			return onConn(s, inv, recv, name, args)
		}
		switch {
		case name == "CopyFrom" && len(args) > 0:
			return copyFrom(s, inv, recv, args), true
		case name == "SendBatch" && len(args) > 0:
			return sendBatch(s, recv, args), true
		}
	case *batch:
		return onBatch(s, inv, recv, name, args)
	case *memory.Pointer:
		if b, ok := batchAt(s.Memory, recv); ok {
			return onBatch(s, inv, b, name, args)
		}
	}
	return nil, false
}
