package seats

import (
	"database/sql"
	"strings"

	sq "github.com/Masterminds/squirrel"
)

var (
	columns = []string{"id", "name"}
	sorted  = []string{"id", "rank"}
)

// Lists are columns in package variables: those that everybody only reads are known.
func Lists(db *sql.DB) error {
	var x, y int
	if err := psql.RunWith(db).Select(columns...).From("halls").Where("id = 1").Scan(&x, &y); err != nil { // want `SELECT id, name FROM halls WHERE id = 1`
		return err
	}
	for _, c := range withAlias(columns, "h") {
		y += len(c)
	}
	if err := psql.RunWith(db).Select(append([]string{"count(*)"}, columns...)...).From("halls").Scan(&x); err != nil { // want `SELECT count(*), id, name FROM halls`
		return err
	}
	suffix := "RETURNING " + strings.Join(columns, ", ")
	if _, err := sq.Insert("halls").Columns(columns...).Values(1, "a").Suffix(suffix).RunWith(db).Exec(); err != nil { // want `INSERT INTO halls (id, name) VALUES ($1, $2) RETURNING id, name (1, 'a')`
		return err
	}
	change(sorted)
	return psql.RunWith(db).Select(sorted...).From("halls").Scan(&x, &y) // want `SELECT … FROM halls`
}

// withAlias only reads what it gets.
func withAlias(list []string, alias string) []string {
	var out []string
	for _, c := range list {
		out = append(out, alias+"."+c)
	}
	return out
}

// change writes to what it gets.
func change(list []string) { list[1] = "name" }
