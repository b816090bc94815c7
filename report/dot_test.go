package report_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/report"
)

// word matches what the language of Graphviz is made of.
var word = regexp.MustCompile(`^\s*(?:("(?:[^"\\]|\\.)*")|([A-Za-z_][A-Za-z_0-9]*|-?[0-9]+)|(->|[{}\[\];,=]))`)

// drawing is what a reader of the output makes of it.
type drawing struct {
	nodes map[string]map[string]string
	edges []arrow
}

type arrow struct {
	from, to string
	attrs    map[string]string
}

// read parses the part of the language that DOT writes:
//
//	digraph ID { statements }, a statement is ID [attributes]; or
//	ID -> ID [attributes];
func read(t *testing.T, text string) drawing {
	t.Helper()
	var tokens []string
	rest := text
	for strings.TrimSpace(rest) != "" {
		m := word.FindString(rest)
		if m == "" {
			t.Fatalf("no word of Graphviz: %.60q", rest)
		}
		tokens = append(tokens, strings.TrimSpace(m))
		rest = rest[len(m):]
	}
	at := 0
	next := func() string {
		if at == len(tokens) {
			t.Fatalf("the text ends early:\n%s", text)
		}
		at++
		return tokens[at-1]
	}
	want := func(s string) {
		if got := next(); got != s {
			t.Fatalf("%q, want %q:\n%s", got, s, text)
		}
	}
	want("digraph")
	next()
	want("{")
	d := drawing{nodes: map[string]map[string]string{}}
	for tokens[at] != "}" {
		id := next()
		to := ""
		if tokens[at] == "->" {
			next()
			to = next()
		}
		attrs := map[string]string{}
		want("[")
		for {
			name := next()
			want("=")
			attrs[name] = strings.Trim(next(), `"`)
			if end := next(); end == "]" {
				break
			} else if end != "," {
				t.Fatalf("%q between attributes:\n%s", end, text)
			}
		}
		want(";")
		switch {
		case to != "":
			d.edges = append(d.edges, arrow{id, to, attrs})
		case id != "graph" && id != "node" && id != "edge":
			d.nodes[id] = attrs
		}
	}
	want("}")
	if at != len(tokens) {
		t.Fatalf("more than one graph:\n%s", text)
	}
	for _, e := range d.edges {
		if d.nodes[e.from] == nil || d.nodes[e.to] == nil {
			t.Errorf("%s -> %s: no such node", e.from, e.to)
		}
	}
	return d
}

func dot(t *testing.T, r *report.Report) drawing {
	t.Helper()
	var b bytes.Buffer
	if err := report.DOT(&b, r); err != nil {
		t.Fatal(err)
	}
	return read(t, b.String())
}

// undecided is a program about which nothing is found out.
const undecided = `program undecided
table t (k int not null, v int not null, key (k))
txn writes() { local n int; (n) := select r.v from t r where r.k == 1; emit n; unmodelled (t) 'something'; }
txn reads() { local n int; (n) := select r.v from t r where r.k == 2; update t r set v = n where r.k == 1; }`

// TestDOT: what is drawn of programs of all verdicts.
func TestDOT(t *testing.T) {
	red := func(d drawing) (n int) {
		for _, e := range d.edges {
			if e.attrs["color"] == "red" {
				n++
			}
		}
		return n
	}
	dashed := func(d drawing) (n int) {
		for _, e := range d.edges {
			if e.attrs["style"] == "dashed" {
				n++
			}
			if kind, _, _ := strings.Cut(e.attrs["label"], " "); kind != "RW" && e.attrs["style"] == "dashed" || (kind == "WW") != (e.attrs["dir"] == "both") {
				t.Errorf("%s is drawn with %v", e.attrs["label"], e.attrs)
			}
		}
		return n
	}
	postgres := robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Graph: true}}
	r := check(t, "apps/courseware", postgres)
	d := dot(t, r)
	if len(d.nodes) != len(r.Transactions) || red(d) != 2 || dashed(d) < 2 {
		t.Errorf("not robust: %d nodes, %d red and %d dashed edges", len(d.nodes), red(d), dashed(d))
	}
	for _, e := range d.edges {
		if e.attrs["color"] == "red" && !(strings.HasPrefix(e.attrs["label"], "RW ") && strings.Contains(e.attrs["label"], "functions.sql:") && e.attrs["style"] == "dashed") {
			t.Errorf("an edge of the finding is %v", e.attrs)
		}
	}
	if d := dot(t, check(t, "apps/courseware-touch", postgres)); red(d) != 0 || dashed(d) != 0 || len(d.edges) == 0 {
		t.Errorf("robust: %d red, %d dashed of %d edges", red(d), dashed(d), len(d.edges))
	}
	r = checkText(t, "undecided", undecided, postgres)
	if d := dot(t, r); r.Verdict != robust.Unknown || red(d) < 2 || dashed(d) < 2 {
		t.Errorf("unknown: %d red, %d dashed edges", red(d), dashed(d))
	}
	r = check(t, "litmus/read-only-anomaly.litmus", robust.Options{Question: robust.Question{Init: robust.FileRows}, Output: robust.Output{Graph: true}})
	if d := dot(t, r); red(d) < 3 {
		t.Errorf("found by executions: %d red edges", red(d))
	}
	r.Program = "a \"name\" \\ of\nlines"
	r.Graph.Nodes[0].Name = `"`
	dot(t, r)
	dot(t, &report.Report{})
}

// TestExplanation: what is said of programs of all verdicts.
func TestExplanation(t *testing.T) {
	explain := func(path string) *report.Report {
		r := check(t, path, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Explain: true}})
		if r.Explanation == nil || r.Explanation.Summary == "" {
			t.Fatalf("%s: nothing is explained", path)
		}
		return r
	}
	r := explain("apps/smallbank-promote-wt")
	e := r.Explanation
	if len(e.Refuted) != r.Proof.Refuted || len(e.NeverDelayed) != 1 || len(e.Walks) != 0 {
		t.Errorf("robust: %+v", e)
	}
	window := false
	for _, p := range e.Refuted {
		if p.Text == "" || p.Question == "" || p.By == "syntax" && len(p.Needs) > 0 {
			t.Errorf("%+v", p)
		}
		for _, n := range p.Needs {
			window = window || strings.Contains(n, "who writes the same row is excluded")
		}
	}
	if !window {
		t.Errorf("exclusion carries this proof, but is not named: %+v", e.Refuted)
	}
	keys := false
	for _, p := range explain("apps/courseware-fk").Explanation.Refuted {
		for _, n := range p.Needs {
			keys = keys || strings.HasPrefix(n, "keys, references and checks of ") || strings.HasPrefix(n, "the keys and references with which")
		}
	}
	if !keys {
		t.Error("a foreign key carries the proof of courseware-fk, but is not named")
	}
	e = explain("apps/courseware").Explanation
	if len(e.Walks) != 1 || len(e.Walks[0].Transactions) < 2 {
		t.Errorf("not robust: %+v", e)
	}
	e = checkText(t, "undecided", undecided, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Output: robust.Output{Explain: true}}).Explanation
	unmodelled := false
	for _, w := range e.Walks {
		unmodelled = unmodelled || len(w.Unmodelled) > 0 && w.Unmodelled[0].Reason != ""
	}
	if !unmodelled || len(e.Settle) == 0 {
		t.Errorf("unknown: %+v", e)
	}
	e = explain("apps/shoppingcart").Explanation
	if !strings.Contains(e.Summary, "no transaction writes") {
		t.Errorf("certificate: %+v", e)
	}
}

// TestBounds: a bound that ran out is named with the flag that raises it, unless that was tried and did not help.
func TestBounds(t *testing.T) {
	for _, tried := range []bool{false, true} {
		r := check(t, "apps/auction", robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Budget: robust.Budget{QueryLimit: 1, Helpers: 1}, Output: robust.Output{Explain: tried}})
		if named := strings.Contains(strings.Join(r.Open.Settle, "\n"), "(-query-limit 4)"); r.Verdict != robust.Unknown || named == tried {
			t.Errorf("tried %v: %s: %v", tried, r.Verdict, r.Open)
		}
	}
}
