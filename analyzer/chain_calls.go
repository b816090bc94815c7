package analyzer

import (
	"go/types"
	"strconv"
	"strings"

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
func (in *interp) onChain(inv *invocation, c *chain, name string, args []value) (value, bool) {
	switch r := chainMethods[name]; {
	case r == noChainRole:
		return in.otherCall(c, name, args, inv.t), true
	case r < firstCall:
		return in.addCall(inv, c, r, name, args), true
	case r < sessionCall:
		return in.sendCall(inv, c, r, name, args), true
	default:
		return in.sessionCall(inv, c, r, args)
	}
}

// otherCall is a call that is not modelled: anything happens to the table.
func (in *interp) otherCall(c *chain, name string, args []value, t types.Type) value {
	for _, a := range args {
		in.emitValue(a)
		in.expose(a)
	}
	in.anything(c.h, in.tablesOf(c), false, "the call of "+name+" of *gorm.DB")
	if isNamed(t, "gorm.io/gorm", "DB") {
		r := in.instance(c)
		in.st.mem[r.s] = &draft{lost: "the call of " + name, model: in.draftOf(c).model}
		return r
	}
	return in.fresh(t, "result", unknown)
}

// tablesOf gives the tables that the statement of a chain is about, nil for all.
func (in *interp) tablesOf(c *chain) []string {
	d := in.draftOf(c)
	if d.badTable || d.table != "" || d.model == nil || d.model.t == nil {
		return nil
	}
	if m := in.p.models().Model(d.model.t); m != nil && m.Table != "" {
		return []string{m.Table}
	}
	return nil
}

// anything stands for statements that are not known, on tables (nil: all).
func (in *interp) anything(h *handle, tables []string, readOnly bool, reason string) {
	if in.st == nil {
		return
	}
	if in.owns(h) && in.st.phase == open || in.perhaps(h) {
		in.emit(&client.Unknown{At: client.At{Pos: in.place()}, Tables: tables, ReadOnly: readOnly, Reason: reason})
		return
	}
	in.outside()
	if h.kind == transaction || in.site != "" {
		return
	}
	text := client.Hole
	if len(tables) > 0 {
		text = "UPDATE " + gormmodel.QuoteTable(tables[0]) + " SET " + client.Hole
		if readOnly {
			text = "SELECT * FROM " + gormmodel.QuoteTable(tables[0]) + " WHERE " + client.Hole
		}
	}
	rs := &rows{h: h, pos: in.place(), query: &client.Query{At: in.at(), SQL: text, Open: true}}
	in.auto(rs, text, nil)
}

// addCall is a call that adds to the statement.
func (in *interp) addCall(inv *invocation, c *chain, r chainRole, name string, args []value) value {
	switch r {
	case sameCall:
		for _, a := range args {
			in.emitValue(a)
		}
		return in.instance(c)
	case whereCall, notCall, orCall, havingCall:
		w, ok := in.conditions(args)
		return in.change(c, func(d *draft, when client.Expr) {
			if !ok {
				return
			}
			x := w
			x.when = when
			switch r {
			case notCall:
				x = negated(w)
				x.when = when
			case orCall:
				x.or = true
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
	texts, known := in.textArgs(args)
	return in.change(c, func(d *draft, when client.Expr) {
		// On one of several paths it changes the chain in place.
		if when != nil && r != modelCall && r != orderCall {
			d.lost = "a statement that several parts of the program change"
			return
		}
		in.addTo(d, r, args, texts, known)
	})
}

// textArgs gives constant texts among arguments, lists included; known says that
// all of them are.
func (in *interp) textArgs(args []value) (texts []string, known bool) {
	known = true
	var visit func(v value)
	visit = func(v value) {
		if s, ok := constText(v); ok {
			texts = append(texts, s)
			return
		}
		list, ok := in.listOf(v)
		if !ok {
			known = false
			return
		}
		for _, w := range list {
			visit(w)
		}
	}
	for _, a := range args {
		visit(a)
	}
	return texts, known
}

// addTo adds the arguments of a call to a statement.
func (in *interp) addTo(d *draft, r chainRole, args []value, texts []string, known bool) {
	switch r {
	case modelCall:
		d.model = refTo(args[0])
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
		f := frag(client.Hole)
		if s, ok := constText(args[0]); ok {
			f = frag(s)
		} else if a, isClause := unbox(args[0]).(*aggregate); isClause {
			f = in.orderClause(a)
		}
		if f.text != "" {
			d.order = append(d.order[:len(d.order):len(d.order)], f)
		}
	case groupCall:
		d.group = client.Hole
		if known && len(texts) == 1 {
			d.group = columnName(texts[0])
		}
	case limitCall:
		d.limit = unbox(args[0])
		if c, ok := constOf(d.limit); ok && c.Kind == ir.KindInt && c.I < 0 {
			d.limit = nil
		}
	case offsetCall:
		d.offset = unbox(args[0])
		if c, ok := constOf(d.offset); ok && c.Kind == ir.KindInt && c.I <= 0 {
			d.offset = nil
		}
	case preloadCall:
		name := client.Hole
		if s, ok := constText(args[0]); ok {
			name = s
		}
		if list, ok := in.listOf(args[len(args)-1]); !ok || len(list) > 0 {
			name += client.Hole // with conditions
		}
		d.preloads = append(d.preloads[:len(d.preloads):len(d.preloads)], name)
	case unscopedCall:
		d.unscoped = true
	case attrsCall, assignCall:
		list, ok := in.listOf(args[len(args)-1])
		if !ok {
			d.lost = "Attrs that are not known"
		}
		if r == attrsCall {
			d.attrs = list
		} else {
			d.assigns = list
		}
	case rawCall:
		f := in.rawText(args)
		d.raw = &f
	case lostCall:
		d.lost = "a call that is not modelled"
	default:
		panic("analyzer: unknown role of a call of *gorm.DB " + strconv.Itoa(int(r)))
	}
}

// rawText is a text with values for it.
func (in *interp) rawText(args []value) fragment {
	list, ok := in.listOf(args[len(args)-1])
	text, known := constText(args[0])
	if !ok || !known {
		for _, a := range args {
			in.emitValue(a)
		}
		s := in.scalarOf(args[0])
		if texts := in.textsOf(s.e); ok && len(list) == 0 && len(texts) == 1 {
			return frag(texts[0])
		}
		return frag(client.Hole)
	}
	return in.filled(text, list)
}

func (in *interp) tableCall(d *draft, args []value) {
	list, ok := in.listOf(args[len(args)-1])
	name, known := constText(args[0])
	d.tableArg = nil
	switch {
	case !ok || !known:
		d.lost, d.badTable = "a table that is not known", true
	case len(list) > 0 || strings.ContainsAny(name, " `("):
		f := in.filled(name, list)
		d.table, d.tableArg = f.text, f.args
		d.alias = aliasOf(name)
		if f.holed() {
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
	if n >= 2 && isIdentifier(fields[n-1]) && (strings.EqualFold(fields[n-2], "as") || n == 2) {
		return fields[n-1]
	}
	if n == 1 {
		return text
	}
	return ""
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// selectCall are the columns of Select: names, or a text with values for it.
func (in *interp) selectCall(d *draft, args []value, texts []string, known bool) {
	d.columns, d.selects = nil, nil
	first, isText := constText(args[0])
	rest, ok := in.listOf(args[len(args)-1])
	if isText && ok && len(rest) > 0 && (strings.Count(first, "?") >= len(rest) || strings.Contains(first, "@")) {
		f := in.filled(first, rest)
		d.columns = &f
		return
	}
	if !known {
		for _, a := range args {
			in.emitValue(a)
		}
		f := frag(client.Hole)
		d.columns = &f
		return
	}
	d.selects = texts
}

// orderClause gives the text of clause.OrderByColumn or clause.OrderBy.
func (in *interp) orderClause(a *aggregate) fragment {
	if typeName(a.t) == "gorm.io/gorm/clause.OrderByColumn" {
		if col, ok := unbox(field(a, "Column")).(*aggregate); ok {
			f, _ := in.clauseExpr(col)
			if is, known := constOf(field(a, "Desc")); known && is.IsTrue() {
				f = f.plus(frag(" DESC"))
			}
			return f
		}
	}
	return frag(client.Hole)
}

// joinsCall is Joins: of a relation, or a text.
func (in *interp) joinsCall(c *chain, name string, args []value) value {
	list, ok := in.listOf(args[len(args)-1])
	text, known := constText(args[0])
	f := frag(client.Hole)
	if ok && known {
		f = in.filled(text, list)
	} else {
		for _, a := range args {
			in.emitValue(a)
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
func (in *interp) scopesCall(inv *invocation, c *chain, args []value) value {
	list, ok := in.listOf(args[len(args)-1])
	if !ok {
		return in.change(c, func(d *draft, _ client.Expr) { d.lost = "Scopes that are not known" })
	}
	var v value = in.instance(c)
	for _, f := range list {
		fn, isFn := unbox(f).(*closure)
		if !isFn || fn.fn == nil {
			v = in.change(asChain(v), func(d *draft, _ client.Expr) { d.lost = "a scope that is not known" })
			continue
		}
		sig := fn.fn.Signature
		inner := &invocation{c: inv.c, fn: fn, args: []value{v}, at: in.pos, t: sig.Results().At(0).Type()}
		w := in.callFunction(inner, fn)
		if in.st == nil {
			return in.quietDead(sig.Results().At(0).Type())
		}
		switch unbox(w).(type) {
		case *chain, *handle:
			v = unbox(w)
		default:
			v = in.change(c, func(d *draft, _ client.Expr) { d.lost = "a scope that is not known" })
		}
	}
	return v
}

func asChain(v value) *chain {
	switch v := v.(type) {
	case *chain:
		return v
	case *handle:
		return &chain{h: v}
	}
	return nil
}
