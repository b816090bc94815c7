package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/schematest"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// cases are inputs with reports of all kinds. Their findings come from
// exhaustive interpretation, so that no change of a search changes them.
var cases = []struct {
	name, path string
	opt        robust.Options
}{
	{"courseware-fk", "apps/courseware-fk", robust.Options{Question: robust.Question{Engine: engine.Postgres()}}},
	{"read-only-anomaly", "litmus/read-only-anomaly.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows}}},
	{"s1-columns", "litmus/s1-columns.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows}}},
	{"s3-parent", "litmus/s3-parent.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows, Engine: engine.Postgres()}}},
	{"session-order", "litmus/session-order.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows}}},
	{"classic", "litmus/fig11a-same-value-ww.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows, Classic: true}}},
	{"lost-update", "litmus/lost-update.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows}}},
}

func check(t *testing.T, path string, opt robust.Options) *report.Report {
	t.Helper()
	full := filepath.Join("..", "testdata", path)
	if strings.HasSuffix(path, ".litmus") {
		src, err := os.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		return checkText(t, path, string(src), opt)
	}
	p, err := sqlmodel.Load(t.Context(), []string{full}, sqlmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return checkProgram(t, p, opt)
}

func checkText(t *testing.T, name, src string, opt robust.Options) *report.Report {
	t.Helper()
	p, err := irtext.Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return checkProgram(t, p, opt)
}

func checkProgram(t *testing.T, p *ir.Program, opt robust.Options) *report.Report {
	t.Helper()
	rep, err := robust.Check(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// open is a report of the third kind, which no quick check has.
func open() *report.Report {
	r := findings.New(&ir.Program{Name: "shop"})
	r.Verdict, r.Engine, r.EngineTitle = report.Unknown, "postgres", engine.Postgres().Title
	r.Open = &report.Open{Reason: "the time ran out", Cycles: [][]string{{"pay", "ship"}}, Settle: []string{"more time (-timeout)"}}
	r.Havocs = []report.Havoc{{Transaction: "pay", File: "f.sql", Line: 3, Col: 5, Reason: "MERGE is not modelled", Tables: []string{"orders"}},
		{Transaction: "ship", File: "f.sql", Line: 9, Col: 1, Reason: "EXECUTE runs text", Tables: []string{}, ReadOnly: true}}
	for _, name := range []string{"list", "list#2", "list#3", "list#4", "list#5"} {
		r.Havocs = append(r.Havocs, report.Havoc{Transaction: name, File: "f.sql", Line: 9, Col: 1, Reason: "EXECUTE runs text", Tables: []string{}})
	}
	r.Notes = []report.Note{{File: "s.sql", Line: 1, Col: 1, Text: "EXCLUDE constraints are left out"}}
	return r
}

// suspected is a report of a finding that goes through things that are left out, of
// which one makes no difference.
func suspected(t *testing.T) *report.Report {
	return checkText(t, "ward", `program ward
domain 1..2
table duty (id int, off bool, key (id))
row duty (1, false)
row duty (2, false)
txn leave(i int, j int) {
  if exists (from duty d where d.id == j and not d.off) {
    dropped row lock 'the row locks of this subquery, which may not run' (duty) from duty d where d.id == j for update
    dropped row lock 'the row locks of this view' (duty) from duty d where d.id == i for update
    dropped error 'the check note_ok of duty' (duty)
    update duty set off = true where duty.id == i
  }
}
`, robust.Options{Question: robust.Question{Init: robust.FileRows, Engine: engine.Postgres()}})
}

// TestText compares the text with golden files, and its width with a terminal.
func TestText(t *testing.T) {
	reports := map[string]*report.Report{"open": open(), "suppressed": suppressed(), "suspected": suspected(t)}
	for _, c := range cases {
		reports[c.name] = check(t, c.path, c.opt)
	}
	for name, r := range reports {
		t.Run(name, func(t *testing.T) {
			shown := text(t, r, false)
			onScreen(t, shown)
			// How much a proof had to refute may change with the prover.
			golden.Compare(t, filepath.Join("testdata", name+".txt"), shown, counts)
		})
	}
}

// screen is how many lines a finding takes at most, unless rows or statements are long.
const screen = 32

// onScreen holds the lines of a report within the width of a terminal, and its findings within a
// screen.
func onScreen(t *testing.T, text string) {
	t.Helper()
	_, found, _ := strings.Cut(text, "\n1. ")
	if n := strings.Count(found[:strings.Index(found, "\n   Confirmed by")+1], "\n"); n > screen {
		t.Errorf("the first finding takes %d lines:\n%s", n, text)
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 {
			t.Errorf("too long: %s", line)
		}
	}
}

// TestLongSchedule: of a schedule that does not fit, the report shows what the dependencies are
// between, and all of it with Verbose; of many rows it shows the first.
func TestLongSchedule(t *testing.T) {
	var rows, steps strings.Builder
	for n := range 10 {
		fmt.Fprintf(&rows, "row log (%d, false)\n", n)
	}
	for n := range 5 {
		fmt.Fprintf(&steps, "    update log set told_to_the_others = true where log.id == 5 * (i - 1) + %d\n", n)
	}
	r := checkText(t, "night", `program night
domain 0..9
table log (id int, told_to_the_others bool, key (id))
table duty (id int, off bool, key (id))
`+rows.String()+`row duty (1, false)
row duty (2, false)
txn leave(i int, j int) {
  if exists (from duty d where d.id == j and not d.off) {
`+steps.String()+`    update duty set off = true where duty.id == i
  }
}
`, robust.Options{Question: robust.Question{Init: robust.FileRows}})
	short, long := text(t, r, false), text(t, r, true)
	onScreen(t, short)
	for _, s := range []string{"write log", "No serial order", "read duty(1) (by now"} {
		if got := strings.Contains(short, s); got != (s != "write log") {
			t.Errorf("%q is shown: %v\n%s", s, got, short)
		}
		if !strings.Contains(long, s) {
			t.Errorf("%q is not shown with -v", s)
		}
	}
}

// TestManyRows: a statement that writes many rows, and tables of many columns, keep to a screen;
// what is returned is shown where serial orders return something else.
func TestManyRows(t *testing.T) {
	var cols, values, rows strings.Builder
	for n := range 30 {
		fmt.Fprintf(&cols, ", what_is_known_of_it_%d int", n)
		values.WriteString(", 0")
	}
	for n := range 12 {
		fmt.Fprintf(&rows, "row seat (%d, %v, false%s)\n", n, n < 6, values.String())
	}
	r := checkText(t, "hall", `program hall
domain 0..11
table seat (id int, front bool, taken bool`+cols.String()+`, key (id))
`+rows.String()+`
txn take(f bool) {
  if not exists (from seat s where s.taken) {
    update seat set taken = true where seat.front == f
    emit 6
  } else {
    emit 0
  }
}
`, robust.Options{Question: robust.Question{Init: robust.FileRows}})
	short, long := text(t, r, false), text(t, r, true)
	onScreen(t, short)
	if quoted := r.Findings[0].Execution(); strings.Contains(quoted, "-v") || !strings.Contains(quoted, "31 other columns)") {
		t.Errorf("a page tells of a flag:\n%s", quoted)
	}
	short, long = strings.Join(strings.Fields(short), " "), strings.Join(strings.Fields(long), " ")
	for s, want := range map[string][2]int{
		"false -> true; … (6 rows)": {2, 0}, "write seat": {4, 12}, "return 6; COMMIT": {2, 2}, "31 other columns (-v)": {4, 0},
		"would return 0, not 6": {2, 2}, "only what depends on each other": {1, 0}, "what_is_known_of_it_29 0": {0, 12},
	} {
		if got := [2]int{strings.Count(short, s), strings.Count(long, s)}; got != want {
			t.Errorf("%q is shown %d times, and %d times with -v, want %d and %d", s, got[0], got[1], want[0], want[1])
		}
	}
}

func text(t *testing.T, r *report.Report, verbose bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, r, report.TextOptions{Verbose: verbose}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var counts = regexp.MustCompile(`\d+\s+pieces?`)

// TestSchema validates real reports against the schema, and makes sure that
// the schema is not too lenient.
func TestSchema(t *testing.T) {
	schema := schematest.Compile(t, report.Schema)
	reports := []*report.Report{open(), suppressed(), suspected(t)}
	for _, c := range cases {
		c.opt.Explain = true
		reports = append(reports, check(t, c.path, c.opt))
	}
	for _, r := range reports {
		var b bytes.Buffer
		if err := report.JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		value := schematest.Decode(t, b.String())
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", r.Program, err)
		}
		for _, field := range []string{"verdict", "findings", "stats", "proof"} {
			m := value.(map[string]any)
			kept := m[field]
			delete(m, field)
			if schema.Validate(value) == nil {
				t.Errorf("%s: a report without %s is valid", r.Program, field)
			}
			m[field] = kept
		}
	}
}

// TestTransactions is what a report says of templates.
func TestTransactions(t *testing.T) {
	r := findings.New(testprog.Parse(t, `program p
var x = 0
table t (k int, v int, key (k))
txn a(k int) { (r) := select s.v from t s where s.k == k; x := 1; insert t (k, v) values (3, 1) }
txn b { y := x; update t set v = 2; if exists (from t s where s.v == 1) { delete t } }
`))
	got, err := json.Marshal(r.Transactions)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"a","file":"test","line":4,"reads":["t.k","t.v"],"writes":["t","x"],"standing":""},` +
		`{"name":"b","file":"test","line":5,"reads":["t.v","x"],"writes":["t","t.v"],"standing":""}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
