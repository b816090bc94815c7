package robust_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestPartial: a strict function may give NULL for other values than NULL, so that what
// asks for that is reached; the twins are functions that do not.
func TestPartial(t *testing.T) {
	const frame = `CREATE TABLE t (id int PRIMARY KEY, on_ boolean NOT NULL);
CREATE FUNCTION off(p_id int, p %s) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF p IS NULL OR %s IS NOT NULL THEN RETURN false; END IF;
  IF (SELECT count(*) FROM t WHERE on_) < 2 THEN RETURN false; END IF;
  UPDATE t SET on_ = false WHERE id = p_id;
  RETURN true;
END $$;`
	for _, tc := range []struct {
		param, value string
		never        bool // NULL for NULLs only
	}{
		{"jsonb", "p->>'a'", false},
		{"jsonb", "p #> '{a,b}'", false},
		{"json", "p->0", false},
		{"jsonb", "jsonb_typeof(p)", true},
		{"jsonb", "p || '{}'", false}, // nothing is known of such operators
		{"text", "substring(p from 'a(b)')", false},
		{"text", "regexp_match(p, 'a')", false},
		{"text", "to_regclass(p)", false},
		{"text", "substr(p, 2, 1)", true},
		{"text", "upper(p)", true},
		{"text", "p || 'a'", true},
		{"int[]", "array_ndims(p)", false},
		{"int[]", "p[1]", false},
		{"int4range", "lower(p)", false},
		{"int4range", "p && '[1,2)'::int4range", true},
		{"timestamp", "date_trunc('day', p)", true},
		{"numeric", "p::int", true},
		{"float8", "p * 2", true},
	} {
		t.Run(tc.param+" "+tc.value, func(t *testing.T) {
			if never := provedOf(t, fmt.Sprintf(frame, tc.param, tc.value), 20); never != tc.never {
				t.Errorf("proved: %t", never)
			}
		})
	}
}

// TestGivenBack: ROLLBACK TO gives back the lock of a table, RELEASE does not.
func TestGivenBack(t *testing.T) {
	for end, want := range map[string]report.Verdict{"ROLLBACK TO a": robust.NotRobust, "RELEASE a": robust.Robust} {
		rep := reportOf(t, `CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
-- name: take
BEGIN;
SAVEPOINT a;
LOCK TABLE t;
`+end+`;
SELECT sum(n) AS s FROM t \gset
UPDATE t SET n = n - :s WHERE id = :id;
COMMIT;`, robust.Options{})
		if rep.Verdict != want {
			t.Errorf("%s: %s, want %s", end, rep.Verdict, want)
		}
	}
}
