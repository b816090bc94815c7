package system

import (
	"maps"
	"slices"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// queries ask a server for the names of a kind.
var queries = map[string]string{
	"relation": `SELECT relname::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')`,
	"type": `SELECT typname::text FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype <> 'c'
		AND NOT (typelem <> 0 AND typname LIKE '\_%')`,
	"function": `SELECT proname || '(' || coalesce((SELECT string_agg(t.typname, ',' ORDER BY o)
			FROM unnest(proargtypes) WITH ORDINALITY AS a(oid, o) JOIN pg_type t ON t.oid = a.oid), '') || ')'
		FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
			AND NOT proargtypes::oid[] && ARRAY['internal'::regtype::oid, 'cstring'::regtype::oid]
			AND prorettype NOT IN ('internal'::regtype, 'cstring'::regtype)`,
}

// TestCatalogOnServer compares the names with those of a server of the same version.
func TestCatalogOnServer(t *testing.T) {
	server := pgtest.Open(t)
	conn := server.Conn(t, server.Database(t))
	for kind, query := range queries {
		rows, err := conn.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			there[name] = true
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if len(there) == 0 || !maps.Equal(there, catalog()[kind]) {
			missing := slices.DeleteFunc(slices.Sorted(maps.Keys(there)), func(n string) bool { return catalog()[kind][n] })
			more := slices.DeleteFunc(slices.Sorted(maps.Keys(catalog()[kind])), func(n string) bool { return there[n] })
			t.Errorf("%s: the server has also %q, and lacks %q", kind, missing, more)
		}
	}
}

func TestFunction(t *testing.T) {
	for _, c := range []struct {
		name  string
		types []string
		want  bool
	}{
		{"lower", []string{"text"}, true},
		{"lower", []string{"int4"}, false},
		{"now", nil, true},
		{"transfer", nil, false},
	} {
		if got := Function(c.name, c.types); got != c.want {
			t.Errorf("Function(%s, %q) = %t", c.name, c.types, got)
		}
	}
	if !Relation("pg_class") || Relation("accounts") || !Type("int4") || Type("mood") {
		t.Error("the names of tables or types are wrong")
	}
}
