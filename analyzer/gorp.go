package analyzer

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// gorpPaths are the modules of gorp and of what is made of it.
var gorpPaths = []string{"github.com/go-gorp/gorp", "gopkg.in/gorp.v1", "gopkg.in/gorp.v2", "github.com/letsencrypt/borp"}

// isGorpPath reports whether a package is one of gorp.
func isGorpPath(path string) bool {
	for _, p := range gorpPaths {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// gorpType says what statements are sent through in gorp: "db", "tx", "either" or "".
func gorpType(t types.Type) string {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil || !isGorpPath(n.Obj().Pkg().Path()) {
		return ""
	}
	return map[string]string{"DbMap": "db", "Transaction": "tx", "SqlExecutor": "either"}[n.Obj().Name()]
}

// gorpCall is what a method of gorp does.
type gorpCall uint8

const (
	noGorp     gorpCall = iota
	gorpOne             // (destination, SQL, arguments …): one row
	gorpAll             // the same with all rows
	gorpScalar          // (SQL, arguments …): one value
	gorpInsert          // (structs …)
	gorpUpdate
	gorpDelete
	gorpGet // (struct, keys …)
)

var gorpMethods = map[string]gorpCall{
	"SelectOne": gorpOne, "Select": gorpAll, "SelectInt": gorpScalar, "SelectNullInt": gorpScalar, "SelectFloat": gorpScalar,
	"SelectNullFloat": gorpScalar, "SelectStr": gorpScalar, "SelectNullStr": gorpScalar,
	"Insert": gorpInsert, "Update": gorpUpdate, "Delete": gorpDelete, "Get": gorpGet,
}

// gorpRole gives what a method does: one of gorp, or of an interface that has its
// signature, if the program uses gorp.
func (p *program) gorpRole(recv types.Type, name string, sig *types.Signature) gorpCall {
	c := gorpMethods[name]
	if c == noGorp || gorpType(recv) != "" {
		return c
	}
	if !p.gorp.used || !types.IsInterface(recv) || !sig.Variadic() || isText(last(sig).Elem()) {
		return noGorp
	}
	n := sig.Params().Len() - 1
	at := 0
	if n > 0 && isNamed(sig.Params().At(0).Type(), "context", "Context") {
		at = 1
	}
	results := ""
	for i := range sig.Results().Len() {
		results += types.TypeString(sig.Results().At(i).Type().Underlying(), nil) + ";"
	}
	anything := func(i int) bool { return i < n && types.IsInterface(sig.Params().At(i).Type()) }
	errs := types.TypeString(errorType.Underlying(), nil) + ";"
	switch c {
	case gorpOne:
		if n-at == 2 && anything(at) && isText(sig.Params().At(at+1).Type()) && results == errs {
			return c
		}
	case gorpAll:
		if n-at == 2 && anything(at) && isText(sig.Params().At(at+1).Type()) && sig.Results().Len() == 2 {
			return c
		}
	case gorpInsert:
		if n == at && results == errs {
			return c
		}
	case gorpUpdate, gorpDelete:
		if n == at && results == "int64;"+errs {
			return c
		}
	case gorpGet:
		if n-at == 1 && anything(at) && sig.Results().Len() == 2 {
			return c
		}
	}
	return noGorp
}

// last is the type of the last parameter, which is variadic.
func last(sig *types.Signature) *types.Slice {
	return sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
}

// gorpTable is the table that a struct is kept in.
type gorpTable struct {
	t    types.Type
	name string
	keys []string // names of fields, or of columns
	auto bool     // the database makes the key
	// several says that the struct is kept in more tables than one.
	several bool
}

// gorpTables are those that a program registers.
type gorpTables struct {
	used   bool
	tables []*gorpTable
}

// findGorp looks for the registration of a table.
func (p *program) findGorp(instr ssa.Instruction) {
	c, ok := instr.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().Signature.Recv() == nil {
		return
	}
	f := c.Call.StaticCallee()
	if gorpType(f.Signature.Recv().Type()) != "db" || len(c.Call.Args) < 2 {
		return
	}
	model, ok := c.Call.Args[1].(*ssa.MakeInterface)
	if !ok {
		return
	}
	t := &gorpTable{t: model.X.Type()}
	named := namedOf(t.t)
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
	for _, o := range p.gorp.tables {
		if types.Identical(o.t, t.t) {
			o.several = o.several || o.name != t.name
			return
		}
	}
	p.gorp.tables = append(p.gorp.tables, t)
}

// setKeys reads SetKeys, called on what registered the table.
func (t *gorpTable) setKeys(made ssa.Value) {
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

// gorpTableOf gives the table of a struct or of a pointer to one, nil if it is not known.
func (p *program) gorpTableOf(t types.Type) *gorpTable {
	if t == nil {
		return nil
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	for _, o := range p.gorp.tables {
		if types.Identical(o.t, t) && !o.several && !hasGorpHooks(t) {
			return o
		}
	}
	return nil
}

// hasGorpHooks reports whether a struct has methods that gorp calls around its
// statements.
func hasGorpHooks(t types.Type) bool {
	for _, name := range []string{"PreInsert", "PostInsert", "PreUpdate", "PostUpdate", "PreDelete", "PostDelete", "PostGet"} {
		if o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, name); o != nil {
			return true
		}
	}
	return false
}

// onGorp is a method of gorp.
func (in *interp) onGorp(inv *invocation, h *handle, c gorpCall, args []value) value {
	switch c {
	case gorpOne, gorpAll:
		if _, ok := unbox(args[0]).(*pointer); !ok {
			return in.gorpRows(inv, h, args)
		}
		r := getRole
		if c == gorpAll {
			r = selectRole
		}
		if v, ok := in.send(inv, h, r, args); ok {
			if t, isTuple := inv.t.(*types.Tuple); isTuple {
				return in.quiet(t)
			}
			return v
		}
	case gorpScalar:
		return in.gorpRows(inv, h, append([]value{nil}, args...))
	case gorpGet:
		return in.gorpGet(inv, h, args)
	case gorpInsert, gorpUpdate, gorpDelete:
		if list, ok := in.listOf(args[0]); ok {
			for _, v := range list {
				in.gorpWrite(h, c, v)
			}
			if _, isTuple := inv.t.(*types.Tuple); isTuple {
				return in.answer(inv.t, in.someCount())
			}
			return &failure{}
		}
	}
	for _, a := range args {
		in.emitValue(a)
		in.askCaller(a)
	}
	in.anything(h, nil, false, "a call of gorp with arguments that are not known")
	for _, a := range args {
		in.expose(a)
	}
	return in.fresh(inv.t, "result", unknown)
}

// gorpRows is a query whose result goes to (args[0], nil for none) a destination that
// is not known.
func (in *interp) gorpRows(inv *invocation, h *handle, args []value) value {
	rest, known := in.listOf(args[2])
	rs := in.statement(h, args[1], rest, !known, nil)
	rs.query.Returned = true
	in.execute(rs)
	if args[0] != nil {
		in.expose(args[0])
	}
	return in.fresh(inv.t, "result", unknown)
}

// askCaller takes note that what a statement is made of comes from the caller.
func (in *interp) askCaller(v value) {
	if s, ok := unbox(v).(scalar); ok && in.site == "" && in.given(s.e) {
		in.result.fromCaller("the struct of a statement comes from its caller", in.pos)
	}
}

// gorpColumn is a column of a struct. path leads to its field, through embedded
// structs.
type gorpColumn struct {
	name, field string
	key         bool
	path        []int
	t           types.Type
}

// gorpColumns gives the columns of a table, nil if they are not known.
func (in *interp) gorpColumns(t *gorpTable) []gorpColumn {
	out, ok := in.gorpFields(t.t, nil)
	keys := 0
	for i := range out {
		c := &out[i]
		for _, k := range t.keys {
			c.key = c.key || in.p.gorpNames(k, c)
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

// gorpFields gives the columns of the fields of a struct, and of those that are
// embedded in it, but for fields of a name that another one had before.
func (in *interp) gorpFields(t types.Type, path []int) (out []gorpColumn, ok bool) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil, false
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		at := append(slices.Clone(path), i)
		if f.Embedded() {
			inner, ok := in.gorpFields(f.Type(), at)
			if !ok {
				return nil, false
			}
			for _, c := range inner {
				if !slices.ContainsFunc(out, func(o gorpColumn) bool { return o.field == c.field }) {
					out = append(out, c)
				}
			}
			continue
		}
		name, _, _ := strings.Cut(structTag(s.Tag(i), "db"), ",")
		if name == "-" || !f.Exported() {
			continue
		}
		if name == "" {
			name = f.Name()
		}
		out = append(out, gorpColumn{name: in.p.gorpName(name), field: f.Name(), path: at, t: f.Type()})
	}
	return out, true
}

// at gives the value of the field of a column; ok is false where the struct around
// it is not known.
func (c *gorpColumn) at(s *aggregate) (v value, ok bool) {
	v = s
	for _, i := range c.path {
		a, known := v.(*aggregate)
		if !known || i >= len(a.parts) {
			return nil, false
		}
		v = a.parts[i]
	}
	return v, true
}

// gorpNames reports whether a key that is registered is a column: by its field, or by
// the name that it has in statements.
func (p *program) gorpNames(key string, c *gorpColumn) bool {
	return strings.EqualFold(key, c.field) || strings.EqualFold(p.gorpName(key), c.name)
}

// in gives the place of the field of a column in a struct.
func (c *gorpColumn) in(row *cell) *cell {
	for _, i := range c.path {
		row = row.part(i)
	}
	return row
}

// gorpName gives a name as it stands in a statement. MySQL ignores case.
func (p *program) gorpName(name string) string {
	if p.mysql {
		name = strings.ToLower(name)
	}
	return gormmodel.Quote(name)
}

// gorpWrite sends the statement for one struct.
func (in *interp) gorpWrite(h *handle, c gorpCall, v value) {
	r := refTo(v)
	table := in.p.gorpTableOf(r.t)
	s, known := in.structOf(v)
	if table != nil && len(table.keys) == 0 && c != gorpInsert { // gorp refuses it
		table = nil
	}
	if table == nil || !known {
		in.emitValue(v)
		in.askCaller(v)
		var tables []string
		if table != nil {
			tables = []string{table.name}
		}
		in.anything(h, tables, false, "a call of gorp with a struct that is not known")
		in.expose(v)
		return
	}
	cols := in.gorpColumns(table)
	for i := range cols {
		if _, known := cols[i].at(s); !known {
			cols = nil
			break
		}
	}
	if cols == nil {
		in.emitValue(v)
		in.anything(h, []string{table.name}, false, "a call of gorp with a struct of columns that are not known")
		in.expose(v)
		return
	}
	var names []string
	var vals, sets, keys []fragment
	for _, col := range cols {
		field, _ := col.at(s)
		val := in.paramOf(box{field, col.t})
		if col.key {
			keys = append(keys, frag(col.name+" = ").plus(val))
		} else {
			sets = append(sets, frag(col.name+" = ").plus(val))
		}
		if !col.key || !table.auto {
			names, vals = append(names, col.name), append(vals, val)
		}
	}
	name := in.p.gorpName(table.name)
	var f fragment
	switch c {
	case gorpInsert:
		f = frag("INSERT INTO "+name+" ("+strings.Join(names, ", ")+") VALUES (").plus(joinFragments(vals, ", "), frag(")"))
	case gorpUpdate:
		f = frag("UPDATE "+name+" SET ").plus(joinFragments(sets, ", "), frag(" WHERE "), joinFragments(keys, " AND "))
	default:
		f = frag("DELETE FROM " + name + " WHERE ").plus(joinFragments(keys, " AND "))
	}
	in.execute(in.sendText(h, f))
	if p, ok := unbox(v).(*pointer); ok && c == gorpInsert && table.auto {
		for _, col := range cols {
			if col.key {
				in.store(col.in(p.to), in.freshValue(col.t))
			}
		}
	}
}

// gorpGet is Get: a row by its key, in an interface that is nil without one.
func (in *interp) gorpGet(inv *invocation, h *handle, args []value) value {
	table := in.p.gorpTableOf(refTo(args[0]).t)
	keys, known := in.listOf(args[1])
	var cols []gorpColumn
	if table != nil && len(table.keys) > 0 {
		cols = in.gorpColumns(table)
	}
	if cols == nil || !known || len(keys) != len(table.keys) {
		for _, a := range args {
			in.emitValue(a)
			in.askCaller(a)
		}
		in.anything(h, nil, true, "a Get of gorp of a struct that is not known")
		return in.fresh(inv.t, "row", unknown)
	}
	var names []string
	for _, c := range cols {
		names = append(names, c.name)
	}
	var conds []fragment
	for i, k := range table.keys {
		for _, c := range cols {
			if in.p.gorpNames(k, &c) {
				conds = append(conds, frag(c.name+" = ").plus(in.paramOf(keys[i])))
			}
		}
	}
	rs := in.sendText(h, frag("SELECT "+strings.Join(names, ", ")+" FROM "+in.p.gorpName(table.name)+" WHERE ").plus(joinFragments(conds, " AND ")))
	row := in.newCell(table.t, "row", zeroed)
	if !rs.mine || row.whole() {
		rs.query.Returned = true
		in.execute(rs)
		return in.fresh(inv.t, "row", unknown)
	}
	rs.one = true
	in.execute(rs)
	var dests []value
	for _, c := range cols {
		dests = append(dests, &pointer{to: c.in(row)})
	}
	err, ok := in.scan(rs, dests).(*failure)
	if !ok {
		panic("analyzer: the error of a row is none")
	}
	in.boxed[row] = true
	found := box{&pointer{to: row, isNil: err.noRows}, types.NewPointer(table.t)}
	return tuple{found, &failure{other: err.other}}
}

// gorpNamed gives the values of parameters with names, if a call of gorp has just one
// map or struct of them.
func (in *interp) gorpNamed(h *handle, text string, args []value) []client.Arg {
	if gorpType(h.t) == "" && !in.p.gorp.used || len(args) != 1 || !strings.Contains(text, ":") {
		return nil
	}
	return in.namedArgs(args[0])
}
