package analyzer

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/txrobust/robust/analyzer/internal/program"
)

// Database is a kind of database that a driver connects to.
type Database = program.Database

// The databases that drivers of libraries connect to.
const (
	MySQL      = program.MySQL
	PostgreSQL = program.PostgreSQL
)

// drivers gives the databases whose drivers packages import, and apart from these whether one is
// SQLite.
func drivers(pkgs []*packages.Package) (servers []Database, sqlite bool) {
	var paths []string
	for _, p := range pkgs {
		paths = slices.AppendSeq(paths, maps.Keys(p.Imports))
	}
	all := names().Databases(paths)
	servers = slices.DeleteFunc(slices.Clone(all), func(d Database) bool { return d == program.SQLite })
	return servers, len(servers) < len(all)
}
