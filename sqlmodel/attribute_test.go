package sqlmodel

import (
	"strings"
	"testing"
)

// TestAttributes: r.f is f(r) where the row r has no column f, and the same in all places.
func TestAttributes(t *testing.T) {
	const schemaName = `CREATE TABLE s (k int PRIMARY KEY, v int NOT NULL, high boolean);
CREATE TABLE other (n int);
CREATE FUNCTION safe(r s) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM other) > 1; END $$;
CREATE FUNCTION half(r s) RETURNS int LANGUAGE sql AS $$ SELECT r.v / 2 $$;
CREATE FUNCTION high(r s) RETURNS boolean LANGUAGE sql AS $$ SELECT EXISTS (SELECT 1 FROM other) $$;
CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r record; q s; b text; BEGIN
  `
	translated := func(body string) string {
		p, err := Parse([]File{{Name: "t.sql", Text: schemaName + body + "\nEND $$;"}}, Options{Txns: []string{"f"}})
		if err != nil {
			return err.Error()
		}
		return p.Txn("f").String()
	}
	for _, tc := range [][2]string{
		{"PERFORM x.safe FROM s x;", "PERFORM safe(x) FROM s x;"},
		{"PERFORM x.half FROM s x;", "PERFORM half(x) FROM s x;"},
		{"PERFORM (x).half FROM s x;", "PERFORM half(x.*) FROM s x;"},
		{"PERFORM s.half FROM s WHERE s.safe;", "PERFORM half(s) FROM s WHERE safe(s);"},
		{"PERFORM k FROM s ORDER BY s.half;", "PERFORM k FROM s ORDER BY half(s);"},
		{"UPDATE s SET v = s.half WHERE k = p RETURNING s.half INTO b;", "UPDATE s SET v = half(s) WHERE k = p RETURNING half(s) INTO b;"},
		{"SELECT * INTO q FROM s WHERE k = p; b := (q).safe;", "SELECT * INTO q FROM s WHERE k = p; b := safe(q);"},
		{"SELECT * INTO r FROM s WHERE k = p; b := (r).half;", "SELECT * INTO r FROM s WHERE k = p; b := half(r.*);"},
		{"FOR r IN SELECT x.half AS h FROM s x LOOP b := r.h; END LOOP;", "FOR r IN SELECT half(x) AS h FROM s x LOOP b := r.h; END LOOP;"},
		{"PERFORM 1 FROM s WHERE s.high;", "PERFORM 1 FROM s WHERE high;"},
	} {
		got, want := translated(tc[0]), translated(tc[1])
		if got != want || !strings.HasPrefix(got, "txn f") {
			t.Errorf("%s is\n%s\nnot\n%s", tc[0], got, want)
		}
	}
	if got := translated("PERFORM x.nothing FROM s x;"); !strings.Contains(got, "x has no column nothing") {
		t.Errorf("a column that is not there is %s", got)
	}
	if got := translated("SELECT * INTO q FROM s WHERE k = p; b := q.safe;"); !strings.Contains(got, "record q has no field safe") {
		t.Errorf("a field that is not there is %s", got)
	}
	// A statement that is not modelled reads what the function reads.
	if got := translated("PERFORM ((SELECT x FROM s x WHERE k = p)).safe;"); !strings.Contains(got, "other") {
		t.Errorf("a function of a value is\n%s", got)
	}
}
