package gorp

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/quote"
)

// paths are the modules of gorp and of what is made of it.
var paths = []string{"github.com/go-gorp/gorp", "gopkg.in/gorp.v1", "gopkg.in/gorp.v2", "github.com/letsencrypt/borp"}

// isPath reports whether a package is one of gorp.
func isPath(path string) bool {
	for _, p := range paths {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// handleType says what statements are sent through in gorp: "db", "tx", "either" or "".
func handleType(t types.Type) string {
	n := gotypes.NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil || !isPath(n.Obj().Pkg().Path()) {
		return ""
	}
	return map[string]string{"DbMap": "db", "Transaction": "tx", "SqlExecutor": "either"}[n.Obj().Name()]
}

// call is what a method of gorp does.
type call uint8

const (
	noCall     call = iota
	oneCall         // (destination, SQL, arguments …): one row
	allCall         // the same with all rows
	scalarCall      // (SQL, arguments …): one value
	insertCall      // (structs …)
	updateCall
	deleteCall
	getCall // (struct, keys …)
)

var methods = map[string]call{
	"SelectOne": oneCall, "Select": allCall, "SelectInt": scalarCall, "SelectNullInt": scalarCall, "SelectFloat": scalarCall,
	"SelectNullFloat": scalarCall, "SelectStr": scalarCall, "SelectNullStr": scalarCall,
	"Insert": insertCall, "Update": updateCall, "Delete": deleteCall, "Get": getCall,
}

// callOf gives what a method does: one of gorp, or of an interface that has its
// signature, if the program uses gorp.
func (l *usage) callOf(recv types.Type, name string, sig *types.Signature) call {
	c := methods[name]
	if c == noCall || handleType(recv) != "" {
		return c
	}
	if !l.used || !types.IsInterface(recv) || !sig.Variadic() || gotypes.IsText(last(sig).Elem()) {
		return noCall
	}
	n := sig.Params().Len() - 1
	at := 0
	if n > 0 && gotypes.IsContext(sig.Params().At(0).Type()) {
		at = 1
	}
	results := ""
	for i := range sig.Results().Len() {
		results += types.TypeString(sig.Results().At(i).Type().Underlying(), nil) + ";"
	}
	anything := func(i int) bool { return i < n && types.IsInterface(sig.Params().At(i).Type()) }
	errs := types.TypeString(gotypes.ErrorType.Underlying(), nil) + ";"
	switch c {
	case oneCall:
		if n-at == 2 && anything(at) && gotypes.IsText(sig.Params().At(at+1).Type()) && results == errs {
			return c
		}
	case allCall:
		if n-at == 2 && anything(at) && gotypes.IsText(sig.Params().At(at+1).Type()) && sig.Results().Len() == 2 {
			return c
		}
	case insertCall:
		if n == at && results == errs {
			return c
		}
	case updateCall, deleteCall:
		if n == at && results == "int64;"+errs {
			return c
		}
	case getCall:
		if n-at == 1 && anything(at) && sig.Results().Len() == 2 {
			return c
		}
	}
	return noCall
}

// last is the type of the last parameter, which is variadic.
func last(sig *types.Signature) *types.Slice {
	return sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
}

// table is the table that a struct is kept in.
type table struct {
	t    types.Type
	name string
	keys []string // names of fields, or of columns
	auto bool     // the database makes the key
	// several says that the struct is kept in more tables than one.
	several bool
}

// usage is what is known of how a program uses gorp: whether it does, and the tables
// that it registers.
type usage struct {
	p      *program.Program
	used   bool
	tables []*table
}

// run models the calls of one interpretation.
type run struct {
	*sqltext.Writer
	lib *usage
}

// New models gorp, and borp, which is made of it.
func New(p *program.Program) *session.Library {
	l := &usage{p: p}
	for _, pkg := range p.Pkgs {
		l.used = l.used || slices.ContainsFunc(pkg.Pkg.Imports(), func(i *types.Package) bool { return isPath(i.Path()) })
	}
	role := func(m *types.Func) call { return l.callOf(m.Signature().Recv().Type(), m.Name(), m.Signature()) }
	return &session.Library{
		Names: program.Names{
			Paths:      paths,
			HandleOf:   handleType,
			Sends:      func(m *types.Func) bool { return role(m) != noCall },
			UsesMethod: func(m *types.Func) (uses, known bool) { return true, role(m) != noCall },
			Look:       l.look,
		},
		Method: func(s *session.Session, inv *session.Invocation, name string, sig *types.Signature) (memory.Value, bool) {
			h, ok := memory.Unbox(inv.Args[0]).(*memory.Handle)
			if !ok {
				return nil, false
			}
			c := l.callOf(sig.Recv().Type(), name, sig)
			if c == noCall {
				return nil, false
			}
			in := &run{&sqltext.Writer{Session: s}, l}
			return in.onCall(inv, h, c, s.WithoutContext(sig, inv.Args[1:])), true
		},
		Named: func(h *memory.Handle) bool { return handleType(h.T) != "" || l.used },
	}
}

// look looks for the registration of a table.
func (l *usage) look(instr ssa.Instruction) {
	c, ok := instr.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().Signature.Recv() == nil {
		return
	}
	f := c.Call.StaticCallee()
	if handleType(f.Signature.Recv().Type()) != "db" || len(c.Call.Args) < 2 {
		return
	}
	model, ok := c.Call.Args[1].(*ssa.MakeInterface)
	if !ok {
		return
	}
	t := &table{t: model.X.Type()}
	named := gotypes.NamedOf(t.t)
	switch f.Name() {
	case "AddTable":
		if named == nil {
			return
		}
		t.name = named.Obj().Name()
	case "AddTableWithName":
		name, isConst := c.Call.Args[2].(*ssa.Const)
		if !isConst {
			return
		}
		t.name = constant.StringVal(name.Value)
	default:
		return
	}
	t.setKeys(c)
	for _, o := range l.tables {
		if types.Identical(o.t, t.t) {
			o.several = o.several || o.name != t.name
			return
		}
	}
	l.tables = append(l.tables, t)
}

// setKeys reads SetKeys, called on what registered the table.
func (t *table) setKeys(made ssa.Value) {
	for _, r := range *made.Referrers() {
		c, ok := r.(*ssa.Call)
		if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().Name() != "SetKeys" || len(c.Call.Args) != 3 || c.Call.Args[0] != made {
			continue
		}
		auto, isConst := c.Call.Args[1].(*ssa.Const)
		s, isSlice := c.Call.Args[2].(*ssa.Slice)
		if !isConst || !isSlice {
			continue
		}
		t.auto = constant.BoolVal(auto.Value)
		for _, r := range *s.X.Referrers() {
			if at, isAddr := r.(*ssa.IndexAddr); isAddr {
				for _, r := range *at.Referrers() {
					if st, isStore := r.(*ssa.Store); isStore {
						if name, isConst := st.Val.(*ssa.Const); isConst {
							t.keys = append(t.keys, constant.StringVal(name.Value))
						}
					}
				}
			}
		}
	}
}

// tableOf gives the table of a struct or of a pointer to one, nil if it is not known.
func (l *usage) tableOf(t types.Type) *table {
	if t == nil {
		return nil
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	for _, o := range l.tables {
		if types.Identical(o.t, t) && !o.several && !hasHooks(t) {
			return o
		}
	}
	return nil
}

// hasHooks reports whether a struct has methods that gorp calls around its
// statements.
func hasHooks(t types.Type) bool {
	for _, name := range []string{"PreInsert", "PostInsert", "PreUpdate", "PostUpdate", "PreDelete", "PostDelete", "PostGet"} {
		if o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, name); o != nil {
			return true
		}
	}
	return false
}

// onCall is a method of gorp.
func (in *run) onCall(inv *session.Invocation, h *memory.Handle, c call, args []memory.Value) memory.Value {
	switch c {
	case oneCall, allCall:
		if _, ok := memory.Unbox(args[0]).(*memory.Pointer); !ok {
			return in.rows(inv, h, args)
		}
		r := program.GetRole
		if c == allCall {
			r = program.SelectRole
		}
		if v, ok := in.Send(inv, h, r, args); ok {
			if t, isTuple := inv.T.(*types.Tuple); isTuple {
				return in.Quiet(t)
			}
			return v
		}
	case scalarCall:
		return in.rows(inv, h, append([]memory.Value{nil}, args...))
	case getCall:
		return in.get(inv, h, args)
	case insertCall, updateCall, deleteCall:
		if list, ok := in.ListOf(args[0]); ok {
			for _, v := range list {
				in.write(h, c, v)
			}
			if _, isTuple := inv.T.(*types.Tuple); isTuple {
				return in.Answer(inv.T, in.SomeCount())
			}
			return &memory.Failure{}
		}
	}
	for _, a := range args {
		in.EmitValue(a)
		in.AskCaller(a, "the struct of a statement comes from its caller")
	}
	in.Anything(h, nil, false, "a call of gorp with arguments that are not known")
	for _, a := range args {
		in.Expose(a)
	}
	return in.Fresh(inv.T, "result", memory.Unknown)
}

// rows is a query whose result goes to (args[0], nil for none) a destination that
// is not known.
func (in *run) rows(inv *session.Invocation, h *memory.Handle, args []memory.Value) memory.Value {
	rest, known := in.ListOf(args[2])
	rs := in.Statement(h, args[1], rest, !known, nil)
	in.MayNotBeSent(h, rs)
	rs.Query.Returned = true
	in.Execute(rs)
	if args[0] != nil {
		in.Expose(args[0])
	}
	return in.Fresh(inv.T, "result", memory.Unknown)
}

// column is a column of a struct. path leads to its field, through embedded
// structs.
type column struct {
	name, field string
	key         bool
	path        []int
	t           types.Type
}

// columns gives the columns of a table, nil if they are not known.
func (in *run) columns(t *table) []column {
	out, ok := in.fields(t.t, nil)
	keys := 0
	for i := range out {
		c := &out[i]
		for _, k := range t.keys {
			c.key = c.key || in.lib.isNamed(k, c)
		}
		if c.key {
			keys++
		}
	}
	if !ok || keys != len(t.keys) {
		return nil
	}
	return out
}

// fields gives the columns of the fields of a struct, and of those that are
// embedded in it, but for fields of a name that another one had before.
func (in *run) fields(t types.Type, path []int) (out []column, ok bool) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil, false
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		at := append(slices.Clone(path), i)
		if f.Embedded() {
			inner, ok := in.fields(f.Type(), at)
			if !ok {
				return nil, false
			}
			for _, c := range inner {
				if !slices.ContainsFunc(out, func(o column) bool { return o.field == c.field }) {
					out = append(out, c)
				}
			}
			continue
		}
		name, _, _ := strings.Cut(gotypes.StructTag(s.Tag(i), "db"), ",")
		if name == "-" || !f.Exported() {
			continue
		}
		if name == "" {
			name = f.Name()
		}
		out = append(out, column{name: in.lib.quoted(name), field: f.Name(), path: at, t: f.Type()})
	}
	return out, true
}

// at gives the value of the field of a column; ok is false where the struct around
// it is not known.
func (c *column) at(s *memory.Aggregate) (v memory.Value, ok bool) {
	v = s
	for _, i := range c.path {
		a, known := v.(*memory.Aggregate)
		if !known || i >= len(a.Parts) {
			return nil, false
		}
		v = a.Parts[i]
	}
	return v, true
}

// isNamed reports whether a key that is registered is a column: by its field, or by
// the name that it has in statements.
func (l *usage) isNamed(key string, c *column) bool {
	return strings.EqualFold(key, c.field) || strings.EqualFold(l.quoted(key), c.name)
}

// in gives the place of the field of a column in a struct.
func (c *column) in(row *memory.Cell) *memory.Cell {
	for _, i := range c.path {
		row = row.Part(i)
	}
	return row
}

// quoted gives a name as it stands in a statement. MySQL ignores case.
func (l *usage) quoted(name string) string {
	if l.p.MySQL {
		name = strings.ToLower(name)
	}
	return quote.Ident(name)
}

// write sends the statement for one struct.
func (in *run) write(h *memory.Handle, c call, v memory.Value) {
	r := memory.RefTo(v)
	table := in.lib.tableOf(r.T)
	s, known := in.StructOf(v)
	if table != nil && len(table.keys) == 0 && c != insertCall { // gorp refuses it
		table = nil
	}
	if table == nil || !known {
		in.EmitValue(v)
		in.AskCaller(v, "the struct of a statement comes from its caller")
		var tables []string
		if table != nil {
			tables = []string{table.name}
		}
		in.Anything(h, tables, false, "a call of gorp with a struct that is not known")
		in.Expose(v)
		return
	}
	cols := in.columns(table)
	for i := range cols {
		if _, known := cols[i].at(s); !known {
			cols = nil
			break
		}
	}
	if cols == nil {
		in.EmitValue(v)
		in.Anything(h, []string{table.name}, false, "a call of gorp with a struct of columns that are not known")
		in.Expose(v)
		return
	}
	var names []string
	var vals, sets, keys []sqltext.Fragment
	for _, col := range cols {
		field, _ := col.at(s)
		val := in.ParamOf(memory.Box{V: field, T: col.t})
		if col.key {
			keys = append(keys, sqltext.Frag(col.name+" = ").Plus(val))
		} else {
			sets = append(sets, sqltext.Frag(col.name+" = ").Plus(val))
		}
		if !col.key || !table.auto {
			names, vals = append(names, col.name), append(vals, val)
		}
	}
	name := in.lib.quoted(table.name)
	var f sqltext.Fragment
	switch c {
	case insertCall:
		f = sqltext.Frag("INSERT INTO "+name+" ("+strings.Join(names, ", ")+") VALUES (").Plus(sqltext.Join(vals, ", "), sqltext.Frag(")"))
	case updateCall:
		f = sqltext.Frag("UPDATE "+name+" SET ").Plus(sqltext.Join(sets, ", "), sqltext.Frag(" WHERE "), sqltext.Join(keys, " AND "))
	default:
		f = sqltext.Frag("DELETE FROM " + name + " WHERE ").Plus(sqltext.Join(keys, " AND "))
	}
	in.Execute(in.SendText(h, f))
	if p, ok := memory.Unbox(v).(*memory.Pointer); ok && c == insertCall && table.auto {
		for _, col := range cols {
			if col.key {
				in.Store(col.in(p.To), in.FreshValue(col.t))
			}
		}
	}
}

// get is Get: a row by its key, in an interface that is nil without one.
func (in *run) get(inv *session.Invocation, h *memory.Handle, args []memory.Value) memory.Value {
	table := in.lib.tableOf(memory.RefTo(args[0]).T)
	keys, known := in.ListOf(args[1])
	var cols []column
	if table != nil && len(table.keys) > 0 {
		cols = in.columns(table)
	}
	if cols == nil || !known || len(keys) != len(table.keys) {
		for _, a := range args {
			in.EmitValue(a)
			in.AskCaller(a, "the struct of a statement comes from its caller")
		}
		in.Anything(h, nil, true, "a Get of gorp of a struct that is not known")
		return in.Fresh(inv.T, "row", memory.Unknown)
	}
	var names []string
	for _, c := range cols {
		names = append(names, c.name)
	}
	var conds []sqltext.Fragment
	for i, k := range table.keys {
		for _, c := range cols {
			if in.lib.isNamed(k, &c) {
				conds = append(conds, sqltext.Frag(c.name+" = ").Plus(in.ParamOf(keys[i])))
			}
		}
	}
	rs := in.SendText(h, sqltext.Frag("SELECT "+strings.Join(names, ", ")+" FROM "+in.lib.quoted(table.name)+" WHERE ").Plus(sqltext.Join(conds, " AND ")))
	row := in.NewCell(table.t, "row", memory.Zeroed)
	if !rs.Mine || row.Whole() {
		rs.Query.Returned = true
		in.Execute(rs)
		return in.Fresh(inv.T, "row", memory.Unknown)
	}
	rs.One = true
	in.Execute(rs)
	var dests []memory.Value
	for _, c := range cols {
		dests = append(dests, &memory.Pointer{To: c.in(row)})
	}
	err, ok := in.Scan(rs, dests).(*memory.Failure)
	if !ok {
		panic("analyzer: the error of a row is none")
	}
	in.IsBoxed(row)
	found := memory.Box{V: &memory.Pointer{To: row, IsNil: err.NoRows}, T: types.NewPointer(table.t)}
	return memory.Tuple{found, &memory.Failure{Other: err.Other}}
}
