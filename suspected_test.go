package robust_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// TestSuspected: an execution that goes through something that the model leaves out, and
// that the database may refuse for it, is suspected. Each case has twins, in which nothing
// is left out or it makes no difference.
func TestSuspected(t *testing.T) {
	const accounts = "CREATE TABLE acc (id int PRIMARY KEY, bal int NOT NULL);\n"
	withdraw := func(test string) string {
		return accounts + "CREATE FUNCTION w(i int, j int, p boolean) RETURNS void LANGUAGE plpgsql AS $$ BEGIN " + test + " UPDATE acc SET bal = 0 WHERE id = i; END IF; END $$;"
	}
	skew := func(table string) string {
		return "CREATE TABLE duty (id int PRIMARY KEY, off boolean NOT NULL, note text);\n" + table +
			"\nCREATE FUNCTION leave(i int, j int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM duty WHERE id = j AND NOT off) THEN UPDATE duty SET off = true WHERE id = i; END IF; END $$;"
	}
	session := func(before, after string) string {
		return "CREATE TABLE duty (id int PRIMARY KEY, off boolean NOT NULL);\n" + before +
			"\nBEGIN; UPDATE duty SET off = true WHERE id = :i AND EXISTS (SELECT 1 FROM duty WHERE id = :j AND NOT off); COMMIT;\n" + after
	}
	for _, c := range []struct {
		name, sql string
		verdict   report.Verdict
		kind      string // of the doubts
	}{
		{"a lock that may not be taken", withdraw("IF p AND (SELECT bal FROM acc WHERE id = j FOR UPDATE) > 0 THEN"), robust.Unknown, "row lock"},
		{"no lock", withdraw("IF p AND (SELECT bal FROM acc WHERE id = j) > 0 THEN"), robust.NotRobust, ""},
		{"a lock that is taken", withdraw("PERFORM 1 FROM acc WHERE id = j FOR UPDATE; IF p AND (SELECT bal FROM acc WHERE id = j) > 0 THEN"), robust.Robust, ""},
		{"a lock that is taken where it is needed", withdraw("IF (CASE WHEN p THEN (SELECT bal FROM acc WHERE id = j FOR UPDATE) ELSE 0 END) > 0 THEN"), robust.Robust, ""},
		{"a lock of other rows that may not be taken", withdraw("IF p AND (SELECT bal FROM acc WHERE id = i FOR UPDATE) = 7 AND (SELECT bal FROM acc WHERE id = j) > 0 THEN"), robust.NotRobust, ""},
		{"a check that is not valid", skew("ALTER TABLE duty ADD CHECK (off OR note = '') NOT VALID;"), robust.NotRobust, ""},
		{"a check of another column that is not valid, and of which nothing is known", skew("ALTER TABLE duty ADD CHECK (to_tsvector('simple', note) @@ 'a'::tsquery) NOT VALID;"), robust.Unknown, "error"},
		{"a check of another column that is not valid", skew("ALTER TABLE duty ADD CHECK (note = '') NOT VALID;"), robust.NotRobust, ""},
		{"a check that is valid", skew("ALTER TABLE duty ADD CHECK (off OR note = '');"), robust.NotRobust, ""},
		{"an EXCLUDE constraint of which nothing is known", skew("ALTER TABLE duty ADD EXCLUDE (off WITH =, (note::circle) WITH &&);"), robust.Unknown, "error"},
		{"an EXCLUDE constraint of other columns", skew("ALTER TABLE duty ADD EXCLUDE ((note::circle) WITH &&);"), robust.NotRobust, ""},
		{"an EXCLUDE constraint that is known", skew("ALTER TABLE duty ADD EXCLUDE (off WITH =, note WITH =);"), robust.NotRobust, ""},
		{"a key over a function of which nothing is known", skew("CREATE UNIQUE INDEX ON duty (to_tsvector('simple', note || off::text));"), robust.Unknown, "error"},
		{"a key over a function that is known", skew("CREATE UNIQUE INDEX ON duty (lower(note || off::text));"), robust.NotRobust, ""},
		{"a key under a condition of which nothing is known", skew("CREATE UNIQUE INDEX ON duty (off) WHERE to_tsvector('simple', note) @@ 'a'::tsquery;"), robust.Unknown, "error"},
		{"a key under a condition that is known", skew("CREATE UNIQUE INDEX ON duty (off) WHERE note = 'a';"), robust.NotRobust, ""},
		{"a lock of the session", session("SELECT pg_advisory_lock(1);", "SELECT pg_advisory_unlock(1);"), robust.Unknown, "session lock"},
		{"a lock that the session has given back", session("SELECT pg_advisory_lock(1); SELECT pg_advisory_unlock(1);", ""), robust.NotRobust, ""},
		{"no lock of the session", session("", ""), robust.NotRobust, ""},
		{"a check of which nothing is known", skew("ALTER TABLE duty ADD CHECK (off OR to_tsvector('simple', note) @@ 'a'::tsquery);"), robust.Unknown, "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "s.sql", Text: c.sql}}, sqlmodel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range rep.Findings {
				if (f.Status == report.Suspected) != (len(f.Doubts) > 0) {
					t.Errorf("a finding is %s with %d doubts", f.Status, len(f.Doubts))
				}
				for _, d := range f.Doubts {
					got = d.Kind
				}
			}
			if rep.Verdict != c.verdict || got != c.kind {
				var b bytes.Buffer
				if err := report.Text(&b, rep, report.TextOptions{}); err != nil {
					t.Fatal(err)
				}
				t.Errorf("%s, with doubts about %q; want %s, %q\n%s\n%s", rep.Verdict, got, c.verdict, c.kind, b.String(), p)
			}
		})
	}
}

// TestSuspectedAdvisory: who asks for an advisory lock in its first statement has its
// snapshot while it waits, so that such locks keep two transactions from nothing. They
// keep apart what must run between the snapshot of one and its commit, one after the other.
func TestSuspectedAdvisory(t *testing.T) {
	const lock = "dropped advisory lock 'l' *; "
	program := func(early, late string) string {
		return "program p\nvar x = 0, y = 0, w = 0\nprocess a { txn a { " + early + "r := x; w := r + 1 " + late + "} }\nprocess b { txn b { " + early + "x := 1 " + late + "} }\n" +
			"process c { txn c { " + early + "r := x; y := r " + late + "} }\nprocess d { txn d { " + early + "r := y; s := w " + late + "} }\n"
	}
	for _, c := range []struct {
		src     string
		verdict report.Verdict
	}{
		{program("", ""), robust.NotRobust},
		{program(lock, ""), robust.Unknown},
		{program("", "; "+lock), robust.NotRobust},
		{strings.Replace(program(lock, ""), lock+"x := 1", "x := 1", 1), robust.Unknown},
		{strings.Replace(program(lock, ""), lock+"r := x; y", "r := x; y", 1), robust.NotRobust},
		{strings.Replace(program(lock, ""), lock+"r := x; w", "r := x; w", 1), robust.NotRobust},
	} {
		p, err := irtext.Parse("test", c.src)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Init: robust.FileRows}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != c.verdict {
			t.Errorf("%s, want %s\n%s", rep.Verdict, c.verdict, c.src)
		}
	}
}

// TestSuspectedLitmus: what is left out counts only where it could stop the execution.
func TestSuspectedLitmus(t *testing.T) {
	const skew = `program p
table t (k int, v int, key (k))
row t (1, 0)
row t (2, 0)
table u (k int, v int, key (k))
row u (1, 0)
process a { txn a { local r int; DROPPED (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 } }
process b { txn b { local r int; lock from t where t.k == 2 for share; (r) := select t.v from t where t.k == 2; update t set v = r + 1 where t.k == 1 } }`
	for dropped, verdict := range map[string]report.Verdict{
		"":                       robust.NotRobust,
		"dropped error 'e' (t);": robust.Unknown,
		"dropped error 'e' *;":   robust.Unknown,
		"dropped error 'e' (u) from u where u.k == 2;":                    robust.NotRobust,
		"dropped error 'e' (u) from u where u.k == 1;":                    robust.Unknown,
		"dropped row lock 'l' (t);":                                       robust.Unknown,
		"dropped row lock 'l' (u);":                                       robust.NotRobust,
		"dropped row lock 'l' (t) from t where t.k == 1 for share;":       robust.Unknown,
		"dropped row lock 'l' (t) from t where t.k == 1 for key share;":   robust.NotRobust,
		"dropped row lock 'l' (t) from t where t.k == 2 for update;":      robust.NotRobust,
		"dropped row lock 'l' (t) from t order by t.k limit 1 for share;": robust.Unknown,
		"dropped table lock 'l' (t);":                                     robust.Unknown,
		"dropped table lock 'l' (u);":                                     robust.NotRobust,
		"dropped advisory lock 'l' *;":                                    robust.NotRobust,
	} {
		p, err := irtext.Parse("test", strings.Replace(skew, "DROPPED", dropped, 1))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Init: robust.FileRows}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != verdict || len(rep.Findings) != 1 {
			t.Errorf("%q: %s with %d findings, want %s", dropped, rep.Verdict, len(rep.Findings), verdict)
		}
	}
}

// TestSuspectedReplay: what a server has done is certain, and what it does not do is no
// finding.
func TestSuspectedReplay(t *testing.T) {
	const src = `program p
table t (k int, v int, key (k))
row t (1, 0)
row t (2, 0)
process a { txn a { local r int; DROPPED (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 } }
process b { txn b { local r int; (r) := select t.v from t where t.k == 2; update t set v = r + 1 where t.k == 1 } }`
	for _, c := range []struct {
		dropped           string
		outcome           witness.Outcome
		verdict           report.Verdict
		findings, refused int
		status            report.Status
	}{
		{"dropped error 'e' (t);", witness.NotRun, robust.Unknown, 1, 0, report.Suspected},
		{"dropped error 'e' (t);", witness.AsShown, robust.NotRobust, 1, 0, report.Confirmed},
		{"dropped error 'e' (t);", witness.Refused, robust.Unknown, 0, 1, report.Suspected},
		{"", witness.NotRun, robust.NotRobust, 1, 0, report.Confirmed},
		{"", witness.Refused, robust.Unknown, 0, 1, report.Confirmed},
	} {
		p, err := irtext.Parse("test", strings.Replace(src, "DROPPED", c.dropped, 1))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Init: robust.FileRows}, Replay: func(context.Context, *witness.Witness) (*witness.Replay, error) {
			return &witness.Replay{Outcome: c.outcome, Log: []string{}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != c.verdict || len(rep.Findings) != c.findings || len(rep.Refused) != c.refused {
			t.Errorf("%q, %s: %s with %d findings and %d refused", c.dropped, c.outcome, rep.Verdict, len(rep.Findings), len(rep.Refused))
			continue
		}
		for _, f := range append(rep.Findings, rep.Refused...) {
			if f.Status != c.status || (f.Status == report.Suspected) != (len(f.Doubts) > 0) {
				t.Errorf("%q, %s: it is %s with doubts %v", c.dropped, c.outcome, f.Status, f.Doubts)
			}
		}
	}
}

// TestDepends: a finding says what of the database it depends on.
func TestDepends(t *testing.T) {
	for _, c := range []struct{ test, set, depends string }{
		{"", "off = true", ""},
		{"random() > 0.5 AND", "off = true", "random() (A: "},
		{"now() < '2020-01-01' AND", "off = true", "now() (A: "},
		{"now() > '2020-01-01' AND", "off = true", ""},
		{"", "off = true WHERE id = i; INSERT INTO log VALUES (now()); UPDATE duty SET off = off", ""},
	} {
		src := "CREATE TABLE duty (id int PRIMARY KEY, off boolean NOT NULL); CREATE TABLE log (at timestamptz);\n" +
			"CREATE FUNCTION leave(i int, j int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF " + c.test + " EXISTS (SELECT 1 FROM duty WHERE id = j AND NOT off) THEN UPDATE duty SET " + c.set + " WHERE id = i; END IF; END $$;"
		p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "s.sql", Text: src}}, sqlmodel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := report.Text(&b, rep, report.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		said := strings.Contains(text, "It depends on what only the database decides: "+c.depends)
		if rep.Verdict != robust.NotRobust || c.depends == "" && len(rep.Findings[0].Depends) > 0 || said != (c.depends != "") {
			t.Errorf("%s, %s: want a finding that depends on %q\n%s", c.test, c.set, c.depends, b.String())
		}
	}
}
