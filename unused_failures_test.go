package robust_test

import (
	"testing"
)

// TestUnusedFailures: an expression that may fail decides whether the transaction commits,
// also where nobody looks at its value.
func TestUnusedFailures(t *testing.T) {
	for _, tc := range []struct {
		name, typ, use string
		robust         bool
	}{
		{"a cast in a query", "double precision", "PERFORM v::int FROM s WHERE k = a;", false},
		{"a root in a query", "double precision", "PERFORM sqrt(length(v) - 1) FROM s WHERE k = a;", false},
		{"a variable", "double precision", "x := sqrt(10 - (SELECT count(*) FROM s WHERE v <> 'x'));", false},
		{"a condition", "double precision", "IF sqrt(10 - (SELECT count(*) FROM s WHERE v <> 'x')) >= 0 THEN NULL; END IF;", false},
		{"a condition without tables", "int", "PERFORM 1 WHERE EXISTS (SELECT 1 FROM s WHERE k = a AND 10 / length(v) > 0);", false},
		{"a function of an aggregate", "int", "PERFORM at_least_two(count(*)) FROM s WHERE v <> 'x';", false},
		{"a column of EXISTS that is locked", "int", "IF EXISTS (SELECT 10 / length(v) FROM s WHERE k = a FOR SHARE) THEN NULL; END IF;", false},
		{"an aggregate in EXISTS", "int", "IF EXISTS (SELECT 10 / count(*) FROM s WHERE v <> 'x') THEN NULL; END IF;", false},
		{"a column of EXISTS", "int", "IF EXISTS (SELECT 10 / length(v) FROM s) THEN NULL; END IF;", true},
		{"a negative LIMIT", "int", "PERFORM 1 LIMIT (SELECT count(*) - 2 FROM s WHERE v <> 'x');", false},
		{"a LIMIT that is given", "int", "PERFORM 1 LIMIT a;", true},
		{"a variable that is not null", "int NOT NULL := 0", "x := nullif((SELECT count(*) FROM s WHERE v <> 'x'), 1);", false},
		{"a variable that is not null, of a constant", "int NOT NULL := 0", "x := 1;", true},
		{"a division by an aggregate", "int", "PERFORM 1 / (count(*) - 1) FROM s WHERE v <> 'x';", false},
		{"an order that may fail", "int", "PERFORM count(*) FROM s WHERE v <> 'x' ORDER BY 1 / (count(*) - 1);", false},
		{"a message", "int", "RAISE NOTICE '%', 1 / ((SELECT count(*) FROM s WHERE v <> 'x') - 1);", false},
		{"an option of a message", "int", "RAISE NOTICE 'x' USING HINT = (SELECT CASE WHEN count(*) > 1 THEN 'h' END FROM s WHERE v <> 'x');", false},
		{"a message that cannot fail", "int", "RAISE NOTICE '%', (SELECT count(*) FROM s WHERE v <> 'x');", true},
		{"a subscript", "int[]", "x[(SELECT CASE WHEN count(*) > 1 THEN 1 END FROM s WHERE v <> 'x')] := 1;", false},
		{"an element of a domain", "rest[]", "x[1] := (SELECT count(*) FROM s WHERE v <> 'x') - 2;", false},
		{"a field of a domain", "pair", "SELECT count(*) - 2, 1 INTO x FROM s WHERE v <> 'x';", false},
		{"a notification", "int", "PERFORM pg_notify((SELECT CASE WHEN count(*) > 1 THEN 'c' ELSE '' END FROM s WHERE v <> 'x'), 'x');", false},
		{"a key of an object", "int", "PERFORM jsonb_object_agg((SELECT CASE WHEN count(*) > 1 THEN 'c' END FROM s WHERE v <> 'x'), 1);", false},
		{"an index", "int", "INSERT INTO noted VALUES ('n');", false},
		{"a sequence", "bigint", "SELECT last_value INTO x FROM q; PERFORM 1 FROM s WHERE k = x; IF FOUND THEN RETURN; END IF;", false},
		{"a variable of a domain", "rest := 0", "x := 10 - (SELECT count(*) FROM s WHERE v <> 'x');", false},
		{"a cast to a domain", "double precision", "PERFORM length(v)::rest FROM s WHERE k = a;", false},
		{"a cast to a small number", "int", "PERFORM (32769 - (SELECT count(*) FROM s WHERE v <> 'x'))::smallint;", false},
		{"a cast to a large number", "int", "PERFORM (32769 - (SELECT count(*) FROM s WHERE v <> 'x'))::int;", true},
		{"a cast of few digits", "int", "PERFORM (11 - (SELECT count(*) FROM s WHERE v <> 'x'))::numeric(1, 0);", false},
		{"a cast of digits after the point", "int", "PERFORM (11.5 - (SELECT count(*) FROM s WHERE v <> 'x'))::numeric(20, 0);", true},
		{"a variable of few digits", "numeric(3, 2)", "x := 10 - (SELECT count(*) FROM s WHERE v <> 'x');", false},
		{"a small variable", "smallint", "SELECT 32769 - count(*) INTO x FROM s WHERE v <> 'x';", false},
		{"a short variable", "varchar(3)", "x := repeat('x', 5 - (SELECT count(*)::int FROM s WHERE v <> 'x'));", false},
		{"a short variable of a cut text", "varchar(3)", "x := (repeat('x', 5 - (SELECT count(*)::int FROM s WHERE v <> 'x')))::varchar(3);", true},
		{"a short variable of a short column", "varchar(3)", "SELECT w INTO x FROM s WHERE k = a;", true},
		{"a short variable of a long column", "varchar(2)", "SELECT v INTO x FROM s WHERE k = a;", false},
		{"a small result", "int", "PERFORM few(a);", false},
		{"small elements", "smallint[]", "x := ARRAY(SELECT 30000 + length(v) FROM s)::smallint[];", false},
		{"a pattern", "text", "SELECT CASE WHEN count(*) > 1 THEN 'a' ELSE '\\' END INTO x FROM s WHERE v <> 'x'; PERFORM 'a' LIKE x;", false},
		{"a pattern that ignores the case", "text", "SELECT CASE WHEN count(*) > 1 THEN 'a' ELSE '\\' END INTO x FROM s WHERE v <> 'x'; PERFORM 'a' NOT ILIKE x;", false},
		{"a pattern of SIMILAR", "text", "SELECT CASE WHEN count(*) > 1 THEN 'a' ELSE '(' END INTO x FROM s WHERE v <> 'x'; PERFORM 'a' SIMILAR TO x;", false},
		{"a pattern that is given", "text", "PERFORM k FROM s WHERE k = a AND w LIKE a::text || '%';", true},
		{"a range", "int", "PERFORM int4range(1, (SELECT count(*)::int FROM s WHERE v <> 'x'));", false},
		{"ranges that overlap", "boolean", "x := int4range(2, (SELECT count(*)::int FROM s WHERE v <> 'x')) && int4range(3, 7);", false},
		{"a range that is given", "boolean", "x := int4range(a, b) && int4range(3, 7);", true},
		{"a setting", "double precision", "PERFORM set_config('a.n', (SELECT count(*)::text FROM s WHERE v <> 'x'), true); IF current_setting('a.n') = '1' THEN RETURN; END IF;", false},
		{"a constant setting", "double precision", "PERFORM set_config('a.n', '1', true); IF current_setting('a.n') = '2' THEN RETURN; END IF;", true},
		{"what never fails", "double precision", "PERFORM upper(v) FROM s WHERE k = a;", true},
		{"a variable of what never fails", "double precision", "x := abs(10 - (SELECT count(*) FROM s WHERE v <> 'x'));", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proved := provedOf(t, `
CREATE TABLE s (k int PRIMARY KEY, v text NOT NULL, w varchar(3));
CREATE DOMAIN rest AS int CHECK (VALUE >= 0);
CREATE SEQUENCE q;
CREATE TYPE pair AS (a rest, b int);
CREATE TABLE noted (t text);
CREATE FUNCTION several(t text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM s WHERE v <> 'x') < 2 THEN RAISE EXCEPTION 'too few'; END IF;
  RETURN true;
END $$;
CREATE INDEX ON noted (several(t));
CREATE FUNCTION few(a int) RETURNS smallint LANGUAGE sql AS $$ SELECT 32769 - count(*) FROM s WHERE v <> 'x' $$;
CREATE FUNCTION at_least_two(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  IF n < 2 THEN RAISE EXCEPTION 'too few'; END IF;
  RETURN n;
END $$;
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE x `+tc.typ+`; BEGIN
  `+tc.use+`
  UPDATE s SET v = 'x' WHERE k = b;
END $$;`, 200, "f")
			if proved != tc.robust {
				t.Errorf("proved: %t", proved)
			}
		})
	}
}
