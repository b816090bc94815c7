package schema

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
	"github.com/txrobust/robust/internal/sql/value"
)

// Type is an SQL type: what the IR makes of it, and the class that decides how the
// translation treats it. Types that are treated alike share a class, such as int
// for all sizes of integers.
type Type struct {
	IR ir.Type
	// Name is the class, or the name of a type that is a class of its own.
	Name string
	// SQL is the type itself, nil where it is not known or no type of values.
	SQL *value.Type
}

// Classes of types that the translation treats specially.
const (
	NInt      = "int"
	NNumeric  = "numeric"
	NFloat    = "float"
	NBool     = "boolean"
	NText     = "text"
	NDate     = "date"
	NTime     = "time" // of day
	NStamp    = "timestamp"
	NInterval = "interval"
	NJSON     = "jsonb"
	NUnknown  = "unknown" // of a quoted literal or NULL
	NAny      = "any"     // of a value whose type cannot be told
	NArray    = "array"
	NRecord   = "record"
	NVoid     = "void"
)

// Types that the translation gives expressions of its own.
var (
	TInt     = ValuesOf("int4")
	TBigint  = ValuesOf("int8")
	TNumeric = ValuesOf("numeric")
	TFloat   = ValuesOf("float8")
	TBool    = ValuesOf("bool")
	TText    = ValuesOf("text")
	TDate    = ValuesOf("date")
	TTime    = ValuesOf("time")
	TStamp   = ValuesOf("timestamptz")
	TUnknown = Type{IR: ir.TextType, Name: NUnknown}
	TAny     = Type{IR: ir.OpaqueType, Name: NAny}
	TRecord  = Type{IR: ir.OpaqueType, Name: NRecord}
	TVoid    = Type{IR: ir.OpaqueType, Name: NVoid}
)

// classOf are the classes with several types, or another name than their type.
var classOf = map[string]string{
	"int2": NInt, "int4": NInt, "int8": NInt, "oid": NInt,
	"float4": NFloat, "float8": NFloat, "bool": NBool,
	"varchar": NText, "bpchar": NText, "char": NText, "name": NText,
	"timestamptz": NStamp,
}

// typeNames are names of types that PostgreSQL has under another one.
var typeNames = map[string]string{
	"smallint": "int2", "int": "int4", "integer": "int4", "bigint": "int8", "serial": "int4", "serial2": "int2", "serial4": "int4",
	"serial8": "int8", "smallserial": "int2", "bigserial": "int8", "decimal": "numeric", "real": "float4", "float": "float8", "boolean": "bool",
}

// ValuesOf is the type of a name of pg_type.
func ValuesOf(name string) Type { return TypeOfValues(value.Of(name)) }

// TypeOfValues is the type that has these values.
func TypeOfValues(t *value.Type) Type {
	out := Type{IR: t.IR(), Name: t.Name, SQL: t}
	switch class := classOf[t.Name]; {
	case t.Elem != nil:
		out.Name = NArray
	case class != "" && t.Labels == nil:
		out.Name = class
	}
	return out
}

// Opaque is a type without known values, such as the row type of a table.
func Opaque(name string) Type { return Type{IR: ir.OpaqueType, Name: name} }

// ArrayOf is the type of arrays of elem.
func ArrayOf(elem Type) Type {
	sql := elem.SQL
	if elem.Name == NAny {
		return Type{IR: ir.ArrayType(ir.KindNull), Name: NArray}
	}
	if sql == nil {
		sql = &value.Type{Name: elem.Name}
	}
	if elem.Name == NUnknown {
		sql = TText.SQL
	}
	return TypeOfValues(&value.Type{Name: "_" + sql.Name, Elem: sql})
}

// Element gives the type of an array's elements.
func (t Type) Element() Type {
	if t.SQL == nil || t.SQL.Elem == nil {
		return TAny
	}
	return TypeOfValues(t.SQL.Elem)
}

// String is the type for messages.
func (t Type) String() string {
	if t.SQL != nil {
		return t.SQL.String()
	}
	return t.Name
}

// PgName is the name by which the catalog knows the type.
func (t Type) PgName() string {
	switch {
	case t.SQL != nil:
		return t.SQL.Name
	case t.Name == NAny || t.Name == NArray:
		return ""
	}
	return t.Name
}

// Plain is the type without its modifier, as that of results of operators.
func (t Type) Plain() Type {
	if t.SQL == nil || t.SQL.Labels != nil || t.SQL.Elem != nil || t.SQL.Check != nil {
		return t
	}
	out := value.Of(t.SQL.Name)
	out.Collation = t.SQL.Collation
	return TypeOfValues(out)
}

// Same reports whether two types are one, apart from modifiers.
func (t Type) Same(o Type) bool { return t.Name == o.Name && t.PgName() == o.PgName() }

// Domain is the set of values for what the IR declares, nil if it is not known.
func (t Type) Domain() ir.Domain {
	if t.SQL == nil {
		return nil
	}
	return t.SQL
}

// Numeric reports whether t is one of the number types.
func (t Type) Numeric() bool { return t.Name == NInt || t.Name == NNumeric || t.Name == NFloat }

// Temporal reports whether values of t are points in time.
func (t Type) Temporal() bool { return t.IR.Kind == ir.KindTime }

// Textual reports whether t is one of the string types, whose values are texts
// and convert into one another.
func (t Type) Textual() bool { return t.Name == NText }

// Ordered reports whether the IR's order of values is the order of t. The order of
// texts is one of which nothing is known but that it is total.
func (t Type) Ordered() bool {
	switch t.IR.Kind {
	case ir.KindInt, ir.KindNum, ir.KindBool, ir.KindTime:
		return true
	case ir.KindText:
		return t.Name == NText || t.Name == NUnknown || t.Name == "uuid"
	}
	return false
}

// UserType is a type that the program declares.
type UserType struct {
	Named
	Pos ir.Pos
	// Key is the name by which FieldsOf and the catalog know it: no other type ever has it.
	Key    string
	Base   Type       // of an enum or a domain
	Fields []FieldDef // of a composite type
	Enum   bool
	// Below is the domain that a domain is of, nil if it is none. Each adds what it refuses:
	// NULL, and what breaks its checks.
	Below   *UserType
	Strict  bool
	Refuses []*DomainCheck
	Def     *SQLExpr
}

// FieldDef is a field of a composite type.
type FieldDef struct {
	Name string
	T    Type
	// Domain is that of its type, nil if it is none; within are all in it.
	Domain *UserType
	Within []*UserType
}

// TypeOf resolves a type name. The error of an unknown name is nil: it is an
// opaque type.
func (l *Schema) TypeOf(n *pg.TypeName, t *syntax.Text) Type {
	if n == nil {
		return TVoid
	}
	parts := syntax.Names(n.Names)
	if n.PctType && len(parts) >= 2 { // table.column%TYPE
		table, column := syntax.Qualified(parts[:len(parts)-1]), parts[len(parts)-1]
		tab := l.Sees(t).Table(table)
		if l.Outside(table) && (tab == nil || tab.OddAll && tab.Column(column) == nil) {
			return Opaque(syntax.Qualified(parts))
		}
		if tab == nil {
			l.Fail(t.Pos(int(n.Location)), NoTable+"%s", table)
		}
		c := tab.Column(column)
		if c == nil {
			l.Fail(t.Pos(int(n.Location)), "table %s has no column %s", table, column)
		}
		return c.T
	}
	base := modified(l.NamedType(syntax.Qualified(parts), t, n.Location), syntax.TypeModifiers(n))
	if len(n.ArrayBounds) > 0 {
		return ArrayOf(base)
	}
	return base
}

// SignatureType is the type of a parameter or result of a function: CREATE FUNCTION
// discards modifiers, but those of domains.
func (l *Schema) SignatureType(n *pg.TypeName, t *syntax.Text) Type {
	out := l.TypeOf(n, t)
	if l.In.MySQL {
		return out
	}
	if n != nil && !n.PctType {
		if u := l.Sees(t).Typ(syntax.Qualified(syntax.Names(n.Names))); u != nil {
			return out
		}
	}
	return out.Plain()
}

// modified adds the numbers in parentheses to a type.
func modified(t Type, mods []int) Type {
	if len(mods) == 0 || t.SQL == nil {
		return t
	}
	sql := *t.SQL
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
	return TypeOfValues(&sql)
}

// NamedType gives the type that a name means in a text.
func (l *Schema) NamedType(raw string, in *syntax.Text, loc int32) Type {
	if t := l.Foreign.Type(raw); t != nil {
		return TypeOfValues(t)
	}
	schema, _ := syntax.SplitName(raw)
	name := l.SystemName(raw)
	other, keyword := typeNames[name]
	if schema != syntax.SystemSchema && (schema != "" || !keyword) {
		r, pos := l.Sees(in), in.Pos(int(loc))
		if u := l.declaredType(r, raw, pos); u != nil {
			if u.Fields == nil {
				return u.Base
			}
			return Opaque(u.Key)
		}
		if key := l.RowTypeOf(r, raw, pos); key != "" {
			return Opaque(key)
		}
	}
	if keyword {
		name = other
	}
	t := l.CatalogType(name)
	if t == Opaque(name) && l.Catalog().Type(name) == nil && name != NAny && !l.In.MySQL {
		l.Note(in.Pos(int(loc)), "the type %s is neither declared here nor one of PostgreSQL: nothing is known of its values; check the spelling, or add CREATE TYPE, CREATE DOMAIN or CREATE EXTENSION", raw)
	}
	return t
}

// CatalogType gives the type that the catalog has by a name: one of the system, or one of the program by its key.
func (l *Schema) CatalogType(name string) Type {
	if u := l.TypesByKey[name]; u != nil && u.Fields == nil {
		return u.Base
	}
	switch name {
	case NVoid:
		return TVoid
	case NRecord:
		return TRecord
	}
	if elem, ok := strings.CutPrefix(name, "_"); ok && l.Catalog().Type(elem) != nil {
		return ArrayOf(l.CatalogType(elem))
	}
	if t := l.Catalog().Type(name); t != nil && (t.Kind == 'b' || t.Kind == 'r' || t.Kind == 'm') {
		return ValuesOf(name)
	}
	return Opaque(name)
}

// declaredType finds the type that the program declares by a name, or nil.
func (l *Schema) declaredType(r *Resolver, raw string, pos ir.Pos) *UserType {
	all := r.types(raw)
	schema, own := syntax.SplitName(raw)
	switch {
	case len(all) > 1:
		panic(Unmodelled{"the type " + raw + ", which depends on the search_path"})
	case len(all) == 1:
		if schema == "" && r.At == Now && !r.Paths.Any && !r.LeadsTo(all[0].Schema()) {
			l.Note(all[0].Pos, offPath, all[0].Full(), r.Paths)
		}
		return all[0]
	case !system.Type(own) && len(r.l.Declarations.Types.named(own, Now)) > 0:
		l.noType(r, raw, pos)
	}
	return nil
}

// RowTypeOf finds the key of the type of the rows of a table or a view, or gives "".
func (l *Schema) RowTypeOf(r *Resolver, raw string, pos ir.Pos) string {
	_, own := syntax.SplitName(raw)
	if system.Type(l.SystemName(raw)) {
		return ""
	}
	all := r.Relations(raw)
	switch {
	case len(all) > 1:
		panic(Unmodelled{"the type " + raw + ", which depends on the search_path"})
	case len(all) == 1 && r.Used(raw).View != nil:
		if u := l.RowOfView(r.Used(raw).View); u != nil {
			return u.Key
		}
	case len(all) == 1:
		return r.Used(raw).Table.RowType
	case len(l.OfName(own)) > 0:
		l.noType(r, raw, pos)
	}
	return ""
}

// noType ends what needs a type that is only in other schemas than those that are looked at.
func (l *Schema) noType(r *Resolver, raw string, pos ir.Pos) {
	if r.At < Now {
		l.Fail(pos, "there is no type %s in the search path (%s), but in another schema; write the schema", raw, r.Paths)
	}
	panic(Unmodelled{"the type " + raw + ", which is only in other schemas than those of the search path (" + r.Paths.String() + ")"})
}

// FieldsOf gives the fields of a composite type or of a table's row type, or
// nil.
func (l *Schema) FieldsOf(name string) []FieldDef {
	if u := l.Declarations.TypesByKey[name]; u != nil {
		return u.Fields
	}
	if t := l.Declarations.rowTypes[name]; t != nil {
		var out []FieldDef
		for _, c := range t.Columns {
			out = append(out, FieldDef{c.Name, c.T, c.Domain, c.Within})
		}
		return out
	}
	return nil
}

// CommonResult is the type of the result of one of several functions: of those that
// may be meant, or else of all with the name.
func (l *Schema) CommonResult(name string, calls []catalog.Call) Type {
	var out Type
	add := func(result string) {
		t := l.ResultType(result)
		if out.Name != "" && !out.Same(t) {
			t = TAny
		}
		out = t
	}
	for _, c := range calls {
		add(c.Returns)
	}
	if len(calls) == 0 {
		for _, f := range l.Catalog().All(name) {
			add(f.Result)
		}
	}
	return out
}

// ResultType is the type with a name of the catalog.
func (l *Schema) ResultType(name string) Type {
	if name == catalog.Untold || strings.HasPrefix(name, "any") {
		return TAny
	}
	return l.CatalogType(name)
}

// TidPrefix begins the names of the types of ctid, one for each table.
const TidPrefix = "tid of "

// IsTid reports whether t is the type of the places of rows of a table.
func (t Type) IsTid() bool { return strings.HasPrefix(t.Name, TidPrefix) }

// RangeBounds are the functions that make ranges, with the types of the ends.
var RangeBounds = map[string]Type{
	"int4range": TInt, "int8range": TInt, "numrange": TNumeric, "tsrange": TStamp, "tstzrange": TStamp, "daterange": TDate,
}
