// Package system knows the names that every PostgreSQL database has in its schema pg_catalog, where names without
// a schema are looked for first.
//
// pg_catalog.txt holds, of PostgreSQL 15, the tables and views, the types, and the functions with the types of
// their arguments, each as one line; functions that only the server itself can call are left out. A
// test compares it with a server.
package system

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed pg_catalog.txt
var text string

// catalog is the names in text, by kind.
var catalog = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{"relation": {}, "type": {}, "function": {}}
	for line := range strings.Lines(text) {
		kind, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[kind][name] = true
	}
	return out
})

// Relation reports whether there is a table or view of this name.
func Relation(name string) bool { return catalog()["relation"][name] }

// Type reports whether there is a type of this name, spelt as in pg_type: int4, not integer.
func Type(name string) bool { return catalog()["type"][name] }

// Function reports whether there is a function with arguments of just these types, which are spelt as in
// pg_type.
func Function(name string, types []string) bool {
	return catalog()["function"][name+"("+strings.Join(types, ",")+")"]
}
