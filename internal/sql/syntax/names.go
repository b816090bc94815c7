package syntax

import (
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
)

// FullName is the name of an object with its schema, public left out.
func FullName(schema, name string) string {
	if schema == PublicSchema {
		return Qualified([]string{name})
	}
	return Qualified([]string{schema, name})
}

// Schemas that PostgreSQL itself knows.
const (
	PublicSchema = "public"
	SystemSchema = "pg_catalog"
	TempSchema   = "pg_temp"
	UserSchema   = "$user" // of a search path: the one that is called as the user
	InfoSchema   = "information_schema"
)

// Qualified joins the parts of a name.
func Qualified(parts []string) string { return quote.Qualified(parts...) }

// SplitName gives the schema, "" if there is none, and the name of an object. What stands before the schema
// is the database.
func SplitName(name string) (schema, own string) {
	parts := quote.Parts(name)
	if n := len(parts); n > 1 {
		return parts[n-2], parts[n-1]
	}
	return "", parts[0]
}

// LastPart is the name of an object without its schema.
func LastPart(name string) string {
	_, own := SplitName(name)
	return own
}

// PlainName is a name without the schemas that every database has.
func PlainName(name string) string {
	if schema, own := SplitName(name); schema == SystemSchema || schema == PublicSchema {
		return own
	}
	return name
}

// OperatorName is the name of an operator: those of all schemas count as one.
func OperatorName(name []*pg.Node) string {
	parts := Names(name)
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// RangeName is the name of a table in a statement.
func RangeName(r *pg.RangeVar) string { return Qualified(append(NonEmpty(r.Schemaname), r.Relname)) }

// NonEmpty is the list of s, without it where it is "".
func NonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// NameOr gives a name, or another one where it is "".
func NameOr(name, other string) string {
	if name != "" {
		return name
	}
	return other
}

// ColumnsNamed gives the names of columns in an expression.
func ColumnsNamed(n *pg.Node) []string {
	var out []string
	pg.Walk(n, func(x any) bool {
		if c, ok := x.(*pg.ColumnRef); ok {
			if parts := Names(c.Fields); len(parts) > 0 {
				out = append(out, parts[len(parts)-1])
			}
		}
		return true
	})
	return out
}
