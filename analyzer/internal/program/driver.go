package program

import (
	"maps"
	"slices"
	"strings"
)

// Database is a kind of database that a driver connects to.
type Database string

const (
	// MySQL stands for MariaDB, too.
	MySQL Database = "mysql"
	// PostgreSQL is that of drivers for the protocol of PostgreSQL.
	PostgreSQL Database = "postgres"
	// SQLite is in the program itself; no engine stands for it.
	SQLite Database = "sqlite"
)

// Databases gives the databases that the drivers among packages connect to, in order.
func (k *Knowledge) Databases(paths []string) []Database {
	found := map[Database]bool{}
	for _, n := range k.list {
		for module, db := range n.Drivers {
			if slices.ContainsFunc(paths, func(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }) {
				found[db] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
