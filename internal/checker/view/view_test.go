package view

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/schematest"
	"github.com/txrobust/robust/isolation"
)

type sample struct {
	name string
	rep  *Report
}

// samples are reports of all kinds. Their times are zero.
func samples(t *testing.T) []sample {
	t.Helper()
	var out []sample
	add := func(name string, h *history.History, format string) {
		r, err := judge.Check(t.Context(), h, judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Judgements {
			r.Judgements[i].Time = 0
		}
		for i := range r.Runs {
			r.Runs[i].Time = 0
		}
		out = append(out, sample{name, New(name, format, h, 0, r)})
	}
	for _, f := range historytest.Files(t, "testdata/*.history") {
		add(f.Name, f.History, string(f.Format))
	}
	add("hostile", historytest.Hostile(t), "edn")
	out[len(out)-1].rep = New(historytest.Evil, "edn", out[len(out)-1].rep.h, 0, out[len(out)-1].rep.r)
	add("large", simdb.Generate(simdb.Options{Seed: 7, Level: isolation.CC, Sessions: 12, Txns: 600, Ops: 60, Keys: 200, Reads: 0.5, Faults: 0.0005}), "compact")
	out = append(out, sample{"unread", New("unread", "", nil, 0, judge.Unknown(nil, "The time ran out."))})
	return out
}

// TestClean: no output has what a terminal does not print.
func TestClean(t *testing.T) {
	for _, c := range samples(t) {
		for name, write := range map[string]func(io.Writer, *Report) error{"HTML": HTML, "JSON": JSON, "DOT": DOT,
			"text": func(w io.Writer, r *Report) error { return Text(w, r, TextOptions{Verbose: true}) }} {
			text := strings.ReplaceAll(written(t, write, c.rep), "\t", " ") // the page is indented
			if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
				t.Errorf("%q as %s has %q", c.name, name, text[at:min(at+12, len(text))])
			}
			if strings.Contains(text, "<svg onload") && name == "HTML" {
				t.Errorf("%q as %s has a tag in a name", c.name, name)
			}
		}
	}
}

func written(t *testing.T, write func(io.Writer, *Report) error, rep *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, rep); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden compares text and DOT with golden files.
func TestGolden(t *testing.T) {
	for _, c := range samples(t) {
		if c.name == "large" || c.name == "hostile" {
			continue
		}
		for ending, write := range map[string]func(io.Writer, *Report) error{
			".txt": func(w io.Writer, r *Report) error { return Text(w, r, TextOptions{}) },
			".v":   func(w io.Writer, r *Report) error { return Text(w, r, TextOptions{Verbose: true}) },
			".dot": DOT,
		} {
			golden.Compare(t, filepath.Join("testdata", c.name+ending), written(t, write, c.rep))
		}
	}
}

// TestJSON: every report is one line that fits the schema, is the same each time,
// and its names refer to each other.
func TestJSON(t *testing.T) {
	schema := schematest.Compile(t, Schema)
	again := samples(t)
	for i, c := range samples(t) {
		text := written(t, JSON, c.rep)
		if strings.Count(text, "\n") != 1 || text != written(t, JSON, again[i].rep) {
			t.Errorf("%s: not one line, or not the same twice", c.name)
		}
		if err := schema.Validate(schematest.Decode(t, text)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		checkNames(t, c.name, text)
	}
	if err := schema.Validate(map[string]any{"history": "h"}); err == nil {
		t.Error("the schema takes an object without levels")
	}
}

func checkNames(t *testing.T, name, text string) {
	t.Helper()
	var rep Report
	if err := json.Unmarshal([]byte(text), &rep); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, x := range rep.Transactions {
		if known[x.Name] {
			t.Errorf("%s: %s is twice", name, x.Name)
		}
		known[x.Name] = true
	}
	for _, a := range rep.Anomalies {
		for i, e := range a.Edges {
			if !known[e.From] || !known[e.To] || e.To != a.Edges[(i+1)%len(a.Edges)].From || e.Explanation == "" {
				t.Errorf("%s: %s has the edge %+v", name, a.Name, e)
			}
		}
		for _, x := range a.Txns {
			if !known[x] {
				t.Errorf("%s: %s is unknown", name, x)
			}
		}
		if a.Explanation == "" || rep.Counts[a.Name] == 0 {
			t.Errorf("%s: %s is not explained or counted", name, a.Name)
		}
	}
	for l, x := range rep.Levels {
		if (x.Verdict == "unknown") != (x.Checker == "") || x.Verdict == "unknown" && x.Why == "" {
			t.Errorf("%s: %s is %+v", name, l, x)
		}
	}
	if (rep.Strongest == nil) != (len(rep.StrongestLevels) == 0) {
		t.Errorf("%s: strongest %v of %v", name, rep.Strongest, rep.StrongestLevels)
	}
}

// statement is a line of what DOT writes.
var statement = regexp.MustCompile(`^\s*(digraph "(\\.|[^"\\])*" \{|subgraph cluster_\d+ \{|\}|((graph|node|edge|\w+( -> \w+)?) \[(\w+=(\w+|[\d.]+|"(\\.|[^"\\])*")(, )?)+\];)|label="(\\.|[^"\\])*"; color=grey;)$`)

// TestDOT: Graphviz reads what is written, and every line is a statement.
func TestDOT(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Logf("only the grammar is checked: %v", err)
	}
	for _, c := range samples(t) {
		text := written(t, DOT, c.rep)
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			if !statement.MatchString(line) {
				t.Errorf("%s: no statement: %s", c.name, line)
			}
		}
		if dot == "" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), dot, "-Tplain")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "Warning") {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
		edges := 0
		for _, a := range c.rep.Anomalies {
			edges += len(a.Edges)
			for _, e := range a.Edges {
				edges += len(e.Because)
			}
		}
		if got := strings.Count(string(out), "\nedge "); got != edges {
			t.Errorf("%s: Graphviz draws %d edges of %d", c.name, got, edges)
		}
	}
}

// TestLayout: lanes are sessions in their order, no two transactions are in one
// place, who reads is right of whom it read from, and large histories are reduced.
func TestLayout(t *testing.T) {
	for _, c := range samples(t) {
		p := c.rep.drawing()
		if len(p.Txns) > maxShown+1 {
			t.Errorf("%s: %d transactions are drawn", c.name, len(p.Txns))
		}
		if c.rep.h != nil && len(slices.DeleteFunc(slices.Clone(p.Txns), func(x pageTxn) bool { return x.Session == "" }))+p.Left != c.rep.Stats.Transactions {
			t.Errorf("%s: %d are drawn, %d left out, of %d", c.name, len(p.Txns), p.Left, c.rep.Stats.Transactions)
		}
		used := map[[2]int]string{}
		for i, x := range p.Txns {
			place := [2]int{x.Lane, x.Column}
			if used[place] != "" {
				t.Errorf("%s: %s and %s are in one place", c.name, used[place], x.Name)
			}
			used[place] = x.Name
			if i > 0 && p.Txns[i-1].Lane == x.Lane && p.Txns[i-1].Column >= x.Column {
				t.Errorf("%s: %s is left of its predecessor", c.name, x.Name)
			}
			if len(x.Keys) != len(x.Operations) {
				t.Errorf("%s: %s has %d keys for %d operations", c.name, x.Name, len(x.Keys), len(x.Operations))
			}
		}
		for _, a := range p.Anomalies {
			if len(a.Txns)+a.Missing == 0 {
				t.Errorf("%s: %s has no transactions", c.name, a.Name)
			}
		}
		if c.name == "serial" {
			for _, e := range p.Reads {
				if p.Txns[e.From].Column >= p.Txns[e.To].Column {
					t.Errorf("%s is not right of %s, which it reads from", p.Txns[e.To].Name, p.Txns[e.From].Name)
				}
			}
			if len(p.Reads) == 0 {
				t.Error("nobody reads")
			}
		}
		if c.name == "large" && (p.Left == 0 || len(p.Anomalies) == 0) {
			t.Errorf("the large history: %d left out, %d anomalies", p.Left, len(p.Anomalies))
		}
	}
}

// TestPage: the page is one file without links, and names cannot leave their place.
func TestPage(t *testing.T) {
	for _, c := range samples(t) {
		text := written(t, HTML, c.rep)
		for _, bad := range []string{"src=", "<link rel=\"stylesheet", "@import", "url(http", "ZgotmplZ"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: the page has %s", c.name, bad)
			}
		}
		if n := strings.Count(text, "</script>"); n != 2 {
			t.Errorf("%s: %d scripts end", c.name, n)
		}
		if c.name == "names" && (!strings.Contains(text, `\u003c/script\u003e`) || strings.Contains(text, "<b>")) {
			t.Error("names are not quoted")
		}
	}
}

// TestExit has the verdicts of all levels together.
func TestExit(t *testing.T) {
	want := map[string]isolation.Verdict{"lost-update": isolation.Reject, "serial": isolation.Accept, "unread": isolation.Unknown}
	for _, c := range samples(t) {
		v, ok := want[c.name]
		if got, faulty := c.rep.Exit(); ok && got != v || faulty {
			t.Errorf("%s: %s, faulty %v", c.name, got, faulty)
		}
	}
	r := &judge.Result{Conflicts: []judge.Conflict{{Satisfied: isolation.SER, Violated: isolation.SI, Accepts: "one", Rejects: "two"}}}
	rep := New("h", "", nil, 0, r)
	if _, faulty := rep.Exit(); !faulty || !strings.Contains(written(t, func(w io.Writer, r *Report) error { return Text(w, r, TextOptions{}) }, rep), "fault: one accepts SER, and two rejects SI") {
		t.Error("a disagreement is hidden")
	}
}
