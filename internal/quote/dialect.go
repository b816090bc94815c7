package quote

import "strings"

// Dialect says how names and constants are written in SQL.
type Dialect uint8

const (
	// Postgres is PostgreSQL's.
	Postgres Dialect = iota
	// MySQL is that of MySQL and MariaDB, without NO_BACKSLASH_ESCAPES.
	MySQL
)

// Ident is a name of one part.
func (d Dialect) Ident(name string) string {
	if d == MySQL {
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return Ident(name)
}

// Name is a name that Qualified gave.
func (d Dialect) Name(name string) string {
	parts := Parts(name)
	for i, p := range parts {
		parts[i] = d.Ident(p)
	}
	return strings.Join(parts, ".")
}

var mysqlText = strings.NewReplacer(`\`, `\\`, `'`, `''`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\x1a", `\Z`, "\t", `\t`, "\b", `\b`)

// Text is a string constant.
func (d Dialect) Text(s string) string {
	if d == MySQL {
		return "'" + mysqlText.Replace(s) + "'"
	}
	return Literal(s)
}
