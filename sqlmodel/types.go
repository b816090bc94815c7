package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// typ is an SQL type: what the IR makes of it, and the class that decides how the
// translation treats it. Types that are treated alike share a class, such as int
// for all sizes of integers.
type typ struct {
	ir ir.Type
	// name is the class, or the name of a type that is a class of its own.
	name string
	// sql is the type itself, nil where it is not known or no type of values.
	sql *value.Type
}

// Classes of types that the translation treats specially.
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
	tInt     = valuesOf("int4")
	tBigint  = valuesOf("int8")
	tNumeric = valuesOf("numeric")
	tFloat   = valuesOf("float8")
	tBool    = valuesOf("bool")
	tText    = valuesOf("text")
	tDate    = valuesOf("date")
	tTime    = valuesOf("time")
	tStamp   = valuesOf("timestamptz")
	tUnknown = typ{ir: ir.TextType, name: nUnknown}
	tAny     = typ{ir: ir.OpaqueType, name: nAny}
	tRecord  = typ{ir: ir.OpaqueType, name: nRecord}
	tVoid    = typ{ir: ir.OpaqueType, name: nVoid}
)

// classOf are the classes with several types, or another name than their type.
var classOf = map[string]string{
	"int2": nInt, "int4": nInt, "int8": nInt, "oid": nInt,
	"float4": nFloat, "float8": nFloat, "bool": nBool,
	"varchar": nText, "bpchar": nText, "char": nText, "name": nText,
	"timestamptz": nStamp,
}

// typeNames are names of types that PostgreSQL has under another one.
var typeNames = map[string]string{
	"smallint": "int2", "int": "int4", "integer": "int4", "bigint": "int8", "serial": "int4", "serial2": "int2", "serial4": "int4",
	"serial8": "int8", "smallserial": "int2", "bigserial": "int8", "decimal": "numeric", "real": "float4", "float": "float8", "boolean": "bool",
}

// valuesOf is the type of a name of pg_type.
func valuesOf(name string) typ { return typeOfValues(value.Of(name)) }

// typeOfValues is the type that has these values.
func typeOfValues(t *value.Type) typ {
	out := typ{ir: t.IR(), name: t.Name, sql: t}
	switch class := classOf[t.Name]; {
	case t.Elem != nil:
		out.name = nArray
	case class != "" && t.Labels == nil:
		out.name = class
	}
	return out
}

// opaque is a type without known values, such as the row type of a table.
func opaque(name string) typ { return typ{ir: ir.OpaqueType, name: name} }

func arrayOf(elem typ) typ {
	sql := elem.sql
	if elem.name == nAny {
		return typ{ir: ir.ArrayType(ir.KindNull), name: nArray}
	}
	if sql == nil {
		sql = &value.Type{Name: elem.name}
	}
	if elem.name == nUnknown {
		sql = tText.sql
	}
	return typeOfValues(&value.Type{Name: "_" + sql.Name, Elem: sql})
}

// element gives the type of an array's elements.
func (t typ) element() typ {
	if t.sql == nil || t.sql.Elem == nil {
		return tAny
	}
	return typeOfValues(t.sql.Elem)
}

// String is the type for messages.
func (t typ) String() string {
	if t.sql != nil {
		return t.sql.String()
	}
	return t.name
}

// pgName is the name by which the catalog knows the type.
func (t typ) pgName() string {
	switch {
	case t.sql != nil:
		return t.sql.Name
	case t.name == nAny || t.name == nArray:
		return ""
	}
	return t.name
}

// plain is the type without its modifier, as that of results of operators.
func (t typ) plain() typ {
	if t.sql == nil || t.sql.Labels != nil || t.sql.Elem != nil || t.sql.Check != nil {
		return t
	}
	out := value.Of(t.sql.Name)
	out.Collation = t.sql.Collation
	return typeOfValues(out)
}

// same reports whether two types are one, apart from modifiers.
func (t typ) same(o typ) bool { return t.name == o.name && t.pgName() == o.pgName() }

// domain is the set of values for what the IR declares, nil if it is not known.
func (t typ) domain() ir.Domain {
	if t.sql == nil {
		return nil
	}
	return t.sql
}

// numeric reports whether t is one of the number types.
func (t typ) numeric() bool { return t.name == nInt || t.name == nNumeric || t.name == nFloat }

// temporal reports whether values of t are points in time.
func (t typ) temporal() bool { return t.ir.Kind == ir.KindTime }

// textual reports whether t is one of the string types, whose values are texts
// and convert into one another.
func (t typ) textual() bool { return t.name == nText }

// ordered reports whether the IR's order of values is the order of t. The order of
// texts is one of which nothing is known but that it is total.
func (t typ) ordered() bool {
	switch t.ir.Kind {
	case ir.KindInt, ir.KindNum, ir.KindBool, ir.KindTime:
		return true
	case ir.KindText:
		return t.name == nText || t.name == nUnknown || t.name == "uuid"
	}
	return false
}

// userType is a type that the program declares.
type userType struct {
	named
	pos ir.Pos
	// key is the name by which fieldsOf and the catalog know it: no other type ever has it.
	key    string
	base   typ        // of an enum or a domain
	fields []fieldDef // of a composite type
	enum   bool
	// below is the domain that a domain is of, nil if it is none. Each adds what it refuses:
	// NULL, and what breaks its checks.
	below   *userType
	strict  bool
	refuses []*domainCheck
	def     *sqlExpr
}

// fieldDef is a field of a composite type.
type fieldDef struct {
	name string
	t    typ
	// domain is that of its type, nil if it is none; within are all in it.
	domain *userType
	within []*userType
}

// typeOf resolves a type name. The error of an unknown name is nil: it is an
// opaque type.
func (l *Schema) typeOf(n *pg.TypeName, t *syntax.Text) typ {
	if n == nil {
		return tVoid
	}
	parts := syntax.Names(n.Names)
	if n.PctType && len(parts) >= 2 { // table.column%TYPE
		table, column := syntax.Qualified(parts[:len(parts)-1]), parts[len(parts)-1]
		tab := l.sees(t).table(table)
		if tab == nil {
			l.fail(t.Pos(int(n.Location)), noTable+"%s", table)
		}
		c := tab.column(column)
		if c == nil {
			l.fail(t.Pos(int(n.Location)), "table %s has no column %s", table, column)
		}
		return c.t
	}
	base := modified(l.namedType(syntax.Qualified(parts), t, n.Location), syntax.TypeModifiers(n))
	if len(n.ArrayBounds) > 0 {
		return arrayOf(base)
	}
	return base
}

// signatureType is the type of a parameter or result of a function: CREATE FUNCTION
// discards modifiers, but those of domains.
func (l *Schema) signatureType(n *pg.TypeName, t *syntax.Text) typ {
	out := l.typeOf(n, t)
	if l.in.mysql {
		return out
	}
	if n != nil && !n.PctType {
		if u := l.sees(t).typ(syntax.Qualified(syntax.Names(n.Names))); u != nil {
			return out
		}
	}
	return out.plain()
}

// modified adds the numbers in parentheses to a type.
func modified(t typ, mods []int) typ {
	if len(mods) == 0 || t.sql == nil {
		return t
	}
	sql := *t.sql
	switch {
	case sql.Name == "numeric":
		sql.Precision, sql.Scale = mods[0], 0
		if len(mods) > 1 {
			sql.Scale = mods[1]
		}
	case sql.Name == "interval": // which fields, all of them or not, and a precision
		const all = 0x7fff
		if mods[0] != all {
			sql.Length = mods[0]
		}
		if len(mods) > 1 {
			sql.Precision = mods[1]
		}
	case sql.Precision == -1: // times
		sql.Precision = mods[0]
	default:
		sql.Length = mods[0]
	}
	return typeOfValues(&sql)
}

// namedType gives the type that a name means in a text.
func (l *Schema) namedType(raw string, in *syntax.Text, loc int32) typ {
	schema, _ := syntax.SplitName(raw)
	name := l.systemName(raw)
	other, keyword := typeNames[name]
	if schema != syntax.SystemSchema && (schema != "" || !keyword) {
		r, pos := l.sees(in), in.Pos(int(loc))
		if u := l.declaredType(r, raw, pos); u != nil {
			if u.fields == nil {
				return u.base
			}
			return opaque(u.key)
		}
		if key := l.rowTypeOf(r, raw, pos); key != "" {
			return opaque(key)
		}
	}
	if keyword {
		name = other
	}
	t := l.catalogType(name)
	if t == opaque(name) && l.catalog().Type(name) == nil && name != nAny && !l.in.mysql {
		l.note(in.Pos(int(loc)), "the type %s is neither declared here nor one of PostgreSQL: nothing is known of its values; check the spelling, or add CREATE TYPE, CREATE DOMAIN or CREATE EXTENSION", raw)
	}
	return t
}

// catalogType gives the type that the catalog has by a name: one of the system, or one of the program by its key.
func (l *Schema) catalogType(name string) typ {
	if u := l.typesByKey[name]; u != nil && u.fields == nil {
		return u.base
	}
	switch name {
	case nVoid:
		return tVoid
	case nRecord:
		return tRecord
	}
	if elem, ok := strings.CutPrefix(name, "_"); ok && l.catalog().Type(elem) != nil {
		return arrayOf(l.catalogType(elem))
	}
	if t := l.catalog().Type(name); t != nil && (t.Kind == 'b' || t.Kind == 'r' || t.Kind == 'm') {
		return valuesOf(name)
	}
	return opaque(name)
}

// declaredType finds the type that the program declares by a name, or nil.
func (l *Schema) declaredType(r *resolver, raw string, pos ir.Pos) *userType {
	all := r.types(raw)
	schema, own := syntax.SplitName(raw)
	switch {
	case len(all) > 1:
		panic(unmodelled{"the type " + raw + ", which depends on the search_path"})
	case len(all) == 1:
		if schema == "" && r.at == now && !r.paths.Any && !r.leadsTo(all[0].schema()) {
			l.note(all[0].pos, offPath, all[0].full(), r.paths)
		}
		return all[0]
	case !system.Type(own) && len(r.ofTypeName(own)) > 0:
		l.noType(r, raw, pos)
	}
	return nil
}

// rowTypeOf finds the key of the type of the rows of a table or a view, or gives "".
func (l *Schema) rowTypeOf(r *resolver, raw string, pos ir.Pos) string {
	_, own := syntax.SplitName(raw)
	if system.Type(l.systemName(raw)) {
		return ""
	}
	all := r.relations(raw)
	switch {
	case len(all) > 1:
		panic(unmodelled{"the type " + raw + ", which depends on the search_path"})
	case len(all) == 1 && r.used(raw).view != nil:
		if u := l.rowOfView(r.used(raw).view); u != nil {
			return u.key
		}
	case len(all) == 1:
		return r.used(raw).table.rowType
	case len(l.ofName(own)) > 0:
		l.noType(r, raw, pos)
	}
	return ""
}

// noType ends what needs a type that is only in other schemas than those that are looked at.
func (l *Schema) noType(r *resolver, raw string, pos ir.Pos) {
	if r.at < now {
		l.fail(pos, "there is no type %s in the search path (%s), but in another schema; write the schema", raw, r.paths)
	}
	panic(unmodelled{"the type " + raw + ", which is only in other schemas than those of the search path (" + r.paths.String() + ")"})
}

// fieldsOf gives the fields of a composite type or of a table's row type, or
// nil.
func (l *Schema) fieldsOf(name string) []fieldDef {
	if u := l.declarations.typesByKey[name]; u != nil {
		return u.fields
	}
	if t := l.declarations.rowTypes[name]; t != nil {
		var out []fieldDef
		for _, c := range t.columns {
			out = append(out, fieldDef{c.name, c.t, c.domain, c.within})
		}
		return out
	}
	return nil
}

// commonResult is the type of the result of one of several functions: of those that
// may be meant, or else of all with the name.
func (l *Schema) commonResult(name string, calls []catalog.Call) typ {
	var out typ
	add := func(result string) {
		t := l.resultType(result)
		if out.name != "" && !out.same(t) {
			t = tAny
		}
		out = t
	}
	for _, c := range calls {
		add(c.Returns)
	}
	if len(calls) == 0 {
		for _, f := range l.catalog().All(name) {
			add(f.Result)
		}
	}
	return out
}

// resultType is the type with a name of the catalog.
func (l *Schema) resultType(name string) typ {
	if name == catalog.Untold || strings.HasPrefix(name, "any") {
		return tAny
	}
	return l.catalogType(name)
}
