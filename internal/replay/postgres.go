package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// postgres is a server that speaks the protocol of PostgreSQL.
type postgres struct {
	cfg           *pgx.ConnConfig
	name, version string
}

// settings make what a server prints alike everywhere.
var settings = map[string]string{
	"application_name": "robust replay", "datestyle": "ISO", "timezone": "UTC", "extra_float_digits": "1", "bytea_output": "hex",
	"standard_conforming_strings": "on", "client_min_messages": "error",
}

func openPostgres(ctx context.Context, dsn string) (server, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("the connection string is not one of PostgreSQL: %w", err)
	}
	for name, value := range settings {
		cfg.RuntimeParams[name] = value
	}
	p := &postgres{cfg: cfg}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	defer conn.Close(ctx)
	var full string
	if err := conn.QueryRow(ctx, "SELECT version()").Scan(&full); err != nil {
		return nil, err
	}
	p.name, p.version = postgresTitle(full)
	return p, nil
}

// postgresTitle reads what version() says: PostgreSQL 15.18 (Debian …) on …, or
// CockroachDB CCL v24.1.0 (…).
func postgresTitle(full string) (name, version string) {
	words := strings.Fields(full)
	if len(words) == 0 {
		return "PostgreSQL", ""
	}
	for _, w := range words[1:] {
		if v := strings.TrimPrefix(w, "v"); v != "" && v[0] >= '0' && v[0] <= '9' {
			return words[0], v
		}
	}
	return words[0], ""
}

func (p *postgres) title() (string, string) { return p.name, p.version }
func (p *postgres) close() error            { return nil }

func (p *postgres) admin(ctx context.Context, sql string) error {
	conn, err := pgx.ConnectConfig(ctx, p.cfg)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

func (p *postgres) create(ctx context.Context, name string) (database, error) {
	quoted := quote.Ident(name)
	err := p.admin(ctx, "CREATE DATABASE "+quoted+" TEMPLATE template0")
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && (pg.Code == "42601" || pg.Code == "0A000" || pg.Code == "3D000") {
		err = p.admin(ctx, "CREATE DATABASE "+quoted) // a server that has no templates
	}
	if err != nil {
		return nil, refusedDatabase(p.name, err)
	}
	d := &postgresDatabase{server: p, name: name}
	cfg := p.cfg.Copy()
	cfg.Database = name
	d.cfg = cfg
	if d.monitor, err = pgx.ConnectConfig(ctx, cfg); err != nil {
		return nil, errors.Join(err, d.drop(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// refusedDatabase is the error where CREATE DATABASE fails.
func refusedDatabase(server string, err error) error {
	return fmt.Errorf("%s refuses CREATE DATABASE, which a replay needs for a database of its own: %w; give a user that may create databases, or leave the connection string out for a private server", server, err)
}

type postgresDatabase struct {
	server  *postgres
	name    string
	cfg     *pgx.ConnConfig
	monitor *pgx.Conn
}

func (d *postgresDatabase) connect(ctx context.Context) (connection, error) {
	conn, err := pgx.ConnectConfig(ctx, d.cfg)
	if err != nil {
		return nil, err
	}
	return &postgresConn{conn.PgConn()}, nil
}

func (d *postgresDatabase) waits(ctx context.Context, c connection) (waiting, known bool) {
	err := d.monitor.QueryRow(ctx, "SELECT cardinality(pg_blocking_pids($1)) > 0", int32(c.(*postgresConn).PID())).Scan(&waiting)
	return waiting, err == nil
}

func (d *postgresDatabase) session(plan *witness.Plan) []string { return plan.Session }

func (d *postgresDatabase) begin(level string, _ bool) []string {
	return []string{"BEGIN ISOLATION LEVEL " + level}
}

func (d *postgresDatabase) takeSnapshot() string { return "SELECT 1" }

func (d *postgresDatabase) drop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if d.monitor != nil {
		d.monitor.Close(ctx)
	}
	quoted := quote.Ident(d.name)
	err := d.server.admin(ctx, "DROP DATABASE IF EXISTS "+quoted+" WITH (FORCE)")
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42601" { // before PostgreSQL 13
		err = d.server.admin(ctx, "DROP DATABASE IF EXISTS "+quoted)
	}
	if err != nil {
		return fmt.Errorf("the database %s could not be dropped: %w", d.name, err)
	}
	return nil
}

// farewell bounds how long it may take to clean up.
const farewell = 20 * time.Second

type postgresConn struct{ *pgconn.PgConn }

func (c *postgresConn) run(ctx context.Context, q request) (*reply, error) {
	var results []*pgconn.Result
	var err error
	if len(q.params) > 0 {
		params := make([][]byte, len(q.params))
		for i, p := range q.params {
			if p != nil {
				params[i] = []byte(*p)
			}
		}
		r := c.ExecParams(ctx, q.sql, params, nil, nil, nil).Read()
		results, err = []*pgconn.Result{r}, r.Err
	} else {
		results, err = c.Exec(ctx, q.sql).ReadAll()
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && !fatal(pg) {
		return &reply{code: pg.Code, message: pg.Message, count: -1}, nil
	}
	if err != nil {
		return nil, lost(ctx, err)
	}
	out := &reply{count: -1}
	if len(results) == 0 {
		return out, nil
	}
	last := results[len(results)-1]
	for _, f := range last.FieldDescriptions {
		name := ""
		if f.DataTypeOID == blankPadded {
			name = "bpchar"
		}
		out.types = append(out.types, name)
		out.columns = append(out.columns, f.Name)
	}
	out.rows = texts(last.Rows)
	tag := last.CommandTag
	if tag.Select() || tag.Insert() || tag.Update() || tag.Delete() || strings.HasPrefix(tag.String(), "MERGE") {
		out.count = int(tag.RowsAffected())
	}
	out.rolledBack = tag.String() == "ROLLBACK" && strings.HasPrefix(q.sql, "COMMIT")
	return out, nil
}

// blankPadded is the type char(n), whose values are printed with blanks at their end.
const blankPadded = 1042

// fatal reports whether an error ends the session: the server goes away.
func fatal(e *pgconn.PgError) bool {
	return strings.HasPrefix(e.Code, "57P") || e.Severity == "FATAL" || e.Severity == "PANIC"
}

// lost is the error where a connection ends.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the server ended the connection: %w", err)
}

func texts(rows [][][]byte) [][]*string {
	out := [][]*string{}
	for _, row := range rows {
		cells := make([]*string, len(row))
		for i, cell := range row {
			if cell != nil {
				s := string(cell)
				cells[i] = &s
			}
		}
		out = append(out, cells)
	}
	return out
}

func (c *postgresConn) close() { c.Conn().Close() }
