package reportpage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/reportpage"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

func check(t *testing.T, p *ir.Program) *report.Report {
	t.Helper()
	r, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Explain: true, Graph: true}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t *testing.T, reports ...*report.Report) string {
	t.Helper()
	var b bytes.Buffer
	err := reportpage.Write(&b, reports, func(file string) (string, bool) {
		text, err := os.ReadFile(file)
		return string(text), err == nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// shown is what the page of a program has for its script.
type shown struct {
	Places   []struct{ At, Line string }
	Programs []struct {
		Findings []struct {
			Edges []struct {
				Type                                   string
				FromPlace, ToPlace, FromEvent, ToEvent int
			}
			Runs []struct {
				Steps []struct{ Stale int }
			}
		}
	}
}

var data = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// TestEdges: the arrows of a finding lead from the statement that reads or writes first to
// the one that writes or reads then, each with its line, and stale reads are those before
// which somebody has overwritten what was read.
func TestEdges(t *testing.T) {
	for _, app := range []string{"smallbank", "courseware", "booking"} {
		r := check(t, testprog.Load(t, testprog.Path(t, "apps", app)))
		var s shown
		if err := json.Unmarshal([]byte(data.FindStringSubmatch(written(t, r))[1]), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Programs[0].Findings) != len(r.Findings) || len(r.Findings) == 0 {
			t.Fatalf("%s: %d findings are shown, of %d", app, len(s.Programs[0].Findings), len(r.Findings))
		}
		for i, f := range s.Programs[0].Findings {
			w := r.Findings[i].Witness
			for k, e := range f.Edges {
				kinds := map[string][2]witness.EventKind{"RW": {witness.Read, witness.Write}, "WR": {witness.Write, witness.Read}, "WW": {witness.Write, witness.Write}}[e.Type]
				from, to := w.Schedule[e.FromEvent], w.Schedule[e.ToEvent]
				if from.Transaction != w.Cycle[k].From || to.Transaction != w.Cycle[k].To || from.Kind != kinds[0] || to.Kind != kinds[1] || from.Table != to.Table {
					t.Errorf("%s: the %s edge leads from %+v to %+v", app, e.Type, from, to)
				}
				for _, p := range []int{e.FromPlace, e.ToPlace} {
					if s.Places[p].Line == "" {
						t.Errorf("%s: no line is shown of %s", app, s.Places[p].At)
					}
				}
			}
			stale := 0
			for n, step := range f.Runs[0].Steps {
				if step.Stale == 0 {
					continue
				}
				stale++
				if e := w.Schedule[n]; e.Kind != witness.Read || step.Stale <= n || e.Now == "" && step.Stale == n+1 {
					t.Errorf("%s: event %d, %s, is stale from step %d on", app, n, e.Text, step.Stale)
				}
			}
			if stale == 0 {
				t.Errorf("%s: nothing that is read is stale", app)
			}
		}
	}
}

// TestText: what the page says without its script, for each verdict, and that names and
// values stay texts.
func TestText(t *testing.T) {
	const evil = `x</script><script>alert(1)</script>`
	bank := check(t, testprog.Load(t, testprog.Path(t, "apps", "smallbank")))
	proved := check(t, testprog.Load(t, testprog.Path(t, "apps", "smallbank-promote-wt")))
	open := check(t, testprog.Parse(t, `program undecided
table t (k int not null, v int not null, key (k))
txn writes() { local n int; (n) := select r.v from t r where r.k == 1; emit n; unmodelled (t) 'something'; }
txn reads() { local n int; (n) := select r.v from t r where r.k == 2; update t r set v = n where r.k == 1; }`))
	for _, c := range []struct {
		r    *report.Report
		want []string
	}{
		{bank, []string{"not robust", "At snapshot isolation there are executions that no serial order explains.", "2 of 5 transactions are safe", "What happens", "write_check"}},
		{proved, []string{"Every execution at snapshot isolation has the outcome of a serial one.", "Why it is robust", "the solver", "who writes the same row is excluded"}},
		{open, []string{"unknown", "What is open", "reads → writes", "something"}},
	} {
		text := written(t, c.r)
		for _, s := range c.want {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the page does not say %q", c.r.Program, s)
			}
		}
	}
	proved.Initially = []string{"for all rows of t: t.a < t.b"}
	if text := written(t, proved); !strings.Contains(text, "Assuming that initially for all rows of t: t.a &lt; t.b: every execution at snapshot isolation") {
		t.Error("the page does not say what the verdict assumes")
	}
	for _, r := range []*report.Report{bank, proved, open} {
		r.Program, r.EngineTitle, r.Headline = evil, evil, evil
		for i := range r.Transactions {
			r.Transactions[i].Name, r.Transactions[i].Why = evil, evil
			r.Graph.Nodes[i].Name = evil
		}
		for i := range r.Findings {
			w := r.Findings[i].Witness
			w.Play.Events[1].Text, w.Cycle[0].Text, w.Serial[0].Differs[0], w.Play.States[0].Committed[0].Table = evil, evil, evil, "\x1b[2J\u2028"+evil
		}
		r.Notes = append(r.Notes, report.Note{File: evil, Line: 1, Text: evil})
	}
	text := written(t, bank, proved, open)
	if strings.Contains(text, "alert(1)</script>") || strings.Count(text, "</script>") != 2 {
		t.Error("a name ends the script of the page")
	}
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
		t.Errorf("the page has %q", text[at:at+8])
	}
	for _, bad := range []string{"src=", "@import", "url(http", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// TestLarge: a page about 200 templates that all depend on each other has less than 2 MB,
// and keeps what is on cycles.
func TestLarge(t *testing.T) {
	bank := check(t, testprog.Load(t, testprog.Path(t, "apps", "smallbank")))
	for len(bank.Findings) < 100 {
		bank.Findings = append(bank.Findings, bank.Findings[0])
	}
	for i := range 195 {
		name := fmt.Sprintf("another_transaction_%d", i)
		bank.Transactions = append(bank.Transactions, report.Transaction{Name: name, File: "functions.sql", Line: 1000 + i, Standing: "safe"})
		bank.Graph.Nodes = append(bank.Graph.Nodes, report.Node{Name: name, File: "functions.sql", Line: 1000 + i})
	}
	cycle := slices.DeleteFunc(slices.Clone(bank.Graph.Edges), func(e report.Edge) bool { return e.Cycle == "" })
	var edges []report.Edge
	for i, a := range bank.Graph.Nodes {
		for k, b := range bank.Graph.Nodes {
			for _, kind := range []string{"RW", "WR", "WW"} {
				m := report.Meeting{Table: fmt.Sprint("table_", (i+k)%20), Columns: []string{"balance"}}
				m.From.File, m.From.Line, m.To.File, m.To.Line = "functions.sql", 7*i+1, "functions.sql", 7*k+3
				edges = append(edges, report.Edge{From: a.Name, To: b.Name, Type: kind, Vulnerable: kind == "RW", Meetings: []report.Meeting{m, m, m}})
			}
		}
	}
	bank.Graph.Edges = append(edges, cycle...)
	text := written(t, bank)
	if len(text) > 2_000_000 {
		t.Errorf("the page has %d bytes", len(text))
	}
	if n := strings.Count(text, `"c":"finding"`); n != len(cycle) {
		t.Errorf("%d edges of the finding are there, want %d", n, len(cycle))
	}
	if !strings.Contains(text, `"left":`) || strings.Contains(text, `"left":0`) {
		t.Error("the page does not say that dependencies are left out")
	}
	t.Logf("%d bytes", len(text))
}

// TestCertificate: why a program is robust is said once.
func TestCertificate(t *testing.T) {
	r := check(t, testprog.Load(t, testprog.Path(t, "apps", "shoppingcart")))
	method, is := strings.CutPrefix(r.Proof.Method, "certificate: ")
	if !is || !strings.HasSuffix(r.Explanation.Summary, method) || strings.Contains(r.Explanation.Summary, "certificate: ") {
		t.Fatalf("%s, %s", r.Proof.Method, r.Explanation.Summary)
	}
	if page := written(t, r); strings.Count(page, method) != 1 {
		t.Errorf("the page says %q %d times", method, strings.Count(page, method))
	}
}
