package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txrobust/robust/beam/internal/bulk"
	"github.com/txrobust/robust/beam/internal/contract"
)

func usual() *settings {
	return &settings{levels: "RC,RA,CC,SI,SER", order: "auto", format: "text", limit: 3, workerOps: 10_000, here: true}
}

// TestExitCodes judges small files.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.txt", "w(1,1,0,0)\nr(1,1,1,1)\n")
	bad := file("bad.txt", "r(1,0,0,0)\nw(1,1,0,0)\nr(1,0,1,1)\nw(1,2,1,1)\n")
	faulty := file("faulty.txt", "w(1,1,0,0)\nnonsense\n")
	for _, test := range []struct {
		name   string
		change func(*settings)
		args   []string
		code   int
		says   string
	}{
		{"good", nil, []string{good}, exitOK, "SER  accept"},
		{"bad", nil, []string{bad}, exitViolated, "lost-update"},
		{"weak", func(s *settings) { s.levels = "RC" }, []string{bad}, exitOK, "RC   accept"},
		{"large", func(s *settings) { s.workerOps = 1 }, []string{bad}, exitUnknown, "-worker-ops allows 1"},
		{"faulty", nil, []string{faulty}, exitFault, faulty + ":2:"},
		{"no stamps", func(s *settings) { s.order = "stamps" }, []string{good}, exitFault, "use -order auto"},
		{"no file", nil, nil, exitUsage, "name a file"},
		{"absent", nil, []string{filepath.Join(dir, "absent")}, exitUsage, "absent"},
		{"level", func(s *settings) { s.levels = "PC" }, []string{good}, exitUsage, "expected RC, RA, CC, SI or SER"},
		{"order", func(s *settings) { s.order = "x" }, []string{good}, exitUsage, "expected auto, stamps or merge"},
	} {
		s := usual()
		if test.change != nil {
			test.change(s)
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), s, test.args, &out, &errs); code != test.code || !strings.Contains(out.String()+errs.String(), test.says) {
			t.Errorf("%s: exit code %d, expected %d, and %q in\n%s%s", test.name, code, test.code, test.says, out.String(), errs.String())
		}
	}
}

// TestBulk judges a long history with stamps: all windows are write skews, of two transactions.
func TestBulk(t *testing.T) {
	for _, skews := range []int{0, 6} {
		dir := filepath.Join(t.TempDir(), "shards")
		o := bulk.Options{Seed: 3, Ops: 40_000, Shards: 4, Sessions: 10, Keys: 3_000, Width: 8, Reads: 0.5, Skews: skews}
		if err := bulk.Write(t.Context(), dir, o); err != nil {
			t.Fatal(err)
		}
		s := usual()
		s.format, s.slices = "json", 3
		var out, errs bytes.Buffer
		code := run(t.Context(), s, []string{dir}, &out, &errs)
		var r contract.Result
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s%s", err, out.String(), errs.String())
		}
		want := exitOK
		if skews > 0 {
			want = exitViolated
		}
		if code != want || r.Stats.Shards != 4 || r.Stats.Order != contract.Stamps || r.Stats.Windows != skews || r.Stats.Largest > 4 {
			t.Errorf("%d skews: exit code %d, figures %+v", skews, code, r.Stats)
		}
		for _, l := range r.Levels {
			if holds := l.Verdict == "accept"; holds != (skews == 0 || l.Level != "SER") {
				t.Errorf("%d skews: %s is %s", skews, l.Level, l.Verdict)
			}
		}
	}
}
