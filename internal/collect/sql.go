package collect

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"modernc.org/sqlite"
)

// Engine is a database system that speaks SQL.
type Engine struct {
	Name string
	// example is a DSN as the driver reads it.
	example string
	open    func(dsn string) (*sql.DB, error)
	// version asks for what the server calls itself.
	version string
	// tables makes the tables. begin begins a transaction at a level.
	begin func(Isolation) []string
	// upsert completes INSERT INTO table … by what happens to a row that is there: columns are set
	// to what set says, where old(c) and new(c) are a column of the row and of the new one.
	upsert func(table, set string) string
	// dollar is set if parameters are $1, $2, …, and otherwise they are ?.
	dollar bool
	// refused tells whether an error of COMMIT is a refusal.
	refused func(error) bool
	// setup is run on each connection.
	setup []string
}

// SQLite is the name of the engine without a server.
const SQLite = "sqlite"

// Engines are the systems that are supported, sorted.
func Engines() []string {
	var out []string
	for _, e := range engines {
		out = append(out, e.Name)
	}
	return out
}

// EngineByName gives the system of a name.
func EngineByName(name string) (*Engine, error) {
	for _, e := range engines {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

var engines = []*Engine{
	{
		Name: "mariadb", example: "user:password@tcp(localhost:3306)/database", open: openMySQL, version: "SELECT concat('MariaDB ', version())",
		begin: func(l Isolation) []string {
			return []string{"SET TRANSACTION ISOLATION LEVEL " + string(l), "START TRANSACTION"}
		},
		upsert: func(_, set string) string { return "ON DUPLICATE KEY UPDATE " + set },
		refused: func(err error) bool {
			e, ok := errors.AsType[*mysql.MySQLError](err)
			// The shutdown of the server, an interrupt and the end of a connection say nothing.
			return ok && !slices.Contains([]uint16{1053, 1317, 1927, 3169}, e.Number)
		},
	},
	{
		Name: "postgres", example: "postgres://user:password@localhost:5432/database", open: driven("pgx"),
		version: "SELECT 'PostgreSQL ' || current_setting('server_version')", dollar: true,
		begin:  func(l Isolation) []string { return []string{"BEGIN ISOLATION LEVEL " + string(l)} },
		upsert: func(_, set string) string { return "ON CONFLICT (k) DO UPDATE SET " + set },
		refused: func(err error) bool {
			e, ok := errors.AsType[*pgconn.PgError](err)
			return ok && e.Severity == "ERROR" && !strings.HasPrefix(e.Code, "57")
		},
	},
	{
		Name: SQLite, example: "folder/file.db, in a folder that is there", open: driven("sqlite"), version: "SELECT 'SQLite ' || sqlite_version()",
		// All its transactions are serializable.
		begin:  func(Isolation) []string { return []string{"BEGIN"} },
		upsert: func(_, set string) string { return "ON CONFLICT (k) DO UPDATE SET " + set },
		refused: func(err error) bool {
			e, ok := errors.AsType[*sqlite.Error](err)
			return ok && e.Code()&0xff == sqliteBusy
		},
		setup: []string{"PRAGMA busy_timeout = 1000", "PRAGMA journal_mode = WAL"},
	},
}

// driven opens databases by a driver of database/sql.
func driven(driver string) func(string) (*sql.DB, error) {
	return func(dsn string) (*sql.DB, error) { return sql.Open(driver, dsn) }
}

// openMySQL keeps the driver from saying what the clients hear anyway.
func openMySQL(dsn string) (*sql.DB, error) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// sqliteBusy is the code SQLITE_BUSY.
const sqliteBusy = 5

// tables are what the workloads need.
var tables = []struct{ name, columns string }{
	{"robust_register", "k bigint PRIMARY KEY, v bigint NOT NULL, data bigint NOT NULL"},
	{"robust_list", "k bigint PRIMARY KEY, v text NOT NULL"},
	{"robust_set", "k bigint NOT NULL, v bigint NOT NULL, PRIMARY KEY (k, v)"},
	{"robust_counter", "k bigint PRIMARY KEY, v bigint NOT NULL"},
	{"robust_row", "k bigint PRIMARY KEY, v bigint NOT NULL, dead int NOT NULL"},
}

// server is a Database that database/sql reaches.
type server struct {
	e     *Engine
	level Isolation
	db    *sql.DB
	name  string
	made  []string // tables
}

// Open connects to a database. Errors say how a DSN looks, for drivers do not.
func (e *Engine) Open(ctx context.Context, dsn string, level Isolation) (Database, error) {
	s, err := e.connect(ctx, dsn, level)
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, fmt.Errorf("no database of the engine %s is reached with this DSN: %w; start it, or write the DSN like %s", e.Name, err, e.example)
}

// connect is Open, for a DSN that is made here.
func (e *Engine) connect(ctx context.Context, dsn string, level Isolation) (Database, error) {
	db, err := e.open(dsn)
	if err != nil {
		return nil, err
	}
	s := &server{e: e, level: level, db: db}
	if err := db.QueryRowContext(ctx, e.version).Scan(&s.name); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if s.name += " at " + string(level); e.Name == SQLite {
		s.name = strings.TrimSuffix(s.name, string(level)) + "SERIALIZABLE"
	}
	return s, nil
}

func (s *server) Name() string { return s.name }

func (s *server) Prepare(ctx context.Context) error {
	for _, q := range s.e.setup {
		if _, err := s.db.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	if err := s.drop(ctx); err != nil {
		return err
	}
	for _, t := range tables {
		if _, err := s.db.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", t.name, t.columns)); err != nil {
			return fmt.Errorf("the table %s cannot be made: %w; if it is left over, drop it, or take another database", t.name, err)
		}
		s.made = append(s.made, t.name)
	}
	return nil
}

func (s *server) Close(ctx context.Context) error { return errors.Join(s.drop(ctx), s.db.Close()) }

// drop removes the tables that were made.
func (s *server) drop(ctx context.Context) error {
	for _, t := range s.made {
		if _, err := s.db.ExecContext(ctx, "DROP TABLE "+t); err != nil {
			return err
		}
	}
	s.made = nil
	return nil
}

func (s *server) Connect(ctx context.Context) (Conn, error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	conn := &sqlConn{s.e, s.level, c}
	for _, q := range s.e.setup {
		if _, err := c.ExecContext(ctx, q); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

type sqlConn struct {
	e     *Engine
	level Isolation
	c     *sql.Conn
}

func (c *sqlConn) exec(ctx context.Context, query string, args ...any) (err error) {
	_, err = c.c.ExecContext(ctx, c.e.text(query), args...)
	return err
}

func (c *sqlConn) Begin(ctx context.Context) error {
	for _, q := range c.e.begin(c.level) {
		if err := c.exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (c *sqlConn) Rollback(ctx context.Context) error { return c.exec(ctx, "ROLLBACK") }

func (c *sqlConn) Commit(ctx context.Context) error {
	err := c.exec(ctx, "COMMIT")
	if err != nil && c.e.refused(err) {
		return &Refused{err}
	}
	return err
}

// Close does not give the connection back to the pool: a transaction may run on it.
func (c *sqlConn) Close() {
	c.c.Raw(func(any) error { return driver.ErrBadConn }) // the error is that one
	c.c.Close()
}

// text gives a statement its parameters: ? in the text.
func (e *Engine) text(query string) string {
	if !e.dollar {
		return query
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r == '?' {
			n++
			b.WriteString("$" + strconv.Itoa(n))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// set is the statement that writes a row of values, whether there is one or not. change has
// how columns follow from the old row (o.c) and the new one (n.c).
func (e *Engine) set(table, columns, change string) string {
	n := strings.Count(columns, ",") + 1
	change = strings.ReplaceAll(change, "o.", table+".")
	if e.Name == "mariadb" {
		for _, column := range strings.Split(columns, ", ") {
			change = strings.ReplaceAll(change, "n."+column, "VALUES("+column+")")
		}
	}
	change = strings.ReplaceAll(change, "n.", "excluded.")
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) %s", table, columns, strings.TrimSuffix(strings.Repeat("?, ", n), ", "), e.upsert(table, change))
}

func (c *sqlConn) Do(ctx context.Context, r Request) (a Answer, err error) {
	switch r.Op {
	case Read:
		err = c.c.QueryRowContext(ctx, c.e.text("SELECT v, data FROM robust_register WHERE k = ?"), r.Key).Scan(&a.Value, &a.Data)
		a.Found = err == nil
	case Write:
		err = c.exec(ctx, c.e.set("robust_register", "k, v, data", "v = n.v, data = n.data"), r.Key, r.Value, r.Data)
	case Append:
		joined := "v = o.v || ',' || n.v"
		if c.e.Name == "mariadb" {
			joined = "v = concat(o.v, ',', n.v)"
		}
		err = c.exec(ctx, c.e.set("robust_list", "k, v", joined), r.Key, strconv.FormatInt(r.Value, 10))
	case ReadList:
		var list string
		if err = c.c.QueryRowContext(ctx, c.e.text("SELECT v FROM robust_list WHERE k = ?"), r.Key).Scan(&list); err == nil {
			a.Elements, err = numbers(list)
		}
	case Add:
		err = c.exec(ctx, "INSERT INTO robust_set (k, v) VALUES (?, ?)", r.Key, r.Value)
	case ReadSet:
		a.Rows, err = c.rows(ctx, "SELECT k, v, 0 FROM robust_set WHERE k = ? ORDER BY v", r.Key)
		for _, x := range a.Rows {
			a.Elements = append(a.Elements, x.Value)
		}
	case Increment:
		err = c.exec(ctx, c.e.set("robust_counter", "k, v", "v = o.v + n.v"), r.Key, r.Value)
	case ReadCounter:
		err = c.c.QueryRowContext(ctx, c.e.text("SELECT v FROM robust_counter WHERE k = ?"), r.Key).Scan(&a.Value)
	case Put, Bury:
		return c.row(ctx, r)
	case Scan:
		a.Rows, err = c.rows(ctx, "SELECT k, v, dead FROM robust_row WHERE k BETWEEN ? AND ? ORDER BY k", r.Key, r.High)
	default:
		panic("collect: unknown request " + string(r.Op))
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return a, err
}

// row changes a row where there is one, and otherwise inserts it.
func (c *sqlConn) row(ctx context.Context, r Request) (a Answer, err error) {
	dead := 0
	if r.Op == Bury {
		dead = 1
	}
	result, err := c.c.ExecContext(ctx, c.e.text("UPDATE robust_row SET v = ?, dead = ? WHERE k = ?"), r.Value, dead, r.Key)
	if err != nil {
		return a, err
	}
	n, err := result.RowsAffected()
	if a.Found = n > 0; err != nil || a.Found {
		return a, err
	}
	return a, c.exec(ctx, "INSERT INTO robust_row (k, v, dead) VALUES (?, ?, ?)", r.Key, r.Value, dead)
}

func (c *sqlConn) rows(ctx context.Context, query string, args ...any) ([]Row, error) {
	rows, err := c.c.QueryContext(ctx, c.e.text(query), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Row
	for rows.Next() {
		var x Row
		if err := rows.Scan(&x.Key, &x.Value, &x.Dead); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, rows.Err()
}

// numbers reads the elements of a list.
func numbers(list string) ([]int64, error) {
	var out []int64
	for _, field := range strings.Split(list, ",") {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the database returned a list that nobody wrote: %q", list)
		}
		out = append(out, n)
	}
	return out, nil
}
