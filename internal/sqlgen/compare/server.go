package compare

import (
	"context"
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sqlgen"
)

// Server is a database of its own that runs applications, one after the other.
type Server struct {
	Link
	ctx context.Context
	// canonical has what the server makes of the contents of a literal.
	canonical map[string]string
}

// NewServer takes a database, whose tables it replaces again and again.
func NewServer(ctx context.Context, link Link) (*Server, error) {
	s := &Server{Link: link, ctx: ctx, canonical: map[string]string{}}
	if err := link.prepare(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// run executes SQL text of any number of statements and gives the rows of each.
func (s *Server) run(sql string) ([][]record, error) { return s.Link.run(s.ctx, sql) }

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

func (s *Server) exec(sql string) error {
	_, err := s.run(sql)
	return err
}

// reset makes the database empty.
func (s *Server) reset() error {
	for _, sql := range s.Link.reset() {
		if err := s.exec(sql); err != nil {
			return err
		}
	}
	return nil
}

// sequences makes all sequences begin where their values are told from others.
func (s *Server) sequences() error { return s.exec(s.Link.sequences()) }

// canon gives what the server prints for a literal of a type.
func (s *Server) canon(t *sqlgen.Type, v string) (string, error) {
	key := t.Name + "\x00" + v
	if c, ok := s.canonical[key]; ok && t.Group != sqlgen.Declared {
		return c, nil
	}
	query := s.Link.canon(t, v)
	if query == "" {
		return v, nil
	}
	rows, err := s.run(query)
	if err != nil {
		return "", fmt.Errorf("%s: %w", t.Literal(v), err)
	}
	s.canonical[key] = *rows[0][0].texts[0]
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
