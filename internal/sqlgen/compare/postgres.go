package compare

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/internal/sqlgen"
	"github.com/txrobust/robust/sqlmodel"
)

// Postgres takes a connection to PostgreSQL.
func Postgres(conn *pgx.Conn) Link { return &postgres{conn: conn} }

type postgres struct {
	conn *pgx.Conn
	apps int
}

func (p *postgres) run(ctx context.Context, sql string) ([][]record, error) {
	results, err := p.conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	out := make([][]record, len(results))
	for i, r := range results {
		out[i] = records(r)
	}
	return out, nil
}

func (p *postgres) do(ctx context.Context, c command) ([]record, error) {
	if !c.params {
		results, err := p.run(ctx, c.sql)
		if err != nil || len(results) == 0 {
			return nil, err
		}
		return results[len(results)-1], nil
	}
	args := make([][]byte, len(c.args))
	for i, a := range c.args {
		if a != nil {
			args[i] = []byte(*a)
		}
	}
	res := p.conn.PgConn().ExecParams(ctx, c.sql, args, nil, nil, nil).Read()
	return records(res), res.Err
}

var builtinTypes = pgtype.NewMap()

func records(r *pgconn.Result) []record {
	types := make([]ir.Domain, len(r.FieldDescriptions))
	for i, d := range r.FieldDescriptions {
		if t, ok := builtinTypes.TypeForOID(d.DataTypeOID); ok {
			types[i] = value.Of(t.Name)
		}
	}
	out := make([]record, len(r.Rows))
	for i, row := range r.Rows {
		out[i] = record{make([]*string, len(row)), types}
		for k, v := range row {
			if v != nil {
				t := string(v)
				out[i].texts[k] = &t
			}
		}
	}
	return out
}

func (p *postgres) cancel(ctx context.Context) { p.conn.PgConn().CancelRequest(ctx) }

func (p *postgres) id() string { return strconv.Itoa(int(p.conn.PgConn().PID())) }

func (p *postgres) allWait(ctx context.Context, ids []string) (bool, error) {
	rows, err := p.run(ctx, "SELECT bool_and(cardinality(pg_blocking_pids(p)) > 0) FROM unnest('{"+strings.Join(ids, ",")+"}'::int[]) p")
	if err != nil {
		return false, err
	}
	return *rows[0][0].texts[0] == "t", nil
}

func (p *postgres) prepare(ctx context.Context) error {
	_, err := p.run(ctx, "SET deadlock_timeout = '20ms'; SET statement_timeout = '8s'; SET client_min_messages = error; SET timezone = 'UTC'; SET default_transaction_isolation = 'repeatable read'")
	return err
}

func (p *postgres) profile() *engine.Profile { return engine.Postgres() }

func (p *postgres) parse(text string, names []string) (*ir.Program, error) {
	return sqlmodel.Parse([]sqlmodel.File{{Name: fileName, Text: text}}, sqlmodel.Options{Txns: names})
}

// vacuumEvery is how many applications come between two cleanings of the
// system's tables, which the many declarations fill.
const vacuumEvery = 200

func (p *postgres) reset() []string {
	sql := []string{"ROLLBACK; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public"}
	if p.apps++; p.apps%vacuumEvery == 0 {
		sql = append(sql, "VACUUM")
	}
	return sql
}

func (p *postgres) sequences() string {
	return `SELECT setval(quote_ident(schemaname) || '.' || quote_ident(sequencename),
		row_number() OVER (ORDER BY schemaname, sequencename) * CASE WHEN data_type = 'smallint'::regtype THEN 2000 ELSE 1000000 END) FROM pg_sequences`
}

func (p *postgres) empty(tables []string) string {
	return "TRUNCATE " + strings.Join(tables, ", ") + " CASCADE"
}

func (p *postgres) refill(tables []refilled) string {
	var b strings.Builder
	b.WriteString("SET session_replication_role = replica;")
	for _, t := range tables {
		b.WriteString("DELETE FROM " + t.table + ";" + t.values(" OVERRIDING SYSTEM VALUE"))
	}
	b.WriteString("SET session_replication_role = origin")
	return b.String()
}

func (p *postgres) canon(t *sqlgen.Type, v string) string {
	if t.Base == "bool" { // the text of a boolean is a word, what is printed is a letter
		return "SELECT left((" + t.Literal(v) + ")::text, 1)"
	}
	return "SELECT (" + t.Literal(v) + ")::text"
}

func (p *postgres) serve(s *Server, t *sqlgen.Txn, args []*string, looks string) served {
	list := []string{call(t, args)}
	if t.Kind == sqlgen.Script {
		list = nil
		for _, n := range t.Node.Kids {
			list = append(list, strings.TrimSuffix(strings.TrimSpace(n.String()), ";"))
		}
	}
	results, err := s.run("BEGIN; SELECT now(); " + strings.Join(list, ";\n") + "; SET CONSTRAINTS ALL IMMEDIATE; " + looks + " ROLLBACK")
	if err != nil {
		s.exec("ROLLBACK")
		return served{err: err}
	}
	rows, results := results[1], results[2:len(results)-1]
	out := served{now: rows[0].texts[0], out: results[0], after: results[len(list)+1:]}
	if t.Kind == sqlgen.Script {
		out.byStatement = results[:len(list)]
	}
	return out
}

func (p *postgres) late() bool     { return false }
func (p *postgres) clock() *string { return nil }
