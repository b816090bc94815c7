package robust_test

import (
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
)

// TestDocumented: what is proved and what is suspected of databases that are known by their
// documentation alone. Nothing that is found on them is confirmed.
func TestDocumented(t *testing.T) {
	const (
		table = "CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);\n"
		named = "CREATE TABLE doctor (id text PRIMARY KEY, on_call boolean NOT NULL);\n"
		leave = "CREATE FUNCTION leave(p TYPE) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n" +
			"  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p; END IF; END $$;"
		locked = "CREATE FUNCTION swap(p TYPE, q TYPE) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n" +
			"  PERFORM 1 FROM doctor WHERE id = q AND on_call FOR UPDATE;\n" +
			"  IF FOUND THEN UPDATE doctor SET on_call = false WHERE id = p; END IF; END $$;"
		added = "CREATE FUNCTION toggle(p TYPE) RETURNS void LANGUAGE sql AS $$ UPDATE doctor SET on_call = NOT on_call WHERE id = p $$;"
	)
	integer := func(s string) string { return table + strings.ReplaceAll(s, "TYPE", "int") }
	text := func(s string) string { return named + strings.ReplaceAll(s, "TYPE", "text") }
	for _, tc := range []struct {
		name, sql string
		want      map[string]string // by engine: a verdict, or a part of the reason of an unknown
	}{
		{"write skew", integer(leave), map[string]string{"cockroach": "no proof excludes", "oracle": "no proof excludes", "sqlserver": "no proof excludes", "yugabyte": "columns of a row"}},
		{"write skew under locks", integer(locked), map[string]string{"cockroach": "robust", "oracle": "robust", "sqlserver": "no proof excludes", "yugabyte": "columns of a row"}},
		{"lost update", integer(added), map[string]string{"cockroach": "robust", "oracle": "robust", "sqlserver": "robust", "yugabyte": "columns of a row"}},
		{"keys that are texts", text(added), map[string]string{"cockroach": "robust", "oracle": "id of doctor is a text", "sqlserver": "id of doctor is a text", "yugabyte": "columns of a row"}},
	} {
		for name, want := range tc.want {
			t.Run(tc.name+" on "+name, func(t *testing.T) {
				rep, err := robust.Check(t.Context(), programOf(t, tc.sql), robust.Options{Question: robust.Question{Engine: engine.ByName(name), Init: robust.AnyRows}})
				if err != nil {
					t.Fatal(err)
				}
				if want == "robust" {
					if rep.Verdict != robust.Robust {
						t.Fatalf("%s, want robust", rep.Verdict)
					}
					return
				}
				if rep.Verdict != robust.Unknown || !strings.Contains(rep.Open.Reason, want) {
					t.Fatalf("%s (%v), want unknown because of %q", rep.Verdict, rep.Open, want)
				}
				if len(rep.Confirmed()) > 0 {
					t.Error("a finding is confirmed on a database that was not tried")
				}
				if !strings.Contains(strings.Join(rep.Assumptions, "\n"), "was not tried on one") {
					t.Error("the report does not say that the database was not tried")
				}
			})
		}
	}
}
