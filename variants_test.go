package robust_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
)

// TestVariants: who looks for a value that a function maps where it maps another one, and
// inserts its own, does it twice; a unique index on the function prevents that.
func TestVariants(t *testing.T) {
	var replays replaytest.Tally
	for _, tc := range []struct{ typ, key string }{
		{"text", "lower(%s)"}, {"text", "upper(%s)"}, {"text", "initcap(%s)"}, {"text", "trim(%s)"}, {"text", "lower(trim(%s))"}, {"text", "btrim(%s, 'x')"},
		{"text", "left(%s, 2)"}, {"text", "right(%s, 2)"}, {"text", "substr(%s, 1, 2)"}, {"text", "length(%s)"}, {"text", "replace(%s, ' ', '')"},
		{"text", "split_part(%s, '@', 2)"}, {"text", "%s::char(3)"}, {"text", "%s::int"}, {"text", "%s::numeric"}, {"text", "%s::uuid"}, {"text", "%s::inet"},
		{"timestamp", "date_trunc('month', %s)"}, {"timestamp", "%s::date"}, {"timestamp", "%s::timestamp(0)"}, {"timestamp", "extract(year FROM %s)"},
		{"numeric", "round(%s)"}, {"numeric", "round(%s, 1)"}, {"numeric", "floor(%s)"}, {"numeric", "%s::int"}, {"numeric", "%s::numeric(6,1)"},
		{"double precision", "%s::int"}, {"int", "abs(%s)"}, {"int", "%s %% 10"}, {"int[]", "array_length(%s, 1)"},
	} {
		for _, unique := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s unique=%t", tc.key, unique), func(t *testing.T) {
				of := func(x string) string { return fmt.Sprintf(tc.key, x) }
				src := "CREATE TABLE t (id int PRIMARY KEY, c " + tc.typ + " NOT NULL UNIQUE);\n"
				want := robust.NotRobust
				if unique {
					src += "CREATE UNIQUE INDEX ON t ((" + of("c") + "));\n"
					want = robust.Robust
				}
				src += "CREATE FUNCTION register(p_id int, p_c " + tc.typ + ") RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN\n" +
					"  IF EXISTS (SELECT FROM t WHERE " + of("c") + " = " + of("p_c") + ") THEN RETURN false; END IF;\n" +
					"  INSERT INTO t VALUES (p_id, p_c);\n  RETURN true;\nEND $$;\n"
				rep := reportOf(t, src, robust.Options{Budget: robust.Budget{Questions: 200}})
				if rep.Verdict != want {
					t.Errorf("%s, want %s: %+v", rep.Verdict, want, rep.Open)
				}
				replays.Report(t, rep, "")
			})
		}
	}
	t.Logf("replays: %s", &replays)
}
