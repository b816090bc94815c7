package gorm

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
	"github.com/txrobust/robust/ir"
)

// chainRole is what a method of *gorm.DB does.
type chainRole uint8

const (
	noChainRole chainRole = iota
	// These add to the statement.
	modelCall
	tableCall
	selectCall
	distinctCall
	omitCall
	whereCall
	notCall
	orCall
	orderCall
	groupCall
	havingCall
	limitCall
	offsetCall
	joinsCall
	preloadCall
	clausesCall
	scopesCall
	unscopedCall
	attrsCall
	assignCall
	rawCall
	sameCall // changes nothing that matters
	lostCall // changes what is not modelled
	// These send it.
	firstCall
	takeCall
	findCall
	scanCall
	pluckCall
	countCall
	rowCall
	rowsCall
	createCall
	saveCall
	updateCall
	updatesCall
	deleteCall
	firstOrCall
	execCall
	batchesCall
	// These are about the connection.
	sessionCall
	contextCall
	beginCall
	commitCall
	rollbackCall
	pointCall
	rollbackToCall
	connectionCall
	poolCall
	migrateCall
	scanRowsCall
	errorCall
	associationCall
	valueCall // gives a value, and does nothing
)

// chainMethods are the methods of *gorm.DB.
var chainMethods = map[string]chainRole{
	"Model": modelCall, "Table": tableCall, "Select": selectCall, "Distinct": distinctCall, "Omit": omitCall,
	"Where": whereCall, "Not": notCall, "Or": orCall, "Order": orderCall, "Group": groupCall, "Having": havingCall,
	"Limit": limitCall, "Offset": offsetCall, "Joins": joinsCall, "InnerJoins": joinsCall, "Preload": preloadCall,
	"Clauses": clausesCall, "Scopes": scopesCall, "Unscoped": unscopedCall, "Attrs": attrsCall, "Assign": assignCall,
	"Raw": rawCall, "MapColumns": lostCall, "Set": sameCall, "InstanceSet": sameCall,
	"First": firstCall, "Last": firstCall, "Take": takeCall, "Find": findCall, "Scan": scanCall, "Pluck": pluckCall,
	"Count": countCall, "Row": rowCall, "Rows": rowsCall, "Create": createCall, "CreateInBatches": createCall, "Save": saveCall,
	"Update": updateCall, "UpdateColumn": updateCall, "Updates": updatesCall, "UpdateColumns": updatesCall, "Delete": deleteCall,
	"FirstOrCreate": firstOrCall, "FirstOrInit": firstOrCall, "Exec": execCall, "FindInBatches": batchesCall,
	"Session": sessionCall, "WithContext": contextCall, "Debug": contextCall, "Begin": beginCall, "Commit": commitCall,
	"Rollback": rollbackCall, "SavePoint": pointCall, "RollbackTo": rollbackToCall, "Connection": connectionCall, "DB": poolCall,
	"AutoMigrate": migrateCall, "Migrator": valueCall, "ScanRows": scanRowsCall, "AddError": errorCall, "Association": associationCall,
	"Get": valueCall, "InstanceGet": valueCall, "Use": valueCall, "Callback": valueCall, "ToSQL": valueCall, "Name": valueCall,
	"Explain": valueCall, "SetupJoinTable": valueCall,
}

// onChain is a call of a method of *gorm.DB.
func (in *run) onChain(inv *session.Invocation, c *chain, name string, args []memory.Value) (memory.Value, bool) {
	switch r := chainMethods[name]; {
	case r == noChainRole:
		return in.otherCall(c, name, args, inv.T), true
	case r < firstCall:
		return in.addCall(inv, c, r, name, args), true
	case r < sessionCall:
		return in.sendCall(inv, c, r, name, args), true
	default:
		return in.sessionCall(inv, c, r, args)
	}
}

// otherCall is a call that is not modelled: anything happens to the table.
func (in *run) otherCall(c *chain, name string, args []memory.Value, t types.Type) memory.Value {
	for _, a := range args {
		in.EmitValue(a)
		in.Expose(a)
	}
	in.Anything(c.h, in.tablesOf(c), false, "the call of "+name+" of *gorm.DB")
	if gotypes.IsNamed(t, "gorm.io/gorm", "DB") {
		r := in.instance(c)
		in.Put(r.s, &draft{lost: "the call of " + name, model: draftOf(in.Memory, c).model})
		return r
	}
	return in.Fresh(t, "result", memory.Unknown)
}

// tablesOf gives the tables that the statement of a chain is about, nil for all.
func (in *run) tablesOf(c *chain) []string {
	d := draftOf(in.Memory, c)
	if d.badTable || d.table != "" || d.model == nil || d.model.T == nil {
		return nil
	}
	if m := in.lib.models().Model(d.model.T); m != nil && m.Table != "" {
		return []string{m.Table}
	}
	return nil
}

// addCall is a call that adds to the statement.
func (in *run) addCall(inv *session.Invocation, c *chain, r chainRole, name string, args []memory.Value) memory.Value {
	switch r {
	case sameCall:
		for _, a := range args {
			in.EmitValue(a)
		}
		return in.instance(c)
	case whereCall, notCall, orCall, havingCall:
		w, ok := in.conditions(args)
		return in.change(c, func(d *draft, when client.Expr) {
			if !ok {
				return
			}
			x := w
			x.When = when
			switch r {
			case notCall:
				x = negated(w)
				x.When = when
			case orCall:
				x.Or = true
			case havingCall:
				d.having = append(d.having[:len(d.having):len(d.having)], x)
				return
			}
			d.where = append(d.where[:len(d.where):len(d.where)], x)
		})
	case joinsCall:
		return in.joinsCall(c, name, args)
	case clausesCall:
		return in.clausesCall(c, args)
	case scopesCall:
		return in.scopesCall(inv, c, args)
	}
	texts, known := in.TextArgs(args)
	return in.change(c, func(d *draft, when client.Expr) {
		// On one of several paths it changes the chain in place.
		if when != nil && r != modelCall && r != orderCall {
			d.lost = "a statement that several parts of the program change"
			return
		}
		in.addTo(d, r, args, texts, known)
	})
}

// addTo adds the arguments of a call to a statement.
func (in *run) addTo(d *draft, r chainRole, args []memory.Value, texts []string, known bool) {
	switch r {
	case modelCall:
		d.model = memory.RefTo(args[0])
	case tableCall:
		in.tableCall(d, args)
	case distinctCall, selectCall:
		d.distinct = d.distinct || r == distinctCall
		if r == distinctCall && known && len(texts) == 0 {
			return
		}
		in.selectCall(d, args, texts, known)
	case omitCall:
		d.omits = texts
		if len(texts) == 1 {
			d.omits = strings.FieldsFunc(texts[0], func(r rune) bool { return r == ',' || r == ' ' })
		}
		if !known {
			d.lost = "Omit of columns that are not known"
		}
	case orderCall:
		f := sqltext.Frag(client.Hole)
		if s, ok := memory.ConstText(args[0]); ok {
			f = sqltext.Frag(s)
		} else if a, isClause := memory.Unbox(args[0]).(*memory.Aggregate); isClause {
			f = in.orderClause(a)
		}
		if f.Text != "" {
			d.order = append(d.order[:len(d.order):len(d.order)], f)
		}
	case groupCall:
		d.group = client.Hole
		if known && len(texts) == 1 {
			d.group = columnName(texts[0])
		}
	case limitCall:
		d.limit = memory.Unbox(args[0])
		if c, ok := memory.ConstOf(d.limit); ok && c.Kind == ir.KindInt && c.I < 0 {
			d.limit = nil
		}
	case offsetCall:
		d.offset = memory.Unbox(args[0])
		if c, ok := memory.ConstOf(d.offset); ok && c.Kind == ir.KindInt && c.I <= 0 {
			d.offset = nil
		}
	case preloadCall:
		name := client.Hole
		if s, ok := memory.ConstText(args[0]); ok {
			name = s
		}
		if list, ok := in.ListOf(args[len(args)-1]); !ok || len(list) > 0 {
			name += client.Hole // with conditions
		}
		d.preloads = append(d.preloads[:len(d.preloads):len(d.preloads)], name)
	case unscopedCall:
		d.unscoped = true
	case attrsCall, assignCall:
		list, ok := in.ListOf(args[len(args)-1])
		if !ok {
			d.lost = "Attrs that are not known"
		}
		if r == attrsCall {
			d.attrs = list
		} else {
			d.assigns = list
		}
	case rawCall:
		f := in.RawText(args)
		d.raw = &f
	case lostCall:
		d.lost = "a call that is not modelled"
	default:
		panic("analyzer: unknown role of a call of *gorm.DB " + strconv.Itoa(int(r)))
	}
}

func (in *run) tableCall(d *draft, args []memory.Value) {
	list, ok := in.ListOf(args[len(args)-1])
	name, known := memory.ConstText(args[0])
	d.tableArg = nil
	switch {
	case !ok || !known:
		d.lost, d.badTable = "a table that is not known", true
	case len(list) > 0 || strings.ContainsAny(name, " `("):
		f := in.Filled(name, list)
		d.table, d.tableArg = f.Text, f.Args
		d.alias = aliasOf(name)
		if f.Holed() {
			d.lost, d.badTable = "a table that is not known", true
		}
	default:
		d.table = gormmodel.QuoteTable(name)
		d.alias = name[strings.LastIndexByte(name, '.')+1:]
	}
}

// aliasOf gives the name that a text for FROM gives the table.
func aliasOf(text string) string {
	fields := strings.Fields(text)
	n := len(fields)
	if n >= 2 && sqltext.IsIdentifier(fields[n-1]) && (strings.EqualFold(fields[n-2], "as") || n == 2) {
		return fields[n-1]
	}
	if n == 1 {
		return text
	}
	return ""
}

// selectCall are the columns of Select: names, or a text with values for it.
func (in *run) selectCall(d *draft, args []memory.Value, texts []string, known bool) {
	d.columns, d.selects = nil, nil
	first, isText := memory.ConstText(args[0])
	rest, ok := in.ListOf(args[len(args)-1])
	if isText && ok && len(rest) > 0 && (strings.Count(first, "?") >= len(rest) || strings.Contains(first, "@")) {
		f := in.Filled(first, rest)
		d.columns = &f
		return
	}
	if !known {
		for _, a := range args {
			in.EmitValue(a)
		}
		f := sqltext.Frag(client.Hole)
		d.columns = &f
		return
	}
	d.selects = texts
}

// orderClause gives the text of clause.OrderByColumn or clause.OrderBy.
func (in *run) orderClause(a *memory.Aggregate) sqltext.Fragment {
	if gotypes.TypeName(a.T) == "gorm.io/gorm/clause.OrderByColumn" {
		if col, ok := memory.Unbox(memory.Field(a, "Column")).(*memory.Aggregate); ok {
			f, _ := in.clauseExpr(col)
			if is, known := memory.ConstOf(memory.Field(a, "Desc")); known && is.IsTrue() {
				f = f.Plus(sqltext.Frag(" DESC"))
			}
			return f
		}
	}
	return sqltext.Frag(client.Hole)
}

// joinsCall is Joins: of a relation, or a text.
func (in *run) joinsCall(c *chain, name string, args []memory.Value) memory.Value {
	list, ok := in.ListOf(args[len(args)-1])
	text, known := memory.ConstText(args[0])
	f := sqltext.Frag(client.Hole)
	if ok && known {
		f = in.Filled(text, list)
	} else {
		for _, a := range args {
			in.EmitValue(a)
		}
	}
	return in.change(c, func(d *draft, when client.Expr) {
		switch {
		case when != nil:
			d.lost = "a statement that several parts of the program change"
		case ok && known && !strings.ContainsAny(text, " \n\t"):
			kind := "LEFT JOIN"
			if name == "InnerJoins" {
				kind = "INNER JOIN"
			}
			if len(list) > 0 {
				d.lost = "a join of a relation with conditions"
			}
			d.related = append(d.related[:len(d.related):len(d.related)], kind+" "+text)
		default:
			d.joins = append(d.joins[:len(d.joins):len(d.joins)], f)
		}
	})
}

// scopesCall applies functions to the statement.
func (in *run) scopesCall(inv *session.Invocation, c *chain, args []memory.Value) memory.Value {
	list, ok := in.ListOf(args[len(args)-1])
	if !ok {
		return in.change(c, func(d *draft, _ client.Expr) { d.lost = "Scopes that are not known" })
	}
	var v memory.Value = in.instance(c)
	for _, f := range list {
		fn, isFn := memory.Unbox(f).(*memory.Closure)
		if !isFn || fn.Fn == nil {
			v = in.change(asChain(v), func(d *draft, _ client.Expr) { d.lost = "a scope that is not known" })
			continue
		}
		sig := fn.Fn.Signature
		inner := &session.Invocation{C: inv.C, Fn: fn, Args: []memory.Value{v}, At: in.Pos, T: sig.Results().At(0).Type()}
		w := in.Control.CallFunction(inner, fn)
		if !in.Reached() {
			return in.QuietDead(sig.Results().At(0).Type())
		}
		switch memory.Unbox(w).(type) {
		case *chain, *memory.Handle:
			v = memory.Unbox(w)
		default:
			v = in.change(c, func(d *draft, _ client.Expr) { d.lost = "a scope that is not known" })
		}
	}
	return v
}

func asChain(v memory.Value) *chain {
	switch v := v.(type) {
	case *chain:
		return v
	case *memory.Handle:
		return &chain{h: v}
	}
	return nil
}

// sessionCall is a call about the connection or the transaction.
func (in *run) sessionCall(inv *session.Invocation, c *chain, r chainRole, args []memory.Value) (memory.Value, bool) {
	switch r {
	case contextCall:
		return in.fork(c.within(session.ContextOf(inv)), true), true
	case sessionCall:
		return in.sessionOf(c, args), true
	case beginCall:
		return in.with(c, in.Begin(c.h, inv)), true
	case commitCall, rollbackCall:
		if r == commitCall {
			in.Commit(c.h)
		} else {
			in.Rollback(c.h)
		}
		return in.receiver(c), true
	case pointCall, rollbackToCall:
		in.pointCall(c, r, args)
		return in.receiver(c), true
	case connectionCall:
		if fn, ok := memory.Unbox(args[0]).(*memory.Closure); ok {
			return in.callWith(inv, fn, c.h), true
		}
		return nil, false
	case poolCall:
		return in.Quiet(inv.T), true // a handle
	case migrateCall:
		in.migrate(args)
		return &memory.Failure{}, true
	case scanRowsCall:
		rs, ok := memory.Unbox(args[0]).(*memory.Rows)
		p, isPointer := memory.Unbox(args[1]).(*memory.Pointer)
		if !ok || !isPointer {
			return nil, false
		}
		return in.takeRow(rs, p, nil), true
	case errorCall:
		if c.s != nil {
			in.Store(c.err, args[0])
		}
		return memory.Unbox(args[0]), true
	case associationCall:
		return in.associationCall(inv, c, args), true
	case valueCall:
		for _, a := range args {
			in.EmitValue(a)
		}
		return in.Quiet(inv.T), true
	}
	panic("analyzer: unknown role of a call of *gorm.DB " + strconv.Itoa(int(r)))
}

// receiver is the database that a call gives back.
func (in *run) receiver(c *chain) memory.Value {
	if c.s == nil {
		return c.h
	}
	return c
}

// sessionOf is Session with its options.
func (in *run) sessionOf(c *chain, args []memory.Value) memory.Value {
	a, ok := in.StructOf(args[0])
	if !ok {
		return in.fork(c, true)
	}
	is := map[string]bool{}
	names := a.Names()
	c = c.within(memory.Field(a, "Context"))
	for i, n := range names {
		switch n {
		case "NewDB", "DryRun", "SkipHooks", "AllowGlobalUpdate", "FullSaveAssociations", "Initialized":
			t, known := memory.ConstOf(a.Parts[i])
			is[n] = !known || t.IsTrue()
		case "Context", "PrepareStmt":
			is["copy"] = true
		}
	}
	if is["NewDB"] && !is["SkipHooks"] && !is["AllowGlobalUpdate"] && !is["DryRun"] && !is["FullSaveAssociations"] {
		return c.h
	}
	if is["SkipHooks"] || is["AllowGlobalUpdate"] || is["DryRun"] || is["FullSaveAssociations"] {
		d := *draftOf(in.Memory, c)
		if is["NewDB"] {
			d = draft{}
		}
		d.skipHooks = d.skipHooks || is["SkipHooks"]
		d.global = d.global || is["AllowGlobalUpdate"]
		d.fullSave = d.fullSave || is["FullSaveAssociations"]
		if is["DryRun"] {
			d.lost = "a session with DryRun"
		}
		r := newChain(in.Memory, c.h, &d)
		r.mode = forked
		return r
	}
	return in.fork(c, is["copy"])
}

// pointCall is SavePoint or RollbackTo.
func (in *run) pointCall(c *chain, r chainRole, args []memory.Value) {
	name, ok := memory.ConstText(args[0])
	switch {
	case !ok:
		in.UnknownPoint(c.h)
	case r == pointCall:
		in.Savepoint(c.h, name)
	default:
		in.RollbackTo(c.h, name)
	}
}

// callWith calls a function with a database.
func (in *run) callWith(inv *session.Invocation, fn *memory.Closure, v memory.Value) memory.Value {
	inner := &session.Invocation{C: inv.C, Fn: fn, Args: []memory.Value{v}, At: inv.At, T: gotypes.ErrorType}
	return in.Control.CallFunction(inner, fn)
}

// associationCall stands for what the methods of an Association may do.
func (in *run) associationCall(inv *session.Invocation, c *chain, args []memory.Value) memory.Value {
	var tables []string
	name, ok := memory.ConstText(args[0])
	if own := in.tablesOf(c); ok && own != nil {
		m := in.lib.models().Model(draftOf(in.Memory, c).model.T)
		if r := m.Relation(name); r != nil {
			if o := in.lib.models().Model(r.Other); o != nil && o.Table != "" && len(o.Relations) == 0 {
				tables = append(own, o.Table)
				if r.Join != "" {
					tables = append(tables, r.Join)
				}
			}
		}
	}
	in.Anything(c.h, tables, false, "the association "+name)
	if m := draftOf(in.Memory, c).model; m != nil {
		in.Expose(m.V)
	}
	return in.Fresh(inv.T, "association", memory.Unknown)
}
