package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestDocuments: at READ COMMITTED a function that reads twice shows a document of rows that were never there
// together. One statement shows what there is at one moment.
func TestDocuments(t *testing.T) {
	const add = `CREATE TABLE account (id int PRIMARY KEY, total int NOT NULL);
CREATE TABLE entry (id serial PRIMARY KEY, account int NOT NULL, v int NOT NULL);
CREATE FUNCTION add(a int, n int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO entry (account, v) VALUES (a, n);
  UPDATE account SET total = total + n WHERE id = a;
END $$;
CREATE FUNCTION look(a int) RETURNS jsonb LANGUAGE plpgsql AS $$ DECLARE n int; list jsonb; BEGIN `
	for _, tc := range []struct {
		name, body string
		want       report.Verdict
	}{
		{"two queries", "SELECT total INTO n FROM account WHERE id = a; list := (SELECT json_agg(v) FROM entry WHERE account = a); RETURN jsonb_build_object('total', n, 'list', list);", robust.NotRobust},
		{"two queries, jsonb", "SELECT total INTO n FROM account WHERE id = a; list := (SELECT jsonb_agg(v) FROM entry WHERE account = a); RETURN jsonb_build_object('total', n, 'list', list);", robust.NotRobust},
		{"one query", "SELECT jsonb_build_object('total', total, 'list', (SELECT json_agg(v) FROM entry WHERE account = a)::jsonb) INTO list FROM account WHERE id = a; RETURN list;", robust.Robust},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, add+tc.body+" END $$;", robust.Options{Question: robust.Question{Isolation: "rc"}, Budget: robust.Budget{Questions: 20}})
			if rep.Verdict != tc.want {
				t.Errorf("%s, want %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
		})
	}
}
