package schemafind

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Dialect is a kind of SQL; "" is one that cannot be told.
type Dialect string

const (
	Postgres Dialect = "postgres"
	MySQL    Dialect = "mysql"
	SQLite   Dialect = "sqlite"
	// Other is that of a database that is none of these.
	Other Dialect = "other"
)

func (d Dialect) title() string {
	switch d {
	case Postgres:
		return "PostgreSQL"
	case MySQL:
		return "MySQL or MariaDB"
	case SQLite:
		return "SQLite"
	case Other:
		return "another database"
	case "":
		return "any database"
	}
	panic("schemafind: unknown dialect " + string(d))
}

// names are the words by which paths, and sqlc, name databases.
var names = map[string]Dialect{
	"postgres": Postgres, "postgresql": Postgres, "pg": Postgres, "psql": Postgres, "pgsql": Postgres, "pgx": Postgres,
	"mysql": MySQL, "mysql8": MySQL, "mariadb": MySQL,
	"sqlite": SQLite, "sqlite3": SQLite, "libsql": SQLite, "turso": SQLite,
	"mssql": Other, "sqlserver": Other, "oracle": Other, "clickhouse": Other, "spanner": Other, "cockroach": Other, "cockroachdb": Other,
	"crdb": Other, "duckdb": Other, "snowflake": Other, "bigquery": Other, "cassandra": Other, "scylla": Other, "tidb": Other, "ydb": Other,
}

// words splits a name.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("/\\._- ", r) })
}

// dialectOfName finds the last word of a path that names a database.
func dialectOfName(path string) Dialect {
	list := words(strings.ToLower(path))
	for _, w := range slices.Backward(list) {
		if d, ok := names[w]; ok {
			return d
		}
	}
	return ""
}

// dialectOfFile tells the database that the name of a file ends or, without a
// number, begins with: schema.mysql.sql, 001_users.pg.up.sql, sqlite-schema.sql, store_postgres.go.
func dialectOfFile(path string) Dialect {
	list := words(strings.ToLower(filepath.Base(path)))
	for len(list) > 1 && slices.Contains([]string{"sql", "up", "down", "tx", "go"}, list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return ""
	}
	return cmp.Or(names[list[len(list)-1]], names[list[0]])
}

// signs are what only one of the dialects has.
var signs = map[Dialect]*regexp.Regexp{
	Postgres: regexp.MustCompile("(?i)::[a-z]|\\$[a-z_]*\\$|\\b((big|small)?serial|jsonb|timestamptz|bytea|tsvector|citext|inet|plpgsql|" +
		"create\\s+extension|create\\s+type|create\\s+domain|create\\s+sequence|generated\\s+(always|by\\s+default)\\s+as\\s+identity|with(out)?\\s+time\\s+zone|" +
		"using\\s+(gin|gist|brin)|gen_random_uuid|uuid_generate_v4|character\\s+varying|double\\s+precision|[a-z]+\\s*\\[\\])"),
	MySQL: regexp.MustCompile("(?i)`|\\b(auto_increment|engine\\s*=\\s*(innodb|myisam|aria)|unsigned|(default\\s+)?charset|tinyint|mediumint|(medium|long|tiny)text|" +
		"(medium|long)blob|on\\s+update\\s+current_timestamp|unique\\s+key|enum\\s*\\(|datetime\\s*\\()"),
	SQLite: regexp.MustCompile(`(?i)\b(autoincrement|pragma|without\s+rowid|fts[345]|datetime\s*\(\s*''|strftime|integer\s+primary\s+key)`),
	Other: regexp.MustCompile("(?i)\\b(nvarchar|varchar2|uniqueidentifier|mergetree|getdate\\s*\\(|identity\\s*\\(\\s*1|lowcardinality|" +
		"string\\s*\\(\\s*(max|[0-9]+)\\s*\\))"),
}

// dialectOfText says which dialect files look like: the one of which they have
// most signs, "" where no one is first.
func dialectOfText(files []File) Dialect {
	type score struct {
		d Dialect
		n int
	}
	var list []score
	for _, d := range sortedKeys(signs) {
		n := 0
		for _, f := range files {
			n += len(signs[d].FindAllString(bare(f.Text), -1))
		}
		list = append(list, score{d, n})
	}
	slices.SortStableFunc(list, func(a, b score) int { return cmp.Compare(b.n, a.n) })
	if list[0].n == list[1].n {
		return ""
	}
	return list[0].d
}

// notCode are comments and strings. What a backslash does in a string depends on
// the dialect; here it does nothing.
var notCode = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/|'[^']*'`)

// bare is SQL without comments, and with empty strings.
func bare(text string) string {
	return notCode.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '\'' {
			return "''"
		}
		return " "
	})
}

var tableDecl = regexp.MustCompile(`(?i)\bcreate\s+((global|local)\s+)?((temp|temporary|unlogged)\s+)?table\b`)

// createsTable reports whether SQL declares a table.
func createsTable(text string) bool { return tableDecl.MatchString(bare(text)) }
