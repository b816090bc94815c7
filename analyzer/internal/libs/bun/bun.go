package bun

import (
	"go/types"
	"reflect"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/libs/opaque"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/gormmodel"
)

// queries are the methods of bun that begin a statement, with whether it only
// reads.
var queries = map[string]bool{"NewSelect": true, "NewInsert": false, "NewUpdate": false, "NewDelete": false, "NewMerge": false,
	"NewRaw": false, "NewValues": true, "NewCreateTable": false, "NewDropTable": false, "NewTruncateTable": false, "NewAddColumn": false,
	"NewDropColumn": false, "NewCreateIndex": false, "NewDropIndex": false}

// New models bun: a statement of it may do anything to its table, or only read it.
func New(p *program.Program) *session.Library {
	return &session.Library{
		Names: program.Names{
			Drivers: map[string]program.Database{"github.com/uptrace/bun/driver/pgdriver": program.PostgreSQL},
			Handles: map[string]string{"github.com/uptrace/bun.DB": "db", "github.com/uptrace/bun.Conn": "db", "github.com/uptrace/bun.Tx": "tx"},
			Uses:    []string{"(*github.com/uptrace/bun.DB).RunInTx"},
			UsesMethod: func(m *types.Func) (uses, known bool) {
				_, begins := queries[m.Name()]
				return true, begins && p.HandleType(m.Signature().Recv().Type()) != ""
			},
			Methods: map[string]program.Role{"RunInTx": program.InTxRole},
		},
		Functions: map[string]session.CallModel{"(*github.com/uptrace/bun.DB).RunInTx": session.RunInTransaction},
		Method: func(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
			h, isHandle := memory.Unbox(inv.Args[0]).(*memory.Handle)
			reads, begins := queries[name]
			if !isHandle || !begins {
				return opaque.Methods("bun")(s, inv, name, sig)
			}
			q := &opaque.Statement{H: h, Reads: reads, What: name + " of bun", By: "bun", Add: add}
			if args := s.WithoutContext(sig, inv.Args[1:]); name == "NewRaw" && len(args) > 1 {
				f := (&sqltext.Writer{Session: s}).RawText(args)
				q.Raw = &f
			}
			return q, true
		},
	}
}

// add adds a call to a statement of bun.
func add(_ *sqltext.Writer, n *opaque.Statement, name string, args []memory.Value) {
	switch name {
	case "Model":
		n.Tables = nil
		if t := tableOf(args[0]); t != "" {
			n.Tables = []string{t}
		}
	case "For": // a lock
		n.Reads = false
	case "Table", "ModelTableExpr", "ModelTable":
		n.Tables = nil
		n.What += " with " + name
	case "TableExpr", "Join", "Relation", "With", "WithRecursive", "Union", "UnionAll", "Intersect", "Except":
		n.More = true
		if n.Tables == nil { // Model may follow
			n.What += " with " + name
		}
	case "Where", "WhereOr", "WhereGroup", "Set", "Value", "Column", "ColumnExpr", "Returning", "Having", "OrderExpr", "On", "Apply", "ApplyQueryBuilder":
		if !isPlain(args) {
			n.More = true
		}
	}
}

// isPlain reports whether a condition is a text without a query in it.
func isPlain(args []memory.Value) bool {
	s, ok := memory.ConstText(args[0])
	return ok && !strings.Contains(strings.ToUpper(s), "SELECT")
}

// tableOf gives the table of a model of bun, "" if it is not known.
func tableOf(v memory.Value) string {
	r := memory.RefTo(v)
	if r.T == nil {
		return ""
	}
	t := r.T
	for {
		t = types.Unalias(t)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		} else if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		} else {
			break
		}
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for i := range s.NumFields() {
		if !gotypes.IsNamed(s.Field(i).Type(), "github.com/uptrace/bun", "BaseModel") {
			continue
		}
		for _, part := range strings.Split(reflect.StructTag(s.Tag(i)).Get("bun"), ",") {
			if name, ok := strings.CutPrefix(strings.TrimSpace(part), "table:"); ok {
				return name
			}
		}
	}
	n, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	name := n.Obj().Name()
	for i := range len(name) - 1 { // runs of capitals are spelled in other ways
		if name[i] <= 'Z' && name[i+1] <= 'Z' {
			return ""
		}
	}
	return gormmodel.Naming{}.Table(name)
}
