package sqlmodel

import (
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
	"github.com/txrobust/robust/sqlmodel/internal/system"
)

// typ is an SQL type: what the IR makes of it, and the name that decides
// which operators exist. Types that behave alike share a name, such as int
// for all sizes of integers.
type typ struct {
	ir   ir.Type
	name string
	elem string // the name of an array's elements
	// size is the n of varchar(n) and char(n), 0 if there is none; precision
	// is what follows numeric and timestamp in parentheses. Only explicit casts
	// cut or round: what is stored is taken to fit.
	size      int
	precision string
}

// Names of types that the translation treats specially.
const (
	nInt      = "int"
	nNumeric  = "numeric"
	nFloat    = "float"
	nBool     = "boolean"
	nText     = "text"
	nDate     = "date"
	nTime     = "time" // of day
	nStamp    = "timestamp"
	nInterval = "interval"
	nJSON     = "jsonb"
	nUnknown  = "unknown" // of a quoted literal or NULL
	nAny      = "any"     // of a value whose type cannot be told
	nArray    = "array"
	nRecord   = "record"
	nVoid     = "void"
)

var (
	tInt      = typ{ir: ir.IntType, name: nInt}
	tNumeric  = typ{ir: ir.NumType, name: nNumeric}
	tFloat    = typ{ir: ir.NumType, name: nFloat}
	tBool     = typ{ir: ir.BoolType, name: nBool}
	tText     = typ{ir: ir.TextType, name: nText}
	tDate     = typ{ir: ir.TimeType, name: nDate}
	tTime     = typ{ir: ir.TimeType, name: nTime}
	tStamp    = typ{ir: ir.TimeType, name: nStamp}
	tInterval = typ{ir: ir.OpaqueType, name: nInterval}
	tUnknown  = typ{ir: ir.TextType, name: nUnknown}
	tAny      = typ{ir: ir.OpaqueType, name: nAny}
	tRecord   = typ{ir: ir.OpaqueType, name: nRecord}
	tVoid     = typ{ir: ir.OpaqueType, name: nVoid}
)

// scalarTypes are PostgreSQL's types by name; all others are opaque.
var scalarTypes = map[string]typ{
	"int2": tInt, "int4": tInt, "int8": tInt, "smallint": tInt, "int": tInt, "integer": tInt, "bigint": tInt,
	"serial": tInt, "serial2": tInt, "serial4": tInt, "serial8": tInt, "smallserial": tInt, "bigserial": tInt, "oid": tInt,
	"numeric": tNumeric, "decimal": tNumeric,
	"float": tFloat, "float4": tFloat, "float8": tFloat, "real": tFloat,
	"bool": tBool, "boolean": tBool,
	"text": tText, "varchar": tText, "bpchar": tText, "char": tText, "name": tText, "citext": tText, "uuid": tText,
	"date": tDate, "time": tTime, "timetz": tTime, "timestamp": tStamp, "timestamptz": tStamp,
	"interval": tInterval, "void": tVoid, "record": tRecord,
}

func opaque(name string) typ { return typ{ir: ir.OpaqueType, name: name} }

func arrayOf(elem typ) typ {
	kind := elem.ir.Kind
	if kind == ir.KindArray || kind == ir.KindNull {
		kind = ir.KindOpaque
	}
	return typ{ir: ir.ArrayType(kind), name: nArray, elem: elem.name}
}

// element gives the type of an array's elements.
func (t typ) element() typ {
	if s, ok := scalarTypes[t.elem]; ok {
		return s
	}
	return typ{ir: ir.Type{Kind: t.ir.Elem}, name: t.elem}
}

func (t typ) String() string {
	if t.name == nArray {
		return t.elem + "[]"
	}
	return t.name
}

// numeric reports whether t is one of the number types.
func (t typ) numeric() bool { return t.name == nInt || t.name == nNumeric || t.name == nFloat }

// temporal reports whether values of t are points in time.
func (t typ) temporal() bool { return t.ir.Kind == ir.KindTime }

// textual reports whether t is text or something that is kept as text.
func (t typ) textual() bool { return t.ir.Kind == ir.KindText && t.name != nUnknown }

// ordered reports whether the IR's order of values is the order of t.
func (t typ) ordered() bool {
	switch t.ir.Kind {
	case ir.KindInt, ir.KindNum, ir.KindBool, ir.KindTime:
		return true
	case ir.KindText:
		return t.name == nText || t.name == nUnknown
	}
	return false
}

// userType is a type that the program declares.
type userType struct {
	named
	pos ir.Pos
	// key is the name by which fieldsOf knows it: no other type ever has it.
	key    string
	base   typ        // of an enum or a domain
	fields []fieldDef // of a composite type
	enum   bool
	// A domain may add these to its base type.
	notNull bool
	checks  []*pg.Node
	text    *text // of the checks
}

// fieldDef is a field of a composite type.
type fieldDef struct {
	name string
	t    typ
}

// names gives the strings of a list of String nodes.
func names(list []*pg.Node) []string {
	var out []string
	for _, n := range list {
		if s, ok := pg.Inner(n).(*pg.String); ok {
			out = append(out, s.Sval)
		}
	}
	return out
}

// typeOf resolves a type name. The error of an unknown name is nil: it is an
// opaque type.
func (l *loader) typeOf(n *pg.TypeName, t *text) typ {
	if n == nil {
		return tVoid
	}
	parts := names(n.Names)
	if n.PctType && len(parts) >= 2 { // table.column%TYPE
		table, column := qualified(parts[:len(parts)-1]), parts[len(parts)-1]
		tab := l.sees(t).table(table)
		if tab == nil {
			l.fail(t.pos(int(n.Location)), noTable+"%s", table)
		}
		c := tab.column(column)
		if c == nil {
			l.fail(t.pos(int(n.Location)), "table %s has no column %s", table, column)
		}
		return c.t
	}
	base := l.namedType(qualified(parts), t, n.Location)
	mods := typeModifiers(n)
	switch {
	case len(mods) == 0:
	case base.name == nNumeric, base.name == nStamp, base.name == nTime:
		base.precision = strings.Join(mods, ",")
	case base.name == nText && len(mods) == 1:
		base.size, _ = strconv.Atoi(mods[0])
	}
	if len(n.ArrayBounds) > 0 {
		return arrayOf(base)
	}
	return base
}

// typeModifiers gives the numbers in parentheses after a type.
func typeModifiers(n *pg.TypeName) []string {
	var out []string
	for _, m := range n.Typmods {
		c, ok := pg.Inner(m).(*pg.A_Const)
		if !ok {
			return nil
		}
		out = append(out, strconv.Itoa(int(c.GetIval().GetIval())))
	}
	return out
}

func (l *loader) namedType(raw string, in *text, loc int32) typ {
	schema, _ := splitName(raw)
	name := l.systemName(raw)
	scalar, known := scalarTypes[name]
	if known && schema != publicSchema {
		return scalar
	}
	r := l.sees(in)
	if u := l.declaredType(r, raw, in.pos(int(loc))); u != nil {
		if u.fields == nil {
			return u.base
		}
		return opaque(u.key)
	}
	if known {
		return scalar
	}
	if t := l.rowTypeOf(r, raw, in.pos(int(loc))); t != nil {
		return opaque(t.rowType)
	}
	if name == "json" {
		name = nJSON
	}
	if elem, ok := strings.CutPrefix(name, "_"); ok && scalarTypes[elem].name != "" {
		return arrayOf(scalarTypes[elem])
	}
	return opaque(name)
}

// declaredType finds the type that the program declares by a name, or nil.
func (l *loader) declaredType(r *resolver, raw string, pos ir.Pos) *userType {
	all := r.types(raw)
	schema, own := splitName(raw)
	switch {
	case len(all) > 1:
		panic(unmodelled{"the type " + raw + ", which depends on the search_path"})
	case len(all) == 1:
		if schema == "" && r.at == now && !r.paths.any && !r.leadsTo(all[0].schema()) {
			l.note(all[0].pos, offPath, all[0].full(), r.paths)
		}
		return all[0]
	case !system.Type(own) && len(r.ofTypeName(own)) > 0:
		l.noType(r, raw, pos)
	}
	return nil
}

// rowTypeOf finds the table of whose rows a name is the type, or nil.
func (l *loader) rowTypeOf(r *resolver, raw string, pos ir.Pos) *table {
	_, own := splitName(raw)
	if system.Type(l.systemName(raw)) {
		return nil
	}
	all := r.relations(raw)
	switch {
	case len(all) > 1:
		panic(unmodelled{"the type " + raw + ", which depends on the search_path"})
	case len(all) == 1:
		return r.used(raw).table
	case len(l.ofName(own)) > 0:
		l.noType(r, raw, pos)
	}
	return nil
}

// noType ends what needs a type that is only in other schemas than those that are looked at.
func (l *loader) noType(r *resolver, raw string, pos ir.Pos) {
	if r.at < now {
		l.fail(pos, "there is no type %s in the search path (%s), but in another schema; write the schema", raw, r.paths)
	}
	panic(unmodelled{"the type " + raw + ", which is only in other schemas than those of the search path (" + r.paths.String() + ")"})
}

// fieldsOf gives the fields of a composite type or of a table's row type, or
// nil.
func (l *loader) fieldsOf(name string) []fieldDef {
	if u := l.catalog.typesByKey[name]; u != nil {
		return u.fields
	}
	if t := l.catalog.rowTypes[name]; t != nil {
		var out []fieldDef
		for _, c := range t.columns {
			out = append(out, fieldDef{c.name, c.t})
		}
		return out
	}
	return nil
}
