package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/schematest"
	"github.com/txrobust/robust/internal/testprog"
)

// needsZ3 skips a test where the program is missing.
func needsZ3(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("z3"); err != nil {
		if os.Getenv(pgtest.RequireEnv) == "1" {
			t.Fatal("the program z3 is missing: make setup installs it")
		}
		t.Skip("SKIPPED: the program z3 is missing: make setup installs it")
	}
}

// command runs a command line, and gives its exit code and what it writes.
func commandLine(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, streams{&o, &e})
	return code, o.String(), e.String()
}

// proved writes the proof of a program, and gives the folder.
func proved(t *testing.T, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "proof")
	if code, out, errs := commandLine(t, append([]string{"check", "-proof", dir}, args...)...); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	return dir
}

// TestProofs writes and verifies the proofs of all applications that are
// robust.
func TestProofs(t *testing.T) {
	needsZ3(t)
	schema := schematest.Compile(t, proof.Schema)
	check := func(name string, args ...string) {
		t.Run(name, func(t *testing.T) {
			dir := proved(t, args...)
			manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(schematest.Decode(t, string(manifest))); err != nil {
				t.Error(err)
			}
			if code, out, errs := commandLine(t, "proof", "verify", dir); code != exitOK || !strings.Contains(out, "everything was made anew from the sources") || errs != "" {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
	for _, app := range testprog.Apps(t) {
		if app.Whole() && app.Robust() && app.Kind == "apps" {
			check(app.Folder, app.Dir(t))
		}
	}
	check("part", "-txn", "balance,write_check", testprog.Path(t, "apps", "smallbank"))
	check("facts about known rows", "-init", "empty", testprog.Path(t, "apps", "smallbank-promote-bw"))
	check("executions", testprog.Path(t, "litmus", "lost-update.litmus"))
	check("instrumentation", "-classic", testprog.Path(t, "litmus", "fig2-modified-write-skew.litmus"))
	check("processes", "-init", "any", testprog.Path(t, "litmus", "lost-update.litmus"))
}

// alter changes a proof and makes its digests right again.
func alter(t *testing.T, dir string, change func(m *proof.Manifest)) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &proof.Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		t.Fatal(err)
	}
	sum := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s := sha256.Sum256(text)
		return hex.EncodeToString(s[:])
	}
	change(m)
	named := []string{}
	for i := range m.Refuted {
		if r := &m.Refuted[i]; r.File != "" {
			r.SHA256 = sum(r.File)
			named = append(named, r.File)
		}
	}
	for i := range m.Kept {
		if r := &m.Kept[i]; r.File != "" {
			r.SHA256 = sum(r.File)
			named = append(named, r.File)
		}
	}
	if err := os.WriteFile(path, manifestText(t, m), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.smt2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(named, filepath.Base(f)) {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	sums := ""
	for _, name := range append([]string{"manifest.json"}, named...) {
		sums += sum(name) + "  " + name + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums), 0o666); err != nil {
		t.Fatal(err)
	}
}

// manifestText writes a manifest as check -proof does.
func manifestText(t *testing.T, m *proof.Manifest) []byte {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// edit replaces text in a file.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestAlteredProofs: what is not the proof is found out, with its name.
func TestAlteredProofs(t *testing.T) {
	needsZ3(t)
	app := t.TempDir()
	if err := os.CopyFS(app, os.DirFS(testprog.Path(t, "apps", "smallbank-promote-wt"))); err != nil {
		t.Fatal(err)
	}
	original := proved(t, app)
	fresh := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Run("another answer", func(t *testing.T) {
		for _, answer := range []string{"unknown", "sat", "timeout", ""} {
			z3 := filepath.Join(t.TempDir(), "z3")
			must(t, os.WriteFile(z3, []byte("#!/bin/sh\ncat >/dev/null\necho "+answer+"\n"), 0o777))
			if code, _, errs := commandLine(t, "proof", "verify", "-z3", z3, original); code != exitFault || !strings.Contains(errs, "not unsat") {
				t.Errorf("%q: exit code %d\n%s", answer, code, errs)
			}
		}
	})
	script := func(dir string) string { return filepath.Join(dir, "q00001.smt2") }
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"one byte", func(t *testing.T, dir string) { edit(t, script(dir), "assert", "assers") }, `q00001\.smt2: the file was altered`},
		{"trivial", func(t *testing.T, dir string) { edit(t, script(dir), "(check-sat)", "(assert false)(check-sat)") }, `q00001\.smt2: the file was altered`},
		{"trivial with its digest", func(t *testing.T, dir string) {
			edit(t, script(dir), "(check-sat)", "(assert false)\n(check-sat)")
			alter(t, dir, func(*proof.Manifest) {})
		}, `q00001\.smt2:\d+: the script is not what the program asks for: is this piece of a walk possible: DELAYED`},
		{"manifest", func(t *testing.T, dir string) { edit(t, filepath.Join(dir, "manifest.json"), "balance", "balanced") }, `manifest\.json: the file was altered`},
		{"missing", func(t *testing.T, dir string) { os.Remove(script(dir)) }, `q00001\.smt2: the file is missing`},
		{"no manifest", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "manifest.json")) }, `manifest\.json: the file is missing`},
		{"no digests", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "SHA256SUMS")) }, `SHA256SUMS: the file is missing`},
		{"additional", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "q00099.smt2"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}, `q00099\.smt2: the file was added`},
		{"other", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}, `notes\.txt: the proof has no such file`},
		{"version", func(t *testing.T, dir string) { alter(t, dir, func(m *proof.Manifest) { m.Version = 3 }) }, `manifest\.json: .*version 3`},
		{"steady", func(t *testing.T, dir string) {
			alter(t, dir, func(m *proof.Manifest) {
				m.Steady = []int{0, 1, 2, 3, 4}
				m.Refuted = []proof.Refuted{}
			})
		}, `manifest\.json: .* is not steady`},
		{"reason", func(t *testing.T, dir string) {
			alter(t, dir, func(m *proof.Manifest) {
				for i := range m.Refuted {
					m.Refuted[i].Reason = proof.Reason{By: proof.BySyntax, Uses: []int{}}
				}
			})
		}, `manifest\.json: the question DELAYED .* is not one of the program: the question needs a solver`},
		{"vertices", func(t *testing.T, dir string) {
			alter(t, dir, func(m *proof.Manifest) { m.Vertices[0].Reads[0] = "other" })
		}, `manifest\.json: vertices\[0\]\.reads\[0\] must be "account", but is "other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fresh(t)
			c.change(t, dir)
			code, out, errs := commandLine(t, "proof", "verify", dir)
			if code != exitFault || out != "" || !regexp.MustCompile("(?m)^"+regexp.QuoteMeta(dir)+"/"+c.want).MatchString(errs) {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
	t.Run("each refuted piece", func(t *testing.T) {
		var m proof.Manifest
		text, err := os.ReadFile(filepath.Join(original, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &m); err != nil || len(m.Refuted) == 0 {
			t.Fatal(err, m.Refuted)
		}
		for i := range m.Refuted {
			dir := fresh(t)
			alter(t, dir, func(m *proof.Manifest) { m.Refuted = slices.Delete(m.Refuted, i, i+1) })
			if code, _, errs := commandLine(t, "proof", "verify", dir); code != exitFault || !strings.Contains(errs, "nothing that is refuted excludes the walk") {
				t.Errorf("without %s: exit code %d\n%s", m.Refuted[i].Text, code, errs)
			}
		}
	})
	t.Run("sources", func(t *testing.T) {
		dir := fresh(t)
		file := filepath.Join(app, "functions.sql")
		if err := os.Rename(file, file+".away"); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := commandLine(t, "proof", "verify", dir); code != exitFault || out != "" || !strings.Contains(errs, "the sources are not there") {
			t.Errorf("without sources: exit code %d\n%s%s", code, out, errs)
		}
		if code, out, errs := commandLine(t, "proof", "verify", "-alone", dir); code != exitOK || !strings.Contains(out, "without the sources") || !strings.Contains(errs, "believed") {
			t.Errorf("-alone: exit code %d\n%s%s", code, out, errs)
		}
		if err := os.Rename(file+".away", file); err != nil {
			t.Fatal(err)
		}
		edit(t, file, "CREATE", "-- other\nCREATE")
		if code, _, errs := commandLine(t, "proof", "verify", dir); code != exitFault || !strings.Contains(errs, "functions.sql is not the file that was proved") {
			t.Errorf("other sources: exit code %d\n%s", code, errs)
		}
		if code, _, errs := commandLine(t, "proof", "verify", "-sources", testprog.Path(t, "apps", "smallbank-promote-wt"), dir); code != exitFault {
			t.Errorf("the paths are absolute: exit code %d\n%s", code, errs)
		}
	})
	t.Run("no z3", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if code, _, errs := commandLine(t, "proof", "verify", original); code != exitFault || !strings.Contains(errs, "the program z3 is missing") {
			t.Errorf("exit code %d\n%s", code, errs)
		}
	})
}

// TestAlteredFacts: a fact that nothing keeps, or nobody assumes, is found out.
func TestAlteredFacts(t *testing.T) {
	needsZ3(t)
	dir := proved(t, testprog.Path(t, "apps", "tpcc"))
	for name, change := range map[string]struct {
		change func(m *proof.Manifest)
		want   string
	}{
		"kept": {func(m *proof.Manifest) { m.Kept = m.Kept[1:] }, "nothing says that"},
		"assumed": {func(m *proof.Manifest) {
			m.Assumptions = slices.DeleteFunc(m.Assumptions, func(a string) bool { return strings.HasPrefix(a, "initially") })
		}, "must be \"initially for all rows"},
		"unused": {func(m *proof.Manifest) {
			for i := range m.Refuted {
				m.Refuted[i].Uses = []int{}
			}
		}, "uses[0] must be 1, but is missing"},
		"unneeded": {func(m *proof.Manifest) {
			for i := range m.Facts {
				m.Facts[i].Needed = false
			}
		}, "not said to be needed"},
		"invented": {func(m *proof.Manifest) { m.Facts[0].Text = "for all rows of item: false" }, "is none that is guessed"},
	} {
		t.Run(name, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			alter(t, copied, change.change)
			if code, _, errs := commandLine(t, "proof", "verify", copied); code != exitFault || !strings.Contains(errs, change.want) {
				t.Errorf("exit code %d\n%s", code, errs)
			}
		})
	}
}

// TestProofFolder: the folder is complete or not there, and nobody else's.
func TestProofFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "proof")
	app := testprog.Path(t, "apps", "fusionticket")
	for range 2 {
		if code, _, errs := commandLine(t, "check", "-proof", dir, app); code != exitOK || errs != "" {
			t.Fatalf("exit code %d %s", code, errs)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(entries) != 1 {
		t.Errorf("there is more than the proof: %v %v", entries, err)
	}
	code, _, errs := commandLine(t, "check", "-proof", dir, testprog.Path(t, "apps", "courseware"))
	if code != exitNotRobust || !strings.Contains(errs, "there is no proof of courseware to write") {
		t.Errorf("exit code %d %s", code, errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := commandLine(t, "check", "-proof", dir, app); code != exitUsage || !strings.Contains(errs, "mine.txt") {
		t.Errorf("exit code %d %s", code, errs)
	}
	many := filepath.Join(t.TempDir(), "many")
	if code, _, errs := commandLine(t, "check", "-proof", many, testprog.Path(t, "litmus", "lost-update.litmus"), testprog.Path(t, "litmus", "long-fork.litmus")); code != exitOK {
		t.Fatalf("exit code %d %s", code, errs)
	}
	for _, name := range []string{"lost_update", "long_fork"} {
		if _, err := os.Stat(filepath.Join(many, name, "manifest.json")); err != nil {
			t.Error(err)
		}
	}
	for _, args := range [][]string{{"proof"}, {"proof", "check", dir}, {"proof", "verify"}, {"proof", "verify", fmt.Sprint(dir, "x")}, {"proof", "verify", "-timeout", "1ms", dir}} {
		if code, out, errs := commandLine(t, args...); code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q %q", args, code, out, errs)
		}
	}
}
