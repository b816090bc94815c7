package schedules

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// TestDocuments: documents with the keys that a program asks for are tried also where it has documents of
// its own, and are not needed where the rows that are read are locked.
func TestDocuments(t *testing.T) {
	const text = `CREATE TABLE doc (id int PRIMARY KEY, body jsonb NOT NULL);
CREATE FUNCTION publish(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE s text; BEGIN
  SELECT body ->> 'state' INTO s FROM doc WHERE id = q LOCK;
  IF s = 'draft' THEN UPDATE doc SET body = jsonb_set(body, '{state}', '"final"') WHERE id = p; END IF;
END $$;
CREATE FUNCTION award(p int, q int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN
  SELECT (body ->> 'points')::int INTO n FROM doc WHERE id = q LOCK;
  IF n > 40 THEN UPDATE doc SET body = jsonb_set(body, '{points}', '0') WHERE id = p; END IF;
END $$;`
	for _, lock := range []string{"", "FOR UPDATE"} {
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "t.sql", Text: strings.ReplaceAll(text, "LOCK", lock)}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"publish", "award"} {
			a, stats := mustFind(t, Query{Program: p, Engine: engine.Postgres(), Sessions: [][]*ir.Txn{{p.Txn(name)}, {p.Txn(name)}},
				Options: Options{Init: AnyRows, Orders: -1}})
			if lock == "" && (a == nil || stats.Found != "random") {
				t.Errorf("%s twice: no anomaly in %d tries", name, stats.Tries)
			}
			if lock != "" && a != nil {
				t.Errorf("%s twice, with locks: an anomaly on %v", name, a.Rows)
			}
		}
	}
}
