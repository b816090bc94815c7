package mysql

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// usualCollations tell ASCII letters and digits apart but for their case.
var usualCollations = regexp.MustCompile(`(?i)^(\w+_(general|unicode|unicode_520|0900_ai|uca1400_ai)_ci|latin1_swedish_ci|uca1400_ai_ci)$`)

// Usual is the collation of texts whose collation is not written. Names of others that only ignore the case of ASCII
// letters begin with it.
const Usual = "usual"

// Collation names what texts are compared by. Two of the usual ones differ from each other in what they do beyond ASCII: a
// name of its own keeps columns of different ones apart.
func Collation(name string) string {
	switch {
	case name == "":
		return Usual
	case usualCollations.MatchString(name):
		return Usual + " " + strings.ToLower(name)
	}
	return strings.ToLower(name)
}

// typePrefix begins the names of types of columns, which no SQL can spell; their number in Schema.types follows.
const typePrefix = "\uE002"

// Type gives the type that a name in the text of a Schema means, nil for another name.
func (s *Schema) Type(name string) *value.Type {
	number, ok := strings.CutPrefix(strings.Trim(name, `"`), typePrefix)
	if i, err := strconv.Atoi(number); ok && err == nil && s.types != nil && i < len(*s.types) {
		return (*s.types)[i]
	}
	return nil
}

// newType names a type.
func (s *Schema) newType(t *value.Type) string {
	if s.types == nil {
		s.types = &[]*value.Type{}
	}
	*s.types = append(*s.types, t)
	return `"` + typePrefix + strconv.Itoa(len(*s.types)-1) + `"`
}

// integers are the bits of the integer types, with the type of PostgreSQL whose operators they have.
var integers = map[string]struct {
	bits uint
	name string
}{
	"TINYINT": {8, "int2"}, "INT1": {8, "int2"}, "BOOL": {8, "int2"}, "BOOLEAN": {8, "int2"}, "SMALLINT": {16, "int2"}, "INT2": {16, "int2"},
	"MEDIUMINT": {24, "int4"}, "INT3": {24, "int4"}, "INT": {32, "int4"}, "INTEGER": {32, "int4"}, "INT4": {32, "int4"}, "BIGINT": {64, "int8"},
	"INT8": {64, "int8"}, "SERIAL": {64, "int8"}, "YEAR": {16, "int4"},
}

// otherTypes are types of which little is known, with those of PostgreSQL; "" are those whose values are only stored,
// returned and tested for NULL.
var otherTypes = map[string]string{
	"FLOAT": "real", "FLOAT4": "real", "FLOAT8": "double precision", "DOUBLE": "double precision", "REAL": "double precision",
	"UUID": "uuid", "INET4": "inet", "INET6": "inet", "JSON": "jsonb", "TIME": "time", "BINARY": "bytea",
	"BIT": "", "SET": "", "GEOMETRY": "", "POINT": "", "LINESTRING": "", "POLYGON": "", "MULTIPOINT": "", "MULTILINESTRING": "", "MULTIPOLYGON": "", "GEOMETRYCOLLECTION": "",
}

// columnType writes a type, whose name is in upper case, with what stands in parentheses behind it. t is nil for one that is
// not of MySQL alone.
func (s *Schema) columnType(name string, args []Token, unsigned bool) (typ string, t *value.Type, ok bool) {
	if other, known := otherTypes[name]; known {
		if other == "" {
			other = identifier("mysql " + name)
		}
		return other, nil, true
	}
	if t = newType(name, args, unsigned); t == nil {
		return "", nil, false
	}
	return s.newType(t), t, true
}

// newType makes the type of a name, nil if it is not known.
func newType(name string, args []Token, unsigned bool) *value.Type {
	var numbers []int
	f := &value.Format{Name: name, Unsigned: unsigned}
	for _, t := range args {
		switch {
		case t.Kind == Number:
			n, err := strconv.Atoi(t.Text)
			if err != nil {
				n = math.MaxInt32
			}
			numbers = append(numbers, n)
		case t.Kind == Text:
			label, _ := Unquote(t.Text)
			f.Labels = append(f.Labels, strings.TrimRight(label, " "))
		}
	}
	arg := func(i, otherwise int) int {
		if i < len(numbers) {
			return numbers[i]
		}
		return otherwise
	}
	if len(numbers) > 0 {
		f.Name += "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]") + ")"
	}
	if unsigned {
		f.Name += " UNSIGNED"
	}
	if i, known := integers[name]; known {
		f.Kind, f.Lo, f.Hi = ir.KindInt, -1<<(i.bits-1), 1<<(i.bits-1)-1
		if unsigned {
			f.Lo, f.Hi = 0, math.MaxInt64 // beyond which the model has no numbers
			if i.bits < 64 {
				f.Hi = 1<<i.bits - 1
			}
		}
		return value.OfFormat(i.name, f)
	}
	switch name {
	case "DECIMAL", "NUMERIC", "DEC", "FIXED":
		f.Kind, f.Scale = ir.KindNum, arg(1, 0)
		f.Digits = arg(0, 10) - f.Scale
		return value.OfFormat("numeric", f)
	case "DATETIME", "TIMESTAMP":
		f.Kind, f.Scale = ir.KindTime, arg(0, 0)
		return value.OfFormat("timestamp", f)
	case "DATE":
		f.Kind, f.All = ir.KindTime, true
		return value.OfFormat("date", f)
	}
	return textType(name, f, arg)
}

// textType finishes a type of texts, nil if it is none.
func textType(name string, f *value.Format, arg func(i, otherwise int) int) *value.Type {
	f.Kind = ir.KindText
	switch name {
	case "ENUM":
		f.Name = "ENUM('" + strings.Join(f.Labels, "', '") + "')"
	case "VARCHAR", "NVARCHAR", "VARBINARY":
		f.Length = arg(0, math.MaxInt32)
	case "CHAR", "CHARACTER", "NCHAR", "NATIONAL":
		f.Length, f.Pads = arg(0, 1), true
	case "TEXT", "TINYTEXT", "MEDIUMTEXT", "LONGTEXT", "LONG", "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB":
		f.All = true
	default:
		return nil
	}
	t := value.OfFormat("text", f)
	if slices.Contains([]string{"VARBINARY", "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB"}, name) {
		t.Collation = value.Binary
	}
	return t
}

// collate gives the texts among types that have no collation yet the one that is written for their table.
func collate(types []*value.Type, name string) {
	for _, t := range types {
		if t != nil && t.Format.Kind == ir.KindText && t.Collation == "" {
			t.Collation = Collation(name)
		}
	}
}

// variableType reads the type of a parameter or variable, and gives the name that it has in the text of the schema, "" for one of
// which nothing is known. Texts without a collation are compared by that of the column that they meet: by another one of the database the server
// refuses most comparisons.
func (s *Schema) VariableType(c *Cursor) string {
	name := strings.ToUpper(c.Name("a type"))
	if name == "DOUBLE" {
		c.Accept("PRECISION")
	}
	if s.types == nil {
		s.newType(nil)
	}
	args := c.Parens()
	unsigned, collation := false, ""
	for !c.Done() && !c.Peek().Is("DEFAULT", ";", ",", ")", "=") {
		switch {
		case c.Accept("UNSIGNED"), c.Accept("ZEROFILL"):
			unsigned = true
		case c.Accept("BINARY"):
			collation = "bin"
		case c.Accept("SIGNED"), c.Accept("ASCII"), c.Accept("UNICODE"), c.Accept("VARYING"), c.Accept("NOT", "NULL"), c.Accept("NULL"):
		case c.Accept("CHARACTER", "SET"), c.Accept("CHARSET"):
			c.Accept("=")
			if strings.EqualFold(c.Next().Text, value.Binary) {
				collation = value.Binary
			}
		case c.Accept("COLLATE"):
			c.Accept("=")
			collation = c.Next().Text
		default:
			c.Fail("here should be ; or DEFAULT, not " + c.Shown())
		}
	}
	typ, t, ok := s.columnType(name, args, unsigned)
	if !ok || t == nil {
		return ""
	}
	if t.Format.Kind == ir.KindText && t.Collation == "" && collation != "" {
		t.Collation = Collation(collation)
	}
	return typ
}
