package replay

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

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// mysqlServer is MariaDB or MySQL.
type mysqlServer struct {
	cfg           *mysql.Config
	db            *sql.DB
	name, version string
	// snapshots says that innodb_snapshot_isolation is there.
	snapshots bool
}

func openMySQL(ctx context.Context, dsn string) (server, error) {
	cfg, err := mysql.ParseDSN(mysqlDSN(dsn))
	if err != nil {
		return nil, fmt.Errorf("the connection string is not one of MySQL (user:password@tcp(host:port)/): %w", err)
	}
	cfg.Logger, cfg.MultiStatements, cfg.ClientFoundRows, cfg.ParseTime = &mysql.NopLogger{}, true, true, false
	s := &mysqlServer{cfg: cfg}
	if s.db, err = connect(cfg); err != nil {
		return nil, err
	}
	var full string
	if err := s.db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&full); err != nil {
		s.db.Close()
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	s.name = "MySQL"
	if strings.Contains(full, "MariaDB") {
		s.name = "MariaDB"
	}
	s.version, _, _ = strings.Cut(full, "-")
	var variable, value string
	s.snapshots = s.db.QueryRowContext(ctx, "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'").Scan(&variable, &value) == nil
	return s, nil
}

// mysqlDSN takes a URL, too: mysql://user:password@host:port/.
func mysqlDSN(dsn string) string {
	for _, scheme := range []string{"mysql://", "mariadb://"} {
		rest, ok := strings.CutPrefix(dsn, scheme)
		if !ok {
			continue
		}
		who, where, found := strings.Cut(rest, "@")
		if !found {
			who, where = "", rest
		}
		host, path, _ := strings.Cut(where, "/")
		if host != "" && !strings.Contains(host, ":") {
			host += ":3306"
		}
		return who + "@tcp(" + host + ")/" + path
	}
	return dsn
}

func connect(cfg *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func (s *mysqlServer) title() (string, string) { return s.name, s.version }
func (s *mysqlServer) close() error            { return s.db.Close() }

func (s *mysqlServer) create(ctx context.Context, name string) (database, error) {
	if _, err := s.db.ExecContext(ctx, "CREATE DATABASE "+quote.MySQL.Ident(name)+" CHARACTER SET utf8mb4"); err != nil {
		return nil, refusedDatabase(s.name, err)
	}
	cfg := s.cfg.Clone()
	cfg.DBName = name
	d := &mysqlDatabase{server: s, name: name}
	var err error
	if d.db, err = connect(cfg); err != nil {
		return nil, errors.Join(err, d.drop(context.WithoutCancel(ctx)))
	}
	return d, nil
}

type mysqlDatabase struct {
	server *mysqlServer
	name   string
	db     *sql.DB
}

func (d *mysqlDatabase) connect(ctx context.Context) (connection, error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := &mysqlConn{conn: conn}
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&c.id); err != nil {
		return nil, err
	}
	_, err = conn.ExecContext(ctx, "SET SESSION time_zone = '+00:00'")
	return c, err
}

func (d *mysqlDatabase) waits(ctx context.Context, c connection) (waiting, known bool) {
	id := c.(*mysqlConn).id
	err := d.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = ? AND trx_state = 'LOCK WAIT')
		OR EXISTS (SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ? AND STATE LIKE 'Waiting for%lock%')`, id, id).Scan(&waiting)
	return waiting, err == nil
}

func (d *mysqlDatabase) begin(level string, snapshot bool) []string {
	out := []string{"SET SESSION TRANSACTION ISOLATION LEVEL " + level}
	if snapshot {
		return append(out, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
	}
	return append(out, "START TRANSACTION")
}

func (d *mysqlDatabase) session(plan *witness.Plan) []string {
	if !d.server.snapshots {
		return plan.Session
	}
	value := "ON"
	if plan.Newest {
		value = "OFF"
	}
	return append(slices.Clone(plan.Session), "SET SESSION innodb_snapshot_isolation = "+value)
}

func (d *mysqlDatabase) takeSnapshot() string { return "" }

func (d *mysqlDatabase) drop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if d.db != nil {
		d.db.Close()
	}
	if _, err := d.server.db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+quote.MySQL.Ident(d.name)); err != nil {
		return fmt.Errorf("the database %s could not be dropped: %w", d.name, err)
	}
	return nil
}

type mysqlConn struct {
	conn *sql.Conn
	id   int64
}

func (c *mysqlConn) run(ctx context.Context, q request) (*reply, error) {
	args := make([]any, len(q.params))
	for i, p := range q.params {
		if p != nil {
			args[i] = *p
		}
	}
	out := &reply{count: -1}
	var err error
	if q.rows || givesRows(q.sql) {
		err = c.query(ctx, q.sql, args, out)
	} else {
		var res sql.Result
		if res, err = c.conn.ExecContext(ctx, q.sql, args...); err == nil {
			n, _ := res.RowsAffected() // of this driver, there is no error
			out.count = int(n)
		}
	}
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return &reply{code: strconv.Itoa(int(e.Number)), message: e.Message, count: -1}, nil
	}
	if err != nil {
		return nil, lost(ctx, err)
	}
	return out, nil
}

// givesRows reports whether a statement gives rows, by its first word.
func givesRows(sql string) bool {
	words := strings.Fields(strings.ToLower(strings.TrimLeft(sql, "( \n\t")))
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "select", "show", "with", "values", "table", "describe", "explain":
		return !strings.Contains(strings.ToLower(sql), " into @")
	}
	return strings.Contains(strings.ToLower(sql), " returning ")
}

func (c *mysqlConn) query(ctx context.Context, text string, args []any, out *reply) error {
	rows, err := c.conn.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	out.rows, out.types, out.columns = [][]*string{}, make([]string, len(names)), names
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row := make([]*string, len(names))
		for i := range cells {
			if cells[i].Valid {
				row[i] = &cells[i].String
			}
		}
		out.rows = append(out.rows, row)
	}
	out.count = len(out.rows)
	return rows.Err()
}

// close ends the session: the driver closes a connection that is said to be bad.
func (c *mysqlConn) close() {
	c.conn.Raw(func(any) error { return driver.ErrBadConn })
	c.conn.Close()
}
