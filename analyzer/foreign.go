package analyzer

import (
	"go/constant"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/gormmodel"
)

// foreign is a statement that a library builds whose calls are not modelled one by
// one: bun, or code that ent generated. What counts is its table, and whether it
// only reads.
type foreign struct {
	h *handle
	// tables are those that it changes, or (reads) looks at, nil for all; more says
	// that it may look at others. raw is its text, if the program gives that.
	tables []string
	more   bool
	raw    *fragment
	reads  bool
	what   string
	// entity is the struct of an entity of ent.
	entity *types.Struct
}

// bunQueries are the methods of bun that begin a statement, with whether it only
// reads.
var bunQueries = map[string]bool{"NewSelect": true, "NewInsert": false, "NewUpdate": false, "NewDelete": false, "NewMerge": false,
	"NewRaw": false, "NewValues": true, "NewCreateTable": false, "NewDropTable": false, "NewTruncateTable": false, "NewAddColumn": false,
	"NewDropColumn": false, "NewCreateIndex": false, "NewDropIndex": false}

// foreignSends are the methods that send such a statement.
var foreignSends = map[string]bool{
	"Exec": true, "Scan": true, "Count": true, "ScanAndCount": true, "Exists": true, "Rows": true, // bun
	"Save": true, "All": true, "Only": true, "First": true, "Exist": true, "IDs": true, "OnlyID": true, "FirstID": true, "Get": true, // ent
	"Ints": true, "Strings": true, "Float64s": true, "Bools": true, "Int": true, "String": false,
}

// entReads are the methods of ent's clients of an entity that only read.
var entReads = map[string]bool{"Query": true, "Get": true, "GetX": true}

// beginForeign begins a statement of bun.
func (in *interp) beginForeign(h *handle, name string, args []value) (value, bool) {
	reads, ok := bunQueries[name]
	if !ok {
		return nil, false
	}
	q := &foreign{h: h, reads: reads, what: name + " of bun"}
	if name == "NewRaw" {
		f := in.rawText(args)
		q.raw = &f
	}
	return q, true
}

// onForeign is a method of a statement that is built.
func (in *interp) onForeign(inv *invocation, q *foreign, name string, args []value) (value, bool) {
	for _, a := range args {
		in.emitValue(a)
	}
	if foreignSends[strings.TrimSuffix(name, "X")] {
		if q.raw != nil {
			rs := in.sendText(q.h, *q.raw)
			rs.query.Standard = false
			rs.query.Returned = true
			in.execute(rs)
		} else {
			if q.more && q.tables != nil {
				in.anything(q.h, nil, true, q.what)
			}
			if !q.more || q.tables == nil || !q.reads {
				in.anything(q.h, q.tables, q.reads, q.what)
			}
		}
		for _, a := range args {
			in.expose(a)
		}
		return in.fresh(inv.t, "result", unknown), true
	}
	n := *q
	if q.entity != nil {
		n.entCall(name)
	} else {
		in.bunCall(&n, name, args)
	}
	if _, isTuple := inv.t.(*types.Tuple); isTuple {
		return in.fresh(inv.t, "result", unknown), true
	}
	return &n, true
}

// bunCall adds a call to a statement of bun.
func (in *interp) bunCall(n *foreign, name string, args []value) {
	switch name {
	case "Model":
		n.tables = nil
		if t := in.bunTable(args[0]); t != "" {
			n.tables = []string{t}
		}
	case "For": // a lock
		n.reads = false
	case "Table", "ModelTableExpr", "ModelTable":
		n.tables = nil
		n.what += " with " + name
	case "TableExpr", "Join", "Relation", "With", "WithRecursive", "Union", "UnionAll", "Intersect", "Except":
		n.more = true
		if n.tables == nil { // Model may follow
			n.what += " with " + name
		}
	case "Where", "WhereOr", "WhereGroup", "Set", "Value", "Column", "ColumnExpr", "Returning", "Having", "OrderExpr", "On", "Apply", "ApplyQueryBuilder":
		if !isPlain(args) {
			n.more = true
		}
	}
}

// isPlain reports whether a condition is a text without a query in it.
func isPlain(args []value) bool {
	s, ok := constText(args[0])
	return ok && !strings.Contains(strings.ToUpper(s), "SELECT")
}

// entCall adds a call to a statement of ent. Predicates may look at other tables,
// and what is set, added or removed may be in another one unless it is a field.
func (n *foreign) entCall(name string) {
	switch name {
	case "Query", "Create", "CreateBulk", "MapCreateBulk", "Update", "UpdateOne", "UpdateOneID", "Delete", "DeleteOne", "DeleteOneID":
		n.reads = entReads[name]
		n.what = name + " of ent"
		n.more = strings.HasPrefix(name, "Delete") // and what the database deletes with it
		return
	case "ForUpdate", "ForShare", "Modify", "Use", "Intercept", "Hooks":
		n.reads = false
		return
	}
	for _, p := range []string{"Set", "Add", "Append", "Clear", "Remove"} {
		field, ok := strings.CutPrefix(name, p)
		if !ok {
			continue
		}
		field = strings.TrimPrefix(field, "Nillable")
		for i := range n.entity.NumFields() {
			if n.entity.Field(i).Name() == field {
				return
			}
		}
		n.tables = nil
		return
	}
	n.more = true
}

// bunTable gives the table of a model of bun, "" if it is not known.
func (in *interp) bunTable(v value) string {
	r := refTo(v)
	if r.t == nil {
		return ""
	}
	t := r.t
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
		if !isNamed(s.Field(i).Type(), "github.com/uptrace/bun", "BaseModel") {
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

// entType says what a type of code that ent generated is: "either" for its Client,
// "tx" for its Tx, "" for others.
func entType(t types.Type) string {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil || !entPackage(n.Obj().Pkg()) {
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

// entPackage reports whether ent generated a package.
func entPackage(pkg *types.Package) bool {
	if pkg.Scope().Lookup("Client") == nil || pkg.Scope().Lookup("Tx") == nil {
		return false
	}
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool {
		return p.Path() == "entgo.io/ent" || strings.HasPrefix(p.Path(), "entgo.io/ent/")
	})
}

// entEntity gives the statements on an entity, by the field of a Client or Tx.
func (in *interp) entEntity(h *handle, owner types.Type, field *types.Var) (value, bool) {
	if entType(owner) == "" || !strings.HasSuffix(typeName(field.Type()), "Client") {
		return nil, false
	}
	q := &foreign{h: h, what: "a call of ent"}
	pkg := namedOf(owner).Obj().Pkg()
	q.entity = types.NewStruct(nil, nil)
	if o := pkg.Scope().Lookup(field.Name()); o != nil {
		if s, ok := o.Type().Underlying().(*types.Struct); ok {
			q.entity = s
		}
	}
	for _, p := range pkg.Imports() {
		if p.Path() != pkg.Path()+"/"+strings.ToLower(field.Name()) {
			continue
		}
		if c, ok := p.Scope().Lookup("Table").(*types.Const); ok && c.Val().Kind() == constant.String {
			q.tables = []string{constant.StringVal(c.Val())}
		}
	}
	return q, true
}

// sendsForeign reports whether a method belongs to a statement of a library of
// which calls are not modelled.
func sendsForeign(m *types.Func) bool {
	recv := m.Signature().Recv()
	if recv == nil {
		return false
	}
	n := namedOf(recv.Type())
	return n != nil && n.Obj().Pkg() != nil && entPackage(n.Obj().Pkg()) && foreignSends[strings.TrimSuffix(m.Name(), "X")]
}

// joinForeign joins statements that come by several paths.
func joinForeign(vals []value) (value, bool) {
	if !allOf[*foreign](vals) {
		return nil, false
	}
	out := *vals[0].(*foreign)
	for _, v := range vals[1:] {
		q := v.(*foreign)
		h, ok := joinHandles([]value{out.h, q.h})
		if !ok {
			return nil, false
		}
		out.h = h.(*handle)
		out.reads, out.more = out.reads && q.reads, out.more || q.more
		if !slices.Equal(out.tables, q.tables) || out.raw != q.raw {
			out.tables, out.raw = nil, nil
		}
	}
	return &out, true
}

func sameForeign(a, b *foreign) bool {
	return a == b || sameHandle(a.h, b.h) && a.reads == b.reads && a.more == b.more && a.raw == b.raw && slices.Equal(a.tables, b.tables)
}
