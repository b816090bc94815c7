package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestFormsOfNumbers: 1.0 and 1.00 are equal, so that a write of one for the other counts for no change. What tells
// them apart is no proof without a word: the report says what is taken for granted, unless the type has one form for
// each number.
func TestFormsOfNumbers(t *testing.T) {
	const digits, rounding, zero = "have equal texts", "have equal quotients", "no float is -0"
	for _, tc := range []struct{ column, shown, granted string }{
		{"numeric", "v::text", digits},
		{"numeric(8,2)", "v::text", ""},
		{"numeric", "v || 'x'", digits},
		{"numeric", "concat(v)", digits},
		{"numeric", "format('%s', v)", digits},
		{"numeric", "quote_literal(v)", digits},
		{"numeric", "ARRAY[v]::text", digits},
		{"numeric(8,2)", "coalesce(v, 0)::text", digits},
		{"numeric", "1 / (v * v + 1)", rounding},
		{"numeric(8,2)", "1 / (v * v + 1)", ""},
		{"numeric", "sqrt(v * v)", rounding},
		{"numeric", "avg(v)", rounding},
		{"numeric(8,2)", "avg(v)", ""},
		{"numeric", "to_char(v, '0.99')", ""},
		{"numeric", "round(v)", ""},
		{"numeric", "v::int", ""},
		{"numeric", "sum(v)", ""},
		{"float8", "v::text", zero},
		{"float8", "v > 0", ""},
	} {
		prog, err := sqlmodel.Parse([]sqlmodel.File{{Name: "a.sql", Text: `
CREATE TABLE x (id int PRIMARY KEY, v ` + tc.column + ` NOT NULL);
CREATE FUNCTION f(k int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN
  SELECT ` + tc.shown + ` AS shown INTO r FROM x WHERE id = k;
  IF r.shown IS NULL THEN RETURN 'none'; END IF;
  RETURN 'some';
END $$;`}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var granted string
		for _, n := range prog.Premises {
			granted += n.Text
		}
		if !strings.Contains(granted, tc.granted) || tc.granted == "" && granted != "" {
			t.Errorf("%s of %s takes for granted: %q, want %q", tc.shown, tc.column, granted, tc.granted)
		}
	}
}

// TestScaleOfNumbers: scale tells numbers apart that are equal, but for those of a type with one scale.
func TestScaleOfNumbers(t *testing.T) {
	for column, want := range map[string]report.Verdict{"numeric": robust.Unknown, "numeric(8,2)": robust.Robust} {
		rep := reportOf(t, `
CREATE TABLE x (id int PRIMARY KEY, v `+column+` NOT NULL);
CREATE TABLE y (id int PRIMARY KEY, s int, done bool NOT NULL);
CREATE PROCEDURE copy() LANGUAGE plpgsql AS $$ BEGIN
  UPDATE y SET s = (SELECT scale(v) FROM x WHERE id = 1), done = true WHERE id = 1;
END $$;
CREATE PROCEDURE respell() LANGUAGE plpgsql AS $$ BEGIN
  IF NOT (SELECT done FROM y WHERE id = 1) THEN UPDATE x SET v = v * 1.00 WHERE id = 1; END IF;
END $$;`, robust.Options{})
		if rep.Verdict != want {
			t.Errorf("%s: the verdict is %s, want %s: %+v", column, rep.Verdict, want, rep.Open)
		}
	}
}

// TestBlanksAtTheEnd: concat and LIKE see the blanks at the end of char(n). IN does not, and the elements of ARRAY[…] are
// texts, which have them, so that the condition never holds.
func TestBlanksAtTheEnd(t *testing.T) {
	for cond, anomaly := range map[string]bool{
		"concat(v, 'x') = 'a  x'": true,
		"v LIKE 'a%'":             true,
		"v = ANY(ARRAY['a '])":    false,
		"v IN ('a ')":             true,
	} {
		t.Run(cond, func(t *testing.T) {
			rep := reportOf(t, `
CREATE TABLE x (id int PRIMARY KEY, v char(3) NOT NULL CHECK (v IN ('a', 'b')));
CREATE TABLE y (id int PRIMARY KEY, v char(3) NOT NULL CHECK (v IN ('a', 'b')));
CREATE PROCEDURE one() LANGUAGE plpgsql AS $$ BEGIN IF (SELECT `+cond+` FROM x WHERE id = 1) THEN UPDATE y SET v = 'b' WHERE id = 1; END IF; END $$;
CREATE PROCEDURE other() LANGUAGE plpgsql AS $$ BEGIN IF (SELECT `+cond+` FROM y WHERE id = 1) THEN UPDATE x SET v = 'b' WHERE id = 1; END IF; END $$;`,
				robust.Options{})
			if found := rep.Verdict == robust.NotRobust; found != anomaly {
				t.Errorf("the verdict is %s", rep.Verdict)
			}
		})
	}
}
