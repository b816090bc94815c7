// Package sqltext writes the parts of SQL statements: names and constants. It is the
// only place where text becomes part of a statement.
package sqltext

import (
	"regexp"
	"slices"
	"strings"
)

// Dialect says how names and constants are written.
type Dialect uint8

const (
	// Postgres is PostgreSQL's, with standard_conforming_strings.
	Postgres Dialect = iota
	// MySQL is that of MySQL and MariaDB.
	MySQL
)

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// reserved are PostgreSQL's reserved words (manual, appendix C).
var reserved = strings.Fields(`all analyse analyze and any array as asc asymmetric authorization binary both case cast
	check collate collation column concurrently constraint create cross current_catalog current_date current_role
	current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except false
	fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral
	leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps
	placing primary references returning right select session_user similar some symmetric system_user table tablesample
	then to trailing true union unique user using variadic verbose when where window with`)

// Name writes a name, in quotes where it needs them.
func (d Dialect) Name(name string) string {
	if d == MySQL {
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	if plainName.MatchString(name) && !slices.Contains(reserved, name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Qualified writes a name with its schema: the parts are joined by dots.
func (d Dialect) Qualified(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = d.Name(p)
	}
	return strings.Join(parts, ".")
}

// Text writes a string constant.
func (d Dialect) Text(s string) string {
	if d == MySQL {
		s = strings.ReplaceAll(s, `\`, `\\`)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
