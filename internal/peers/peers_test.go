package peers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// TestVerdicts has what each peer prints, as its sources have it.
func TestVerdicts(t *testing.T) {
	said := map[string][3]string{
		"AWDIT":      {"Done parsing: 3ms\n\nConsistent.\nDone checking: 1ms\n", "Done parsing: 3ms\n\nFuture read: …\nInconsistent.\nDone checking: 1ms\n", "thread 'main' panicked at src/main.rs"},
		"PolySI":     {"ENTIRE_EXPERIMENT: 812ms\nMax memory: 95MB\n[[[[ ACCEPT ]]]]\n", "Max memory: 95MB\n[[[[ REJECT ]]]]\n", "java.lang.OutOfMemoryError"},
		"VeriStrong": {"[info] solving\naccept: true\n", "[info] a cycle\naccept: false\n", "Invalid history type"},
		"Viper":      {"New run=====\n/tmp/h: True\nEnd run /tmp/h using ALGO 6\n", "New run=====\n/tmp/h: False\nEnd run /tmp/h using ALGO 6\n", "ModuleNotFoundError: No module named 'monosat'"},
		"Elle":       {"/tmp/h.edn\ttrue\n", "/tmp/h.edn\tfalse\n", "/tmp/h.edn\tunknown\n"},
	}
	for _, p := range All() {
		texts, some := said[p.Name]
		if !some {
			t.Errorf("%s: the test does not know what it prints", p.Name)
		}
		for i, want := range []isolation.Verdict{isolation.Accept, isolation.Reject, isolation.Unknown} {
			if got := p.Verdict(texts[i]); got != want {
				t.Errorf("%s: %q is %v, expected %v", p.Name, texts[i], got, want)
			}
		}
		if got := p.Verdict(texts[0] + texts[1]); got != isolation.Unknown {
			t.Errorf("%s: both answers are %v, expected unknown", p.Name, got)
		}
		if line := strings.Join(p.command("the-binary", "the-level", "the-file"), " "); !strings.Contains(line, "the-binary") || !strings.Contains(line, "the-file") {
			t.Errorf("%s: the command line %s lacks the binary or the file", p.Name, line)
		}
	}
}

// script writes a program.
func script(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// fake is a peer that a shell script plays.
func fake(name, build string) Peer {
	return Peer{
		Name: name, Needs: []string{"sh"}, Build: [][]string{{"sh", "-c", build}}, Binary: "bin/check-*", Format: codec.Plume,
		Types: []history.Type{history.Register}, Levels: map[isolation.Level]string{isolation.SI: "snapshot"},
		Command: []string{"BINARY", "LEVEL", "FILE"}, Accepts: regexp.MustCompile("yes"), Rejects: regexp.MustCompile("no"),
	}
}

// TestCompare plays a peer that asks for the level and the lines of the file, and robust.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	script(t, filepath.Join(dir, "good", "bin", "check-1"), `test "$1" = snapshot && test $(grep -c '^w(' "$2") = 1 && echo yes`)
	path := filepath.Join(dir, "history.txt")
	if err := os.WriteFile(path, []byte("w(1,1,0,0)\nr(1,1,1,1)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	o := Options{Dir: dir, Robust: script(t, filepath.Join(dir, "robust"), `test "$4" = SI && test -s "$5" && exit 3`),
		Levels: []isolation.Level{isolation.RC, isolation.SI}, Runs: 3, Timeout: time.Minute, Say: func(s string) { said = append(said, s) }}
	ready, missing := Ready(t.Context(), dir, []Peer{fake("Good", "exit 1"), fake("Absent", ""), {Name: "Needy", Needs: []string{"a program that nobody has"}}}, false, o.Say)
	if len(ready) != 1 || ready[0].Name != "Good" {
		t.Fatalf("ready are %v, expected Good", ready)
	}
	if len(missing) != 2 || !strings.Contains(missing[0].String(), "use -fetch") || !strings.Contains(missing[1].String(), "install that") {
		t.Errorf("missing are %v", missing)
	}
	rows, notes, err := Compare(t.Context(), path, ready, o)
	if err != nil || len(notes) != 0 || len(rows) != 1 {
		t.Fatalf("%d rows, notes %v, error %v; expected one row", len(rows), notes, err)
	}
	r := rows[0]
	if len(r.Ours.Times) != 3 || len(r.Theirs.Times) != 3 || r.Theirs.Verdict != isolation.Accept || r.Ours.Verdict != isolation.Reject || !r.Differs() {
		t.Errorf("the row is %+v", r)
	}
	if len(said) != 1 {
		t.Errorf("said %q, expected one line", said)
	}
	script(t, filepath.Join(dir, "good", "bin", "check-1"), "echo reading; echo the format is bad")
	rows, _, err = Compare(t.Context(), path, ready, o)
	if err != nil || len(rows) != 1 || !strings.HasSuffix(rows[0].Theirs.Failed, "not understood: the format is bad") || rows[0].Differs() {
		t.Errorf("a peer that cannot read: %+v, error %v", rows, err)
	}
}

// TestBuild builds peers that fail, and one that does not.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"fails", "leaves-nothing", "builds"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ready, missing := Ready(t.Context(), dir, []Peer{
		fake("Fails", "echo the crate is not there; exit 1"), fake("Leaves-nothing", "true"), fake("Builds", "mkdir bin && touch bin/check-2"),
	}, false, func(string) {})
	if len(ready) != 1 || ready[0].Name != "Builds" {
		t.Errorf("ready are %v, expected Builds", ready)
	}
	if len(missing) != 2 || !strings.Contains(missing[0].Why, "the crate is not there") || !strings.Contains(missing[1].Why, "the build left no bin/check-*") {
		t.Errorf("missing are %v", missing)
	}
}

// TestTable prints rows.
func TestTable(t *testing.T) {
	ms := func(n ...int) (out []time.Duration) {
		for _, x := range n {
			out = append(out, time.Duration(x)*time.Millisecond)
		}
		return out
	}
	rows := []Row{
		{"a.txt", "SI", codec.Plume, Measurement{ms(20, 30, 100), isolation.Accept, ""}, Measurement{ms(1000, 2000), isolation.Accept, ""}, "PolySI"},
		{"b.txt", "RC", codec.Plume, Measurement{ms(10), isolation.Reject, ""}, Measurement{ms(10), isolation.Accept, ""}, "AWDIT"},
		{"b.txt", "CC", codec.Plume, Measurement{ms(10), isolation.Reject, ""}, Measurement{ms(10), isolation.Unknown, "no answer within 1s"}, "AWDIT"},
	}
	var b strings.Builder
	if err := Table(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `history  level  format  peer    its time, s       its verdict          robust, s         verdict
a.txt    SI     plume   PolySI  1.50 (1.00–2.00)  accept               0.03 (0.02–0.10)  accept
b.txt    RC     plume   AWDIT   0.01 (0.01–0.01)  accept               0.01 (0.01–0.01)  reject   DIFFERENT
b.txt    CC     plume   AWDIT   0.01 (0.01–0.01)  no answer within 1s  0.01 (0.01–0.01)  reject
`
	if b.String() != want {
		t.Errorf("the table is\n%s\nexpected\n%s", b.String(), want)
	}
	var m Measurement
	m.add(time.Second, isolation.Accept, "")
	m.add(time.Second, isolation.Reject, "")
	if m.Failed == "" {
		t.Error("two verdicts of one program are no failure")
	}
}
