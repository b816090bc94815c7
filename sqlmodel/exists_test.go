package sqlmodel

import (
	"strings"
	"testing"
)

// TestExistsLocksFirst: of a query that locks rows, EXISTS locks the first one of ORDER BY.
func TestExistsLocksFirst(t *testing.T) {
	p, err := Parse([]File{{Name: "f.sql", Text: `CREATE TABLE a (k int PRIMARY KEY, x int NOT NULL);
CREATE FUNCTION f() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT k FROM a ORDER BY x DESC FOR UPDATE) THEN RETURN true; END IF;
  RETURN false; END $$;`}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.String(); !strings.Contains(text, "order by a.x desc limit 1 for update") {
		t.Errorf("it is not the first row that is locked:\n%s", text)
	}
}
