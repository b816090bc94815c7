package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/txrobust/robust/internal/sqlgen"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/value"
)

// Server is a database of its own that runs applications, one after the other.
type Server struct {
	ctx  context.Context
	conn *pgx.Conn
	// canonical has what the server makes of the contents of a literal.
	canonical map[string]string
	apps      int
}

// NewServer takes a database, whose schema public it replaces again and again.
func NewServer(ctx context.Context, conn *pgx.Conn) (*Server, error) {
	s := &Server{ctx: ctx, conn: conn, canonical: map[string]string{}}
	return s, s.exec("SET statement_timeout = '5s'; SET lock_timeout = '3s'; SET client_min_messages = error; SET timezone = 'UTC'; SET deadlock_timeout = '20ms'")
}

// run executes SQL text of any number of statements and gives the rows of each.
func (s *Server) run(sql string) ([][]record, error) {
	results, err := s.conn.PgConn().Exec(s.ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	out := make([][]record, len(results))
	for i, r := range results {
		out[i] = records(r)
	}
	return out, nil
}

// record is a row of the server: what it prints, and the types.
type record struct {
	texts []*string
	// types has nil for a type that is declared or not known.
	types []ir.Domain
}

// behind puts a text before the row.
func (r record) behind(text string) record {
	return record{append([]*string{&text}, r.texts...), append([]ir.Domain{nil}, r.types...)}
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

func (s *Server) exec(sql string) error {
	_, err := s.run(sql)
	return err
}

// code is the SQLSTATE of an error of the server, "" for none.
func code(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}

// vacuumEvery is how many applications come between two cleanings of the
// system's tables, which the many declarations fill.
const vacuumEvery = 200

// reset makes the database empty.
func (s *Server) reset() error {
	if s.apps++; s.apps%vacuumEvery == 0 {
		if err := s.exec("VACUUM"); err != nil {
			return err
		}
	}
	return s.exec("ROLLBACK; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public")
}

// sequences makes all sequences begin where their values are told from others, and
// from those of other sequences.
func (s *Server) sequences() error {
	return s.exec(`SELECT setval(quote_ident(schemaname) || '.' || quote_ident(sequencename),
		row_number() OVER (ORDER BY schemaname, sequencename) * CASE WHEN data_type = 'smallint'::regtype THEN 2000 ELSE 1000000 END) FROM pg_sequences`)
}

// canon gives what the server prints for a literal of a type.
func (s *Server) canon(t *sqlgen.Type, v string) (string, error) {
	key := t.Name + "\x00" + v
	if c, ok := s.canonical[key]; ok && t.Group != sqlgen.Declared {
		return c, nil
	}
	rows, err := s.run("SELECT (" + t.Literal(v) + ")::text")
	if err != nil {
		return "", fmt.Errorf("%s: %w", t.Literal(v), err)
	}
	s.canonical[key] = *rows[0][0].texts[0]
	if t.Base == "bool" { // the text of a boolean is a word, what is printed is a letter
		s.canonical[key] = s.canonical[key][:1]
	}
	return s.canonical[key], nil
}

// Catalog reads the functions and operators that depend on their arguments only.
func (s *Server) Catalog() (*sqlgen.Catalog, error) {
	rows, err := s.run(`
		SELECT 'f', p.proname, array_to_string(ARRAY(SELECT t.typname FROM unnest(p.proargtypes) WITH ORDINALITY a(oid, n) JOIN pg_type t ON t.oid = a.oid ORDER BY a.n), ' '), r.typname
		FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = 'pg_catalog' AND p.prokind = 'f' AND NOT p.proretset AND p.provolatile = 'i' AND p.provariadic = 0
			AND p.pronargs BETWEEN 1 AND 4 AND p.proname !~ '^(pg_|_|RI_|hash|bt|gin|gist|brin|spg|ts|like_sup)' AND p.proname !~ '(in|out|recv|send|sel|support|transfn|typmod.*|_accum.*|combine|_inv)$'
		UNION ALL
		SELECT 'o', o.oprname, concat_ws(' ', l.typname, a.typname), r.typname
		FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft JOIN pg_type a ON a.oid = o.oprright JOIN pg_type r ON r.oid = o.oprresult
			JOIN pg_proc p ON p.oid = o.oprcode
		WHERE p.provolatile = 'i'
		ORDER BY 1, 2, 3, 4`)
	if err != nil {
		return nil, err
	}
	var list []sqlgen.Routine
	for _, r := range rows[0] {
		list = append(list, sqlgen.Routine{Operator: *r.texts[0] == "o", Name: *r.texts[1], Args: strings.Fields(*r.texts[2]), Result: *r.texts[3]})
	}
	return sqlgen.NewCatalog(list), nil
}
