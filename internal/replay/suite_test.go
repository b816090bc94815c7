package replay_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

var (
	suiteAll    = flag.Bool("replay.all", false, "check all of the statement suite, not only what has a finding according to the list")
	suiteUpdate = flag.Bool("replay.update", false, "write the list of the statements that have a finding (with -replay.all)")
)

// suiteFindings lists the statements that have a finding, one in a line, behind the numbers
// of the changes that are part of it.
var suiteFindings = filepath.Join("testdata", "suite_findings.txt")

// changes are what somebody else does to the tables of the statement suite.
var changes = map[string][]string{
	"a":      {"UPDATE a SET x = 3, y = 3, s = 'other' WHERE k = 1", "UPDATE a SET y = 8 WHERE k = 3", "INSERT INTO a (k, x, y, s) VALUES (9, 10, 7, 'new')", "DELETE FROM a WHERE k = 3"},
	"b":      {"UPDATE b SET v = 3 WHERE k = 1", "INSERT INTO b (k, j, v) VALUES (3, 1, 9)", "DELETE FROM b WHERE k = 2"},
	"q":      {"UPDATE q SET state = 'other' WHERE id = 1", "INSERT INTO q (id, state, owner) VALUES (9, 'open', 2)", "DELETE FROM q WHERE id = 3"},
	"u":      {"UPDATE u SET n = 3 WHERE id = 1", "INSERT INTO u (id, email, n) VALUES (9, 'c@x', 1)"},
	"g":      {"UPDATE g SET p = 4 WHERE id = 1", "DELETE FROM g WHERE id = 2"},
	"log":    {"INSERT INTO log (msg, n) VALUES ('more', 1)"},
	"parent": {"UPDATE parent SET name = 'other' WHERE id = 1", "INSERT INTO parent (id, name) VALUES (9, 'r')"},
	"child":  {"UPDATE child SET n = 3 WHERE id = 1", "DELETE FROM child WHERE id = 1", "INSERT INTO child (id, parent_id, n) VALUES (9, 2, 1)"},
	"loose":  {"UPDATE loose SET n = 3 WHERE id = 1", "DELETE FROM loose WHERE id = 1"},
	"late":   {"UPDATE late SET n = 3 WHERE id = 2", "INSERT INTO late (id, up, n) VALUES (9, 1, 1)"},
	"span":   {"UPDATE span SET hi = 4 WHERE id = 1", "DELETE FROM span WHERE id = 2"},
	"room":   {"UPDATE room SET open = NOT open WHERE id = 2", "DELETE FROM room WHERE id = 1"},
	"ser":    {"INSERT INTO ser (v) VALUES (1)"},
	"kinds":  {"UPDATE kinds SET flag = NOT flag, price = 3, name = 'other' WHERE id = 1", "DELETE FROM kinds WHERE id = 3"},
	"item":   {"UPDATE shop.item SET x = 3 WHERE id = 1", "INSERT INTO shop.item (id, x) VALUES (9, 5)"},
	"tree":   {"INSERT INTO tree (id, up) VALUES (9, 1)", "UPDATE tree SET up = NULL WHERE id = 2"},
	"boss":   {"UPDATE boss SET n = 9 WHERE id = 1", "INSERT INTO boss (id, code, n) VALUES (9, 'w', 1)"},
	"follow": {"UPDATE follow SET n = 3 WHERE id = 1", "DELETE FROM follow WHERE id = 1"},
	"drift":  {"UPDATE drift SET n = 3 WHERE id = 1"},
	"badge":  {"DELETE FROM badge WHERE id = 1"},
	"high":   {"UPDATE a SET y = 1 WHERE k = 4"},
	"sums":   {"UPDATE b SET v = 9 WHERE k = 1 AND j = 1"},
}

// suite gives the statements of the statement suite.
func suite(t *testing.T) (schema string, statements []string) {
	t.Helper()
	dir := filepath.Join("..", "..", "sqlmodel", "testdata", "statements")
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) == "schema.sql" {
			for _, line := range strings.SplitAfter(string(text), "\n") {
				if !strings.HasPrefix(line, "INSERT INTO room") { // ranges
					schema += line
				}
			}
			continue
		}
		for _, part := range strings.Split(string(text), "\n\n") {
			var lines []string
			for _, line := range strings.Split(part, "\n") {
				if !strings.HasPrefix(line, "--") && strings.TrimSpace(line) != "" {
					lines = append(lines, line)
				}
			}
			if sql := strings.TrimSuffix(strings.Join(lines, "\n"), ";"); sql != "" {
				statements = append(statements, sql)
			}
		}
	}
	return schema, statements
}

// inLine puts a statement into one line.
func inLine(sql string) string { return strings.Join(strings.Fields(sql), " ") }

var word = regexp.MustCompile(`[a-z_]+`)

// suiteProgram is a program in which other transactions change what a statement
// touches, and the statement's transaction changes what they have read. Not nil, only says
// which of the changes there are.
func suiteProgram(t *testing.T, schema, sql string, only []string) *ir.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString(schema + "CREATE TABLE mark (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO mark VALUES (1, 0);\n")
	fmt.Fprintf(&b, "-- name: statement\nBEGIN;\n%s;\nUPDATE mark SET v = v + 1 WHERE id = 1;\nCOMMIT;\n", sql)
	named := map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(sql), -1) {
		named[w] = true
	}
	n := 0
	for _, table := range slices.Sorted(maps.Keys(changes)) {
		for _, change := range changes[table] {
			if !named[table] {
				continue
			}
			n++
			if only == nil || slices.Contains(only, strconv.Itoa(n)) {
				fmt.Fprintf(&b, "-- name: change%d\nBEGIN;\nSELECT v FROM mark WHERE id = 1;\n%s;\nCOMMIT;\n", n, change)
			}
		}
	}
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "case.sql", Text: b.String()}}, sqlmodel.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	p.Name = inLine(sql)
	return p
}

// TestStatements replays a finding for each statement of the suite that has one.
func TestStatements(t *testing.T) {
	schema, statements := suite(t)
	if len(statements) < 300 {
		t.Fatalf("there are only %d statements", len(statements))
	}
	text, err := os.ReadFile(suiteFindings)
	if err != nil && !*suiteUpdate {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		only, sql, _ := strings.Cut(strings.TrimSpace(line), ": ")
		listed[sql] = strings.Fields(only)
	}
	var tally replaytest.Tally
	verdicts := map[report.Verdict]int{}
	var found []string
	looked := 0
	for _, sql := range statements {
		only := listed[inLine(sql)]
		if *suiteAll {
			only = nil
		} else if only == nil {
			continue
		}
		if looked++; testing.Short() && looked%3 != 0 { // a short run takes every third
			delete(listed, inLine(sql))
			continue
		}
		p := suiteProgram(t, schema, sql, only)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		rep, err := robust.Check(ctx, p, robust.Options{Question: robust.Question{Engine: engine.Postgres(), Init: robust.FileRows}, Budget: robust.Budget{Helpers: 1}})
		cancel()
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		verdicts[rep.Verdict]++
		for _, f := range rep.Findings {
			found = append(found, changesIn(f.Witness)+": "+p.Name)
		}
		tally.Report(t, rep, "it depends on")
	}
	t.Logf("%d statements, %v; %s", len(statements), verdicts, &tally)
	if *suiteAll && *suiteUpdate {
		if err := os.WriteFile(suiteFindings, []byte(strings.Join(found, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got := strings.Join(found, "\n") + "\n"; got != linesOf(string(text), listed) {
		t.Errorf("statements that have a finding differ from %s (-replay.all -replay.update writes it anew):\n%s", suiteFindings, got)
	}
}

// linesOf keeps the lines about statements that are listed.
func linesOf(text string, listed map[string][]string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if _, sql, _ := strings.Cut(strings.TrimSpace(line), ": "); listed[sql] != nil {
			out.WriteString(line)
		}
	}
	return out.String()
}

// changesIn gives the numbers of the changes in an execution.
func changesIn(w *witness.Witness) string {
	var out []string
	for _, t := range w.Transactions {
		if n, is := strings.CutPrefix(t.Name, "change"); is && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return strings.Join(out, " ")
}
