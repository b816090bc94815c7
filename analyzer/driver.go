package analyzer

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Database is a kind of database that a driver connects to.
type Database string

const (
	MySQL      Database = "mysql"
	PostgreSQL Database = "postgres"
)

// driverPaths are the modules of drivers.
var driverPaths = map[string]Database{
	"github.com/go-sql-driver/mysql":         MySQL,
	"gorm.io/driver/mysql":                   MySQL,
	"github.com/go-pg/pg":                    PostgreSQL,
	"github.com/jackc/pgx":                   PostgreSQL,
	"github.com/lib/pq":                      PostgreSQL,
	"github.com/uptrace/bun/driver/pgdriver": PostgreSQL,
	"gorm.io/driver/postgres":                PostgreSQL,
}

// drivers gives the databases whose drivers packages import.
func drivers(pkgs []*packages.Package) []Database {
	found := map[Database]bool{}
	for _, p := range pkgs {
		for path := range p.Imports {
			for module, db := range driverPaths {
				if path == module || strings.HasPrefix(path, module+"/") {
					found[db] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
