package catalog

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/txrobust/robust/internal/pgtest"
)

var update = flag.Bool("update", false, "write builtin_data.go anew from the server")

// dumpTypes, dumpFunctions, dumpOperators and dumpCasts give lines of
// builtin_data.go for what the server has: of its own if $1 is empty, else of
// the extension $1. Functions that only C code can call are left out.
const (
	member = ` AND (CASE WHEN $1 = '' THEN NOT EXISTS (SELECT FROM pg_depend d WHERE d.deptype = 'e' AND d.objid = %s.oid AND d.classid = '%s'::regclass)
		AND %s.oid < 16384
		ELSE EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
			WHERE d.deptype = 'e' AND d.objid = %s.oid AND d.classid = '%s'::regclass AND e.extname = $1) END)`

	dumpTypes = `SELECT concat_ws(E'\t', t.typname, t.typtype, t.typcategory, CASE WHEN t.typispreferred THEN 'p' ELSE '' END,
			coalesce(coalesce(e.typname, s.typname, b.typname)::text, ''))
		FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
			LEFT JOIN pg_range r ON r.rngtypid = t.oid OR r.rngmultitypid = t.oid LEFT JOIN pg_type s ON s.oid = r.rngsubtype
			LEFT JOIN pg_type b ON b.oid = t.typbasetype
		WHERE t.typtype <> 'c' AND e.typtype IS DISTINCT FROM 'c'
			AND t.typnamespace <> 'information_schema'::regnamespace AND t.typname NOT LIKE 'pg\_%' AND t.typname NOT LIKE '\_pg\_%'`

	callable = ` NOT EXISTS (SELECT FROM pg_type a WHERE a.oid = ANY (p.proargtypes::oid[] || p.prorettype)
			AND (a.typtype = 'p' AND a.typname NOT LIKE 'any%' AND a.typname NOT IN ('record', '_record', 'void') OR a.typtype = 'c'
				OR a.typnamespace = 'information_schema'::regnamespace))`

	dumpFunctions = `SELECT concat_ws(E'\t', p.proname,
			(SELECT coalesce(string_agg(a.typname, ',' ORDER BY k), '') FROM unnest(p.proargtypes) WITH ORDINALITY x(o, k) JOIN pg_type a ON a.oid = x.o),
			r.typname,
			concat(p.prokind, p.provolatile, CASE WHEN p.proisstrict THEN 'S' END, CASE WHEN p.proretset THEN 'R' END,
				CASE WHEN p.provariadic <> 0 THEN 'V' END, CASE WHEN p.pronargdefaults > 0 THEN p.pronargdefaults END,
				(SELECT CASE WHEN g.aggkind <> 'n' THEN 'O' END FROM pg_aggregate g WHERE g.aggfnoid = p.oid)),
			(SELECT string_agg(coalesce(p.proargnames[k], '') || ':' || a.typname, ',' ORDER BY k)
				FROM unnest(p.proallargtypes, p.proargmodes) WITH ORDINALITY x(o, m, k) JOIN pg_type a ON a.oid = x.o WHERE x.m IN ('o', 'b', 't')))
		FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
		WHERE p.pronamespace <> 'information_schema'::regnamespace AND ` + callable

	dumpOperators = `SELECT concat_ws(E'\t', o.oprname, coalesce(l.typname::text, ''), r.typname, t.typname, p.proname, CASE WHEN o.oprcom = o.oid THEN 's' END)
		FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft JOIN pg_type r ON r.oid = o.oprright
			JOIN pg_type t ON t.oid = o.oprresult JOIN pg_proc p ON p.oid = o.oprcode
		WHERE r.typname NOT LIKE 'pg\_%'`

	dumpCasts = `SELECT concat_ws(E'\t', s.typname, t.typname, concat(c.castcontext, c.castmethod), coalesce(p.proname::text, ''), coalesce(p.pronargs, 0))
		FROM pg_cast c JOIN pg_type s ON s.oid = c.castsource JOIN pg_type t ON t.oid = c.casttarget LEFT JOIN pg_proc p ON p.oid = c.castfunc
		WHERE s.typname NOT LIKE 'pg\_%' AND t.typname NOT LIKE 'pg\_%'`
)

// extensions are those whose functions applications call, with what they need.
var extensions = []string{"pgcrypto", "uuid-ossp", "citext", "hstore", "pg_trgm", "ltree", "intarray", "btree_gist", "fuzzystrmatch",
	"unaccent", "cube", "earthdistance", "tablefunc", "isn", "seg", "lo", "xml2", "dblink", "postgis"}

// dump gives the data of builtin_data.go by extension; absent are those which
// the server does not have.
func dump(t *testing.T) (data map[string]map[string][]string, absent []string) {
	server := pgtest.Open(t)
	ctx := context.Background()
	data = map[string]map[string][]string{}
	lines := func(conn *pgx.Conn, extension string) map[string][]string {
		out := map[string][]string{}
		for kind, q := range map[string]struct{ sql, alias, class string }{
			"types": {dumpTypes, "t", "pg_type"}, "functions": {dumpFunctions, "p", "pg_proc"},
			"operators": {dumpOperators, "o", "pg_operator"}, "casts": {dumpCasts, "c", "pg_cast"},
		} {
			sql := q.sql + fmt.Sprintf(member, q.alias, q.class, q.alias, q.alias, q.class)
			rows, err := conn.Query(ctx, sql, extension)
			if err != nil {
				t.Fatalf("%v\nin: %s", err, sql)
			}
			list, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatalf("%v\nin: %s", err, sql)
			}
			slices.Sort(list)
			out[kind] = slices.Compact(list)
		}
		return out
	}
	data[""] = lines(server.Conn(t, server.Database(t)), "")
	for _, ext := range extensions {
		conn := server.Conn(t, server.Database(t))
		if _, err := conn.Exec(ctx, `CREATE EXTENSION "`+ext+`" CASCADE`); err != nil {
			absent = append(absent, ext)
			continue
		}
		data[ext] = lines(conn, ext)
	}
	return data, absent
}

// TestBuiltinsAgainstServer compares the generated data with a server. With
// -update it writes the data.
func TestBuiltinsAgainstServer(t *testing.T) {
	data, absent := dump(t)
	if *update {
		if len(absent) > 0 {
			t.Fatalf("install the extensions %s to write the data", strings.Join(absent, ", "))
		}
		if err := os.WriteFile("builtin_data.go", []byte(source(data)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(absent) > 3 {
		t.Errorf("the server has no extensions %s", strings.Join(absent, ", "))
	}
	for ext, kinds := range data {
		for kind, want := range kinds {
			got := strings.Split(strings.Trim(builtinData[ext][kind], "\n"), "\n")
			if len(want) == 0 {
				got = nil
			}
			for _, l := range want {
				if !slices.Contains(got, l) {
					t.Errorf("extension %q: %s lack %s", ext, kind, l)
				}
			}
			if len(got) > len(want) && len(want) > 0 {
				t.Errorf("extension %q: there are %d %s, but the server has %d", ext, len(got), kind, len(want))
			}
		}
	}
}

// source is the text of builtin_data.go.
func source(data map[string]map[string][]string) string {
	var b strings.Builder
	b.WriteString("// Code generated from a PostgreSQL server by: go test ./internal/sql/catalog -run TestBuiltinsAgainstServer -update. DO NOT EDIT.\n\npackage catalog\n\n")
	b.WriteString("// builtinData holds, by extension (\"\" is the server itself) and kind, a line for each\n// type, function, operator and cast. See the queries in dump_test.go for the fields.\n")
	b.WriteString("var builtinData = map[string]map[string]string{\n")
	for _, ext := range append([]string{""}, extensions...) {
		fmt.Fprintf(&b, "\t%q: {\n", ext)
		for _, kind := range []string{"types", "functions", "operators", "casts"} {
			if lines := data[ext][kind]; len(lines) > 0 {
				fmt.Fprintf(&b, "\t\t%q: `\n%s\n`,\n", kind, strings.ReplaceAll(strings.Join(lines, "\n"), "`", "` + \"`\" + `"))
			}
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
	return b.String()
}
