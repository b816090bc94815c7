package mysql

import (
	"strings"

	"github.com/txrobust/robust/ir"
)

// column reads the declaration of a column.
func (l *loader) column(t *table, c *cursor) {
	pos := c.pos()
	col := &column{name: c.name("a column"), key: -1}
	if t.column(col.name) != nil {
		panic(ir.Errorf(pos, "%s has two columns %s", t.name, col.name))
	}
	typePos := c.pos()
	typeName := strings.ToUpper(c.name("a type"))
	for c.accept("PRECISION") || c.accept("VARYING") || c.accept("VARCHAR") || c.accept("CHARACTER") && !c.peek().is("SET") {
	}
	args := c.parens()
	unsigned := typeName == "SERIAL"
	for _, n := range c.st.tokens[min(c.i, len(c.st.tokens)):] {
		if n.is(",", ")") {
			break
		}
		unsigned = unsigned || n.is("UNSIGNED", "ZEROFILL")
	}
	if typeName == "SERIAL" {
		t.uniques = append(t.uniques, uniqueKey{col.name, []string{col.name}, pos})
	}
	if !col.setType(typeName) {
		panic(ir.Errorf(typePos, "the type %s is not known", typeName))
	}
	col.format = newFormat(typeName, col.t.kind, args, unsigned)
	for !c.done() && !c.peek().is(",", ")") {
		l.columnOption(t, c, col, pos)
	}
	if typeName == "TIMESTAMP" && !col.writtenNull && col.def == nil && !col.now && !col.touch {
		t.badWrite = "the column " + t.name + "." + col.name + ", which some versions update by themselves; write its DEFAULT"
	}
	t.columns = append(t.columns, col)
}

// setType sets what the name of a type says, in upper case. It reports whether the
// type is known.
func (col *column) setType(typeName string) bool {
	switch typeName {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "INTEGER", "BIGINT", "BOOL", "BOOLEAN", "INT1", "INT2", "INT3", "INT4", "INT8":
		col.t.kind = integer
	case "SERIAL":
		col.t.kind, col.auto, col.notNull = integer, true, true
	case "DECIMAL", "NUMERIC", "DEC", "FIXED":
		col.t.kind = decimal
	case "CHAR", "VARCHAR", "CHARACTER", "NCHAR", "NVARCHAR", "NATIONAL", "TEXT", "TINYTEXT", "MEDIUMTEXT", "LONGTEXT":
		col.t.kind = str
	case "ENUM":
		col.t.kind, col.t.enum = str, true
	case "VARBINARY", "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB":
		col.t.kind, col.collate = str, binary
	case "DATETIME", "TIMESTAMP":
		col.t.kind = datetime
	case "DATE":
		col.t.kind = date
	case "BINARY", "FLOAT", "FLOAT4", "FLOAT8", "DOUBLE", "REAL", "BIT", "TIME", "YEAR", "SET", "JSON", "UUID", "INET6", "INET4", "GEOMETRY", "POINT", "LINESTRING",
		"POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION", "LONG":
		col.t.kind, col.t.name = other, strings.ToLower(typeName)
	default:
		return false
	}
	return true
}

// columnOption reads one of the clauses behind the type of a column, which stands at
// pos.
func (l *loader) columnOption(t *table, c *cursor, col *column, pos ir.Pos) {
	switch {
	case c.accept("NOT", "NULL"):
		col.notNull = true
	case c.accept("NULL"):
		col.writtenNull = true
	case c.accept("DEFAULT"):
		c.defaultOf(t, col)
	case c.accept("ON", "UPDATE"):
		c.i++
		c.parens()
		col.touch = true
	case c.accept("AUTO_INCREMENT"):
		col.auto = true
	case c.accept("PRIMARY", "KEY"), c.accept("KEY"):
		t.primary = []string{col.name}
	case c.accept("UNIQUE"):
		c.accept("KEY")
		t.uniques = append(t.uniques, uniqueKey{col.name, []string{col.name}, pos})
	case c.accept("COMMENT"), c.accept("COLUMN_FORMAT"), c.accept("STORAGE"):
		c.i++
	case c.accept("COLLATE"):
		c.accept("=")
		col.collate = c.next().text
	case c.accept("CHARACTER", "SET"), c.accept("CHARSET"):
		c.accept("=")
		if strings.EqualFold(c.next().text, binary) {
			col.collate = binary
		}
	case c.accept("BINARY"):
		col.collate = "bin"
	case c.accept("UNSIGNED"), c.accept("SIGNED"), c.accept("ZEROFILL"), c.accept("VISIBLE"), c.accept("ASCII"), c.accept("UNICODE"):
	case c.accept("INVISIBLE"):
		t.bad = "the table " + t.name + ", which has an invisible column"
	case c.accept("GENERATED", "ALWAYS"), c.peek().is("AS"):
		c.expect("AS")
		c.parens()
		_ = c.accept("VIRTUAL") || c.accept("STORED") || c.accept("PERSISTENT")
		t.bad = "the table " + t.name + ", which has a generated column"
	case c.accept("CONSTRAINT"):
		name := ""
		if !c.peek().is("CHECK") {
			name = c.name("a constraint")
		}
		if c.accept("CHECK") {
			t.check(c, name, col.name)
		}
	case c.accept("CHECK"):
		t.check(c, "", col.name)
	case c.peek().is("REFERENCES"):
		l.note(c.pos(), "MySQL ignores REFERENCES in a column, MariaDB has enforced it since 10.5: it is taken to hold")
		l.references(t, c, "", pos, []string{col.name})
	case c.accept("FIRST"):
	case c.accept("AFTER"):
		c.i++
	default:
		c.fail("what " + c.shown() + " says of a column is not known")
	}
}

// defaultOf reads the expression of DEFAULT.
func (c *cursor) defaultOf(t *table, col *column) {
	from := c.i
	switch {
	case c.accept("("):
		c.i--
		c.parens()
		t.badWrite = "the default of " + t.name + "." + col.name + ", which is an expression"
	case c.accept("CURRENT_TIMESTAMP"), c.accept("NOW"), c.accept("LOCALTIMESTAMP"), c.accept("LOCALTIME"):
		c.parens()
		col.now = true
	default:
		_ = c.accept("-") || c.accept("+")
		c.i++
		if c.peek().is("(") {
			c.parens()
			t.badWrite = "the default of " + t.name + "." + col.name + ", which is an expression"
		}
		col.def = c.st.tokens[from:min(c.i, len(c.st.tokens))]
	}
}
