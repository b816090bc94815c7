package gormmodel

import "strings"

// reserved are the words of PostgreSQL that name nothing without quotes.
var reserved = words(`all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
	column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
	current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from
	full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
	localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
	returning right select session_user similar some symmetric system_user table tablesample then to trailing true union
	unique user using variadic verbose when where window with`)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// Quote gives a name as it stands in a statement: in quotes where it needs them.
// A name that the statement quotes without need means the same.
func Quote(name string) string {
	plain := name != "" && !reserved[name] && (name[0] < '0' || name[0] > '9')
	for i := range len(name) {
		c := name[i]
		plain = plain && (c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z')
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteTable is Quote for the name of a table, which may have that of its schema
// in front.
func QuoteTable(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = Quote(p)
	}
	return strings.Join(parts, ".")
}
