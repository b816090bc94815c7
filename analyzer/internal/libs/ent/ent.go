package ent

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/libs/opaque"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
)

// reads are the methods of ent's clients of an entity that only read.
var reads = map[string]bool{"Query": true, "Get": true, "GetX": true}

// New models code that ent generated: a statement of it may do anything to its
// table, or only read it.
func New(*program.Program) *session.Library {
	return &session.Library{
		Names: program.Names{
			HandleOf:   handleType,
			UsesMethod: func(m *types.Func) (uses, known bool) { return true, sends(m) },
			Generated:  isGenerated,
		},
		Method: func(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
			h, isHandle := memory.Unbox(inv.Args[0]).(*memory.Handle)
			if isHandle && handleType(sig.Recv().Type()) != "" && (name == "Client" || name == "Debug") {
				return h.As(inv.T), true
			}
			return opaque.Methods("ent")(s, inv, name, sig)
		},
		Field: entity,
	}
}

// entity gives the address of the statements on an entity, by the field of a Client
// or Tx.
func entity(s *session.Session, recv memory.Value, owner types.Type, field *types.Var) (memory.Value, bool) {
	h, ok := recv.(*memory.Handle)
	if !ok {
		return nil, false
	}
	q, ok := statementOn(h, owner, field)
	if !ok {
		return nil, false
	}
	c := s.NewCell(field.Type(), "entity", memory.Zeroed)
	s.Put(c, q)
	return &memory.Pointer{To: c}, true
}

// add adds a call to a statement of ent on an entity with some fields. Predicates
// may look at other tables, and what is set, added or removed may be in another one
// unless it is a field.
func add(entity *types.Struct, n *opaque.Statement, name string) {
	switch name {
	case "Query", "Create", "CreateBulk", "MapCreateBulk", "Update", "UpdateOne", "UpdateOneID", "Delete", "DeleteOne", "DeleteOneID":
		n.Reads = reads[name]
		n.What = name + " of ent"
		n.More = strings.HasPrefix(name, "Delete") // and what the database deletes with it
		return
	case "ForUpdate", "ForShare", "Modify", "Use", "Intercept", "Hooks":
		n.Reads = false
		return
	}
	for _, p := range []string{"Set", "Add", "Append", "Clear", "Remove"} {
		field, ok := strings.CutPrefix(name, p)
		if !ok {
			continue
		}
		field = strings.TrimPrefix(field, "Nillable")
		for i := range entity.NumFields() {
			if entity.Field(i).Name() == field {
				return
			}
		}
		n.Tables = nil
		return
	}
	n.More = true
}

// handleType says what a type of code that ent generated is: "either" for its Client,
// "tx" for its Tx, "" for others.
func handleType(t types.Type) string {
	n := gotypes.NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil || !isGenerated(n.Obj().Pkg()) {
		return ""
	}
	switch n.Obj().Name() {
	case "Client": // or that of a transaction
		return "either"
	case "Tx":
		return "tx"
	}
	return ""
}

// isGenerated reports whether ent generated a package.
func isGenerated(pkg *types.Package) bool {
	if pkg.Scope().Lookup("Client") == nil || pkg.Scope().Lookup("Tx") == nil {
		return false
	}
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool {
		return p.Path() == "entgo.io/ent" || strings.HasPrefix(p.Path(), "entgo.io/ent/")
	})
}

// statementOn gives the statements on an entity.
func statementOn(h *memory.Handle, owner types.Type, field *types.Var) (memory.Value, bool) {
	if handleType(owner) == "" || !strings.HasSuffix(gotypes.TypeName(field.Type()), "Client") {
		return nil, false
	}
	q := &opaque.Statement{H: h, What: "a call of ent", By: "ent"}
	pkg := gotypes.NamedOf(owner).Obj().Pkg()
	entity := types.NewStruct(nil, nil)
	if o := pkg.Scope().Lookup(field.Name()); o != nil {
		if s, ok := o.Type().Underlying().(*types.Struct); ok {
			entity = s
		}
	}
	q.Add = func(_ *sqltext.Writer, n *opaque.Statement, name string, _ []memory.Value) { add(entity, n, name) }
	for _, p := range pkg.Imports() {
		if p.Path() != pkg.Path()+"/"+strings.ToLower(field.Name()) {
			continue
		}
		if c, ok := p.Scope().Lookup("Table").(*types.Const); ok && c.Val().Kind() == constant.String {
			q.Tables = []string{constant.StringVal(c.Val())}
		}
	}
	return q, true
}

// sends reports whether a method belongs to a statement of a library of
// which calls are not modelled.
func sends(m *types.Func) bool {
	recv := m.Signature().Recv()
	if recv == nil {
		return false
	}
	n := gotypes.NamedOf(recv.Type())
	return n != nil && n.Obj().Pkg() != nil && isGenerated(n.Obj().Pkg()) && opaque.Sending[strings.TrimSuffix(m.Name(), "X")]
}
