package value

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// Equality says how values of a type compare with =.
type Equality uint8

const (
	// Identity: equal values are one ir.Value.
	Identity Equality = iota
	// Keyed: values are equal where the function Key of them is.
	Keyed
	// Closed: nothing is known of it.
	Closed
	// NoEquality: the type has no operator =.
	NoEquality
)

// Type is an SQL type with its modifier. It is an ir.Domain.
type Type struct {
	// Name is the name in pg_type.
	Name string
	// Length is the n of varchar(n), char(n), bit(n) and varbit(n), 0 for none.
	Length int
	// Precision and Scale are those of numeric(p,s); Precision is 0 for none.
	// Precision is also that of time and timestamp types, of which -1 is none.
	Precision, Scale int
	// Collation is the name of a collation that is not deterministic, in which texts
	// that differ may be equal, or "".
	Collation string
	// Labels are those of an enum, in their order.
	Labels []string
	// Elem is the type of the elements of an array.
	Elem *Type
	// Shown is the name in SQL where it is not that of the type: of enums and the
	// like, with its schema and quotes.
	Shown string
	// Format, if not nil, makes it a type of MySQL.
	Format *Format
	// Check, if not nil, is what a domain demands of a value besides.
	Check func(ir.Value) bool
}

// Of gives a type without a modifier.
func Of(name string) *Type {
	t := &Type{Name: name}
	if elem, ok := strings.CutPrefix(name, "_"); ok {
		t.Elem = Of(elem)
	}
	if Temporal(name) {
		t.Precision = -1
	}
	return t
}

// OfFormat gives a type of MySQL: name is the one of pg_type whose operators it has.
func OfFormat(name string, f *Format) *Type {
	t := Of(name)
	t.Format = f
	if name == "numeric" && !f.All {
		t.Precision, t.Scale = f.Digits+f.Scale, f.Scale
	}
	return t
}

// UnsignedBigint is the type of sums and products of unsigned integers.
var UnsignedBigint = OfFormat("int8", &Format{Name: "BIGINT UNSIGNED", Kind: ir.KindInt, Hi: math.MaxInt64, Unsigned: true})

// Temporal reports whether a type has values of KindTime.
func Temporal(name string) bool {
	switch name {
	case "time", "timetz", "timestamp", "timestamptz", "interval":
		return true
	}
	return false
}

// class is what is known of a base type.
type class struct {
	ir       ir.Type
	equality Equality
	// key is the function of Keyed.
	key string
	// parse and print are the input and output functions; nil where they are not
	// known.
	parse func(t *Type, text string) (ir.Value, error)
	Print func(t *Type, v ir.Value) string
	// Samples are texts of values that differ.
	Samples []string
	// sql is the name in SQL, if it is another one.
	sql string
}

var classes = map[string]*class{}

func defineClasses() {
	for name, c := range map[string]*class{
		"int2": {ir: ir.IntType, parse: parseInt, Print: printInt, sql: "smallint"},
		"int4": {ir: ir.IntType, parse: parseInt, Print: printInt, sql: "integer"},
		"int8": {ir: ir.IntType, parse: parseInt, Print: printInt, sql: "bigint"},
		"oid":  {ir: ir.IntType, parse: parseInt, Print: printInt},

		"numeric": {ir: ir.NumType, parse: parseNumeric, Print: printNumeric},
		"float4":  {ir: ir.NumType, parse: parseFloat, Print: printFloat, sql: "real"},
		"float8":  {ir: ir.NumType, parse: parseFloat, Print: printFloat, sql: "double precision"},
		"bool":    {ir: ir.BoolType, parse: parseBool, Print: PrintBool, sql: "boolean"},

		"text":    {ir: ir.TextType, parse: parseText, Print: printText, Samples: texts},
		"varchar": {ir: ir.TextType, parse: parseText, Print: printText, Samples: texts},
		"bpchar":  {ir: ir.TextType, parse: ParsePadded, Print: printPadded, Samples: texts},
		"char":    {ir: ir.TextType, parse: ParseByte, Print: printText, Samples: strings.Split("abcdefgh", ""), sql: `"char"`},
		"name":    {ir: ir.TextType, parse: ParseName, Print: printText, Samples: texts},
		"citext":  {ir: ir.TextType, equality: Keyed, key: "lower(text)", parse: parseText, Print: printText, Samples: texts},
		"uuid":    {ir: ir.TextType, parse: ParseUUID, Print: printText},
		"json":    {ir: ir.TextType, equality: NoEquality, parse: parseJSONText, Print: printText, Samples: jsons},
		"jsonb":   {ir: ir.OpaqueType, parse: parseJSON, Print: printText, Samples: jsons},
		"bytea":   {ir: ir.OpaqueType, parse: ParseBytes, Print: printText, Samples: []string{`\x`, `\x01`, `\x02`, `\x0102`, `\x03`}},

		"date":        {ir: ir.TimeType, parse: parseStamp, Print: printStamp},
		"timestamp":   {ir: ir.TimeType, parse: parseStamp, Print: printStamp},
		"timestamptz": {ir: ir.TimeType, parse: parseStamp, Print: printStamp},
		"time":        {ir: ir.TimeType, parse: parseTimeOfDay, Print: printTimeOfDay, Samples: []string{"08:00", "09:00", "10:30", "12:00", "17:00", "23:59:59"}},
		"timetz":      {ir: ir.OpaqueType, parse: parseZonedTime, Print: printText, Samples: []string{"08:00+00", "09:00+00", "10:30+01", "12:00-05"}},
		"interval":    {ir: ir.OpaqueType, equality: Keyed, key: "interval_total(interval)", parse: parseInterval, Print: printText, Samples: []string{"1 hour", "30 min", "1 day", "2 days", "1 mon"}},

		"inet":     {ir: ir.OpaqueType, parse: parseInet, Print: PrintInet, Samples: []string{"10.0.0.1", "10.0.0.2", "192.168.1.0/24", "::1"}},
		"cidr":     {ir: ir.OpaqueType, parse: parseInet, Print: printText, Samples: []string{"10.0.0.0/8", "192.168.1.0/24", "172.16.0.0/12"}},
		"macaddr":  {ir: ir.OpaqueType, parse: ParseMAC, Print: printText, Samples: []string{"08:00:2b:01:02:03", "08:00:2b:01:02:04", "08:00:2b:01:02:05"}},
		"macaddr8": {ir: ir.OpaqueType, parse: ParseMAC, Print: printText, Samples: []string{"08:00:2b:01:02:03:04:05", "08:00:2b:01:02:03:04:06"}},
		"bit":      {ir: ir.OpaqueType, parse: parseBits, Print: printText, Samples: []string{"0", "1"}},
		"varbit":   {ir: ir.OpaqueType, parse: parseBits, Print: printText, Samples: []string{"0", "1", "10", "11", "101"}, sql: "bit varying"},

		"int4range":      {ir: ir.OpaqueType, parse: parseRange, Print: printText, Samples: []string{"[1,3)", "[2,5)", "[5,8)", "[1,10)"}},
		"int8range":      {ir: ir.OpaqueType, parse: parseRange, Print: printText, Samples: []string{"[1,3)", "[2,5)", "[5,8)", "[1,10)"}},
		"numrange":       {ir: ir.OpaqueType, parse: parseRange, Print: printText, Samples: []string{"[1,3)", "[2,5)", "[5,8)"}},
		"daterange":      {ir: ir.OpaqueType, parse: parseRange, Print: printText, Samples: []string{"[2024-01-01,2024-01-05)", "[2024-01-03,2024-01-08)", "[2024-02-01,2024-02-03)"}},
		"tsrange":        {ir: ir.OpaqueType, parse: parseRange, Print: printText, Samples: []string{`["2024-01-01 10:00:00","2024-01-01 12:00:00")`, `["2024-01-01 11:00:00","2024-01-01 13:00:00")`}},
		"tstzrange":      {ir: ir.OpaqueType, parse: parseRange, Print: printText, Samples: []string{`["2024-01-01 10:00:00+00","2024-01-01 12:00:00+00")`, `["2024-01-01 11:00:00+00","2024-01-01 13:00:00+00")`}},
		"int4multirange": {ir: ir.OpaqueType, equality: Closed, Samples: []string{"{[1,3)}", "{[2,5)}"}},

		"money":    {ir: ir.OpaqueType, equality: Closed, Samples: []string{"$1.00", "$2.00", "$3.50"}},
		"tsvector": {ir: ir.OpaqueType, equality: Closed, Samples: []string{"'a'", "'b'", "'c'"}},
		"tsquery":  {ir: ir.OpaqueType, equality: Closed, Samples: []string{"'a'", "'b'", "'c'"}},
		"xml":      {ir: ir.OpaqueType, equality: NoEquality, Samples: []string{"<a/>", "<b/>", "<c/>"}},
		"point":    {ir: ir.OpaqueType, equality: NoEquality, Samples: []string{"(0,0)", "(1,0)", "(0,1)"}},
		"box":      {ir: ir.OpaqueType, equality: Closed, Samples: []string{"(1,1),(0,0)", "(2,2),(0,0)"}},
		"circle":   {ir: ir.OpaqueType, equality: Closed, Samples: []string{"<(0,0),1>", "<(0,0),2>"}},
		"polygon":  {ir: ir.OpaqueType, equality: Closed, Samples: []string{"((0,0),(1,0),(0,1))", "((0,0),(2,0),(0,2))"}},
		"hstore":   {ir: ir.OpaqueType, equality: Closed, Samples: []string{`"a"=>"1"`, `"a"=>"2"`, `"b"=>"1"`}},
		"ltree":    {ir: ir.OpaqueType, parse: ParseLtree, Print: printText, Samples: []string{"a", "a.b", "a.c", "b"}},
		"pg_lsn":   {ir: ir.OpaqueType, equality: Closed, Samples: []string{"0/1", "0/2"}},
	} {
		classes[name] = c
	}
}

// Class gives what is known of the type.
func (t *Type) Class() *class {
	switch {
	case t.Elem != nil:
		return &class{ir: ir.ArrayType(elementKind(t.Elem)), equality: t.Elem.Equality(), parse: parseArray, Print: printArray}
	case t.Labels != nil:
		return &class{ir: ir.TextType, parse: parseLabel, Print: printText, Samples: t.Labels}
	}
	if c := classes[t.Name]; c != nil {
		return c
	}
	return &class{ir: ir.OpaqueType, equality: Closed}
}

func elementKind(elem *Type) ir.Kind {
	if elem.Elem != nil {
		return ir.KindOpaque
	}
	return elem.IR().Kind
}

// IR is the class that the IR has for the type.
func (t *Type) IR() ir.Type { return t.Class().ir }

// Equality says how the values compare.
func (t *Type) Equality() Equality {
	switch t.Collation {
	case "":
		return t.Class().equality
	case Binary:
		return Identity
	}
	return Keyed
}

// Key names the function whose values are equal where those of a Keyed type are.
func (t *Type) Key() string {
	if t.Collation != "" {
		return "key in collation " + t.Collation
	}
	return t.Class().key
}

// Parse gives the value that a text means, as the input function of the type does,
// within the type's modifier as an explicit cast has it. ErrNotKnown (of package ir)
// says that the text may be one, any other error that it is none.
func (t *Type) Parse(text string) (ir.Value, error) {
	c := t.Class()
	if c.parse == nil {
		return ir.Null, ir.ErrNotKnown
	}
	v, err := c.parse(t, text)
	if err == nil && t.Check != nil && !t.Check(v) {
		return ir.Null, invalid(t, text)
	}
	return v, err
}

// Print is what the server prints for a value, where the time zone is UTC.
func (t *Type) Print(v ir.Value) string {
	if c := t.Class(); c.Print != nil && v.Kind == c.ir.Kind {
		return c.Print(t, v)
	}
	return v.S
}

// String is the type in SQL.
func (t *Type) String() string {
	if t.Format != nil {
		return t.Format.Name
	}
	if t.Shown != "" {
		return t.Shown
	}
	if t.Elem != nil {
		return t.Elem.String() + "[]"
	}
	name := t.Name
	if name == "bit" && t.Length == 0 { // without the quotes it is bit(1)
		return `"bit"`
	}
	if c := classes[t.Name]; c != nil && c.sql != "" {
		name = c.sql
	}
	switch {
	case t.Length > 0:
		return name + "(" + strconv.Itoa(t.Length) + ")"
	case t.Name == "numeric" && t.Precision > 0:
		return name + "(" + strconv.Itoa(t.Precision) + "," + strconv.Itoa(t.Scale) + ")"
	case Temporal(t.Name) && t.Precision >= 0:
		base, zone := strings.CutSuffix(name, "tz")
		name = base + "(" + strconv.Itoa(t.Precision) + ")"
		if zone {
			name += " with time zone"
		}
	}
	return name
}

// Fits reports whether v, which is not NULL, is a value of the type.
func (t *Type) Fits(v ir.Value) bool {
	if t.Check != nil && !t.Check(v) {
		return false
	}
	if t.Format != nil {
		return t.Format.fits(v)
	}
	if lo, hi, ok := IntRange(t.Name); ok {
		return v.Kind == ir.KindInt && v.I >= lo && v.I <= hi
	}
	switch {
	case t.Labels != nil:
		return v.Kind == ir.KindText && slices.Contains(t.Labels, v.S)
	case t.Elem != nil:
		return t.fitsArray(v)
	case t.IR() == ir.NumType:
		return v.Kind == ir.KindNum && t.fitsNumber(v.Rat())
	case t.Name == "text" || (t.Name == "varchar" || t.Name == "bpchar") && t.Length == 0:
		return v.Kind == ir.KindText && (t.Name != "bpchar" || !strings.HasSuffix(v.S, " "))
	case t.Name == "varchar" || t.Name == "bpchar":
		return v.Kind == ir.KindText && len([]rune(strings.TrimRight(v.S, " "))) <= t.Length
	case t.IR().Kind == ir.KindTime:
		return t.fitsTime(v)
	case t.Class().parse != nil:
		got, err := t.Parse(t.Print(v))
		return err == nil && got == v
	}
	return true
}

// fitsArray is Fits for arrays.
func (t *Type) fitsArray(v ir.Value) bool {
	if v.Kind != t.IR().Kind {
		return false
	}
	elems := t.Elems(v)
	return ir.Array(elems) == v && !slices.ContainsFunc(elems, func(e ir.Value) bool { return !t.Elem.Fits(e) })
}

// fitsNumber is Fits for numerics and floats.
func (t *Type) fitsNumber(r *big.Rat) bool {
	switch t.Name {
	case "float4":
		f, exact := r.Float32()
		return exact && !math.IsInf(float64(f), 0)
	case "float8":
		f, exact := r.Float64()
		return exact && !math.IsInf(f, 0)
	}
	return t.Precision == 0 || fitsNumeric(t, r)
}

// fitsTime is Fits for types of times: a date has no time of day, and the others have
// the digits of a second that the type has.
func (t *Type) fitsTime(v ir.Value) bool {
	if v.Kind != ir.KindTime {
		return false
	}
	switch t.Name {
	case "date":
		return Infinite(v.I) || v.I%Day == 0
	case "time":
		if v.I < 0 || v.I > Day {
			return false
		}
	}
	got, err := t.roundedTime(v)
	return err == nil && got == v
}

// Sample gives the i-th of some values that differ; false if there are no more.
func (t *Type) Sample(i int) (ir.Value, bool) {
	if t.Format != nil {
		return t.Format.sample(i)
	}
	c := t.Class()
	var v ir.Value
	switch {
	case t.Name == "uuid":
		v = ir.Text(fmt.Sprintf("00000000-0000-4000-8000-%012x", i+1))
	case t.Elem != nil:
		v = ir.Array(nil)
		if i > 0 {
			e, ok := t.Elem.Sample(i - 1)
			if !ok {
				return ir.Null, false
			}
			v = ir.Array([]ir.Value{e})
		}
	case c.Samples != nil:
		if i >= len(c.Samples) {
			return ir.Null, false
		}
		p, err := t.Parse(c.Samples[i])
		if err != nil {
			p = ir.Value{Kind: c.ir.Kind, S: c.Samples[i]}
		}
		v = p
	case c.ir.Kind == ir.KindInt, c.ir.Kind == ir.KindNum:
		v = ir.Int(int64(i)).Convert(c.ir)
	case c.ir.Kind == ir.KindBool:
		if i > 1 {
			return ir.Null, false
		}
		v = ir.Bool(i == 1)
	case c.ir.Kind == ir.KindTime:
		v = ir.Time(SampleDay + int64(i)*Day)
	default:
		return ir.Null, false
	}
	return v, t.Fits(v)
}

// Literal is v as an expression of SQL that has this type.
func (t *Type) Literal(v ir.Value) string {
	switch {
	case t.Format != nil:
		return t.Format.literal(v)
	case v.IsNull():
		return "NULL"
	case t.Name == "int4" || t.Name == "bool":
		return t.Print(v)
	case t.Name == "text":
		return Quote(v.S)
	}
	return Quote(t.Print(v)) + "::" + t.String()
}

// Read reads what a server prints for a value.
func (t *Type) Read(text string) (ir.Value, bool) {
	if t.Format != nil {
		return t.Format.read(text)
	}
	v, err := t.Parse(text)
	if err == ir.ErrNotKnown {
		return ir.Value{Kind: t.IR().Kind, S: text}, t.IR().Kind == ir.KindOpaque
	}
	return v, err == nil
}

// Quote writes a text as a literal of SQL, whatever standard_conforming_strings is.
func Quote(s string) string {
	q := quote.Literal(s)
	if q[0] == 'E' { // a word before it would take the letter
		return " " + q
	}
	return q
}

func init() {
	defineClasses()
	defineUnits()
}
