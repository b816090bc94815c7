package sqlmodel

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/sql/trace"
	"github.com/txrobust/robust/ir"
	"golang.org/x/tools/txtar"
)

// TestTrace checks that a trace changes nothing of the translation, says where something happened,
// and tells of each rule in some golden case.
func TestTrace(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	applied := map[string]bool{}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		schema := ""
		for _, f := range ar.Files {
			if f.Name == "schema.sql" {
				schema = string(f.Data)
			}
		}
		for _, f := range ar.Files {
			ext := filepath.Ext(f.Name)
			if ext == ".ir" || f.Name == "schema.sql" {
				continue
			}
			text := string(f.Data)
			if ext == ".pl" {
				text = wrapped(schema, text)
			}
			input := []File{{Name: "schema.sql", Text: schema}, {Name: "case.sql", Text: text}}
			plain, err := Parse(input, Options{})
			if err != nil {
				continue
			}
			traced, err := Parse(input, Options{Trace: func(phase string, at ir.Pos, text string) {
				if !at.IsValid() || text == "" {
					t.Errorf("%s, case %s: %s tells %q at %s", file, f.Name, phase, text, at)
				}
				if name, _, _ := strings.Cut(text, ":"); phase == trace.Rules {
					applied[name] = true
				}
			}})
			if err != nil || traced.String() != plain.String() {
				t.Errorf("%s, case %s: with a trace it is something else: %v", file, f.Name, err)
			}
		}
	}
	for _, r := range []trace.Rule{trace.Flatten, trace.Derive, trace.RunBefore, trace.ChooseCut, trace.ChooseFree, trace.LoopSeries, trace.ExpandTable, trace.Inline,
		trace.FireTrigger, trace.JoinSelf, trace.MoveRow, trace.ExistsForAny} {
		if name, _, _ := strings.Cut(string(r), ":"); !applied[name] {
			t.Errorf("no case tells of %s", name)
		}
	}
}

// TestTraceForgets checks that a translation that was given up is not told of.
func TestTraceForgets(t *testing.T) {
	var told []string
	_, err := Parse([]File{{Name: "a.sql", Text: `CREATE TABLE a (k int PRIMARY KEY, w int);
CREATE TABLE b (k int PRIMARY KEY, v int);
-- name: f
BEGIN;
SELECT (SELECT max(v) FROM b WHERE b.k = w) FROM a;
COMMIT;
`}}, Options{Trace: func(phase string, _ ir.Pos, text string) {
		if phase == trace.Bind {
			line, _, _ := strings.Cut(text, "\n")
			told = append(told, line)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "query|form: derivation, as its translation found out: a correlated subquery as a value|query|form: plain"
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("it tells %s, but must tell %s", got, want)
	}
}
