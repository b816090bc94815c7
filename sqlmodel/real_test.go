package sqlmodel

import (
	"strings"
	"testing"
)

// TestRealInput: forms that schemas and functions of real projects have, and
// that were once refused.
func TestRealInput(t *testing.T) {
	const head = "CREATE TABLE t (k int PRIMARY KEY, a int, b text, c text[]);\n"
	for _, tc := range []struct{ name, src, want string }{
		{"a default sees the variables before it", `
			CREATE FUNCTION f() RETURNS void AS $$
			DECLARE one int := 1; two int := one + 1;
			BEGIN UPDATE t SET a = two WHERE k = one; END $$ LANGUAGE plpgsql;`,
			"two := one + 1"},
		{"a default sees an outer variable of its own name", `
			CREATE FUNCTION f(n int) RETURNS void AS $$
			BEGIN
				DECLARE m int := n; n int := n + 1;
				BEGIN UPDATE t SET a = n WHERE k = m; END;
			END $$ LANGUAGE plpgsql;`,
			"n_1 := n + 1"},
		{"a function overloads one of the system", `
			CREATE FUNCTION lower(text[]) RETURNS text[] AS $$ SELECT $1 $$ LANGUAGE sql IMMUTABLE;
			CREATE FUNCTION f(p text) RETURNS void AS $$ UPDATE t SET b = lower(p) WHERE k = 1 $$ LANGUAGE sql;`,
			"set b = lower(p)"},
		{"a pattern without case is a condition", `
			CREATE FUNCTION yes(boolean) RETURNS int AS $$ SELECT CASE WHEN $1 THEN 1 ELSE 2 END $$ LANGUAGE sql;
			CREATE FUNCTION f(p text) RETURNS void AS $$ UPDATE t SET a = yes(p ~~* 'x%') WHERE k = 1 $$ LANGUAGE sql;`,
			"update t"},
		{"WITH around a select that has no FROM", `
			CREATE FUNCTION above(int) RETURNS boolean AS $$
				WITH RECURSIVE up AS (SELECT k FROM t WHERE k = $1 UNION SELECT t.a FROM t JOIN up ON t.k = up.k)
				SELECT EXISTS (SELECT 1 FROM up WHERE k = 7)
			$$ LANGUAGE sql;
			CREATE FUNCTION f(p int) RETURNS boolean AS $$ SELECT above(p) $$ LANGUAGE sql;`,
			`again "rows of up"`},
		{"records that an unknown cursor fills are compared", `
			CREATE FUNCTION f(have refcursor, want refcursor) RETURNS boolean AS $$
			DECLARE h record; w record;
			BEGIN
				FETCH have INTO h; FETCH want INTO w;
				RETURN h IS DISTINCT FROM w;
			END $$ LANGUAGE plpgsql;`,
			"whose fields are not known"},
	} {
		p, err := Parse([]File{{Name: "in.sql", Text: head + tc.src}}, Options{})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if text := p.String(); !strings.Contains(text, tc.want) {
			t.Errorf("%s: there is no %q in\n%s", tc.name, tc.want, text)
		}
	}
}
