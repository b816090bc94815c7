package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/testprog"
)

// folderText is the files of a proof.
type folderText map[string]string

func readFolder(t *testing.T, dir string) folderText {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := folderText{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sums makes the digests of the files right again, in the order of the manifest.
func (f folderText) sums() {
	var b strings.Builder
	for _, name := range append([]string{"manifest.json"}, slices.Sorted(maps.Keys(f))...) {
		if name == "manifest.json" && b.Len() > 0 || name == "SHA256SUMS" {
			continue
		}
		b.WriteString(sha(f[name]) + "  " + name + "\n")
	}
	f["SHA256SUMS"] = b.String()
}

// resigned makes all digests right again, those in the manifest too.
func (f folderText) resigned(t *testing.T) {
	t.Helper()
	m := &proof.Manifest{}
	if err := json.Unmarshal([]byte(f["manifest.json"]), m); err != nil {
		t.Fatal(err)
	}
	for i := range m.Refuted {
		if r := &m.Refuted[i]; r.File != "" {
			r.SHA256 = sha(f[r.File])
		}
	}
	for i := range m.Kept {
		if r := &m.Kept[i]; r.File != "" {
			r.SHA256 = sha(f[r.File])
		}
	}
	f["manifest.json"] = string(manifestText(t, m))
	f.sums()
}

// forger tries forgeries of one proof.
type forger struct {
	original folderText
	dir      string
	tried    int
}

// refused makes sure that a forgery is refused, with the name of a file of it.
func (g *forger) refused(t *testing.T, what string, f folderText, flags ...string) {
	t.Helper()
	if maps.Equal(f, g.original) {
		return // it is the proof
	}
	g.tried++
	if err := os.RemoveAll(g.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(g.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range f {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := commandLine(t, slices.Concat([]string{"proof", "verify"}, flags, []string{g.dir})...)
	if code != exitFault || out != "" || !strings.HasPrefix(errs, g.dir) {
		t.Errorf("%s: exit code %d, %s%s", what, code, out, errs)
	}
}

// mutations are other values in the place of a value of JSON, whatever it stands
// for.
func mutations(v any) []any {
	switch v := v.(type) {
	case string:
		return []any{v + "x", "", strings.ToUpper(v) + " ", 7.0}
	case json.Number:
		n, _ := v.Int64()
		return []any{n + 1, n - 1, -1}
	case bool:
		return []any{!v}
	case nil:
		return []any{1}
	case []any:
		out := []any{append(slices.Clone(v), "x"), append(slices.Clone(v), 0), nil}
		if len(v) > 0 {
			out = append(out, v[:len(v)-1], v[1:], append(slices.Clone(v), v[0]))
		}
		if len(v) > 1 {
			swapped := slices.Clone(v)
			swapped[0], swapped[1] = swapped[1], swapped[0]
			out = append(out, swapped)
		}
		return out
	case map[string]any:
		more := maps.Clone(v)
		more["robust"] = true
		out := []any{more, nil}
		for k := range v {
			less := maps.Clone(v)
			delete(less, k)
			out = append(out, less)
		}
		return out
	}
	panic(fmt.Sprintf("a value of JSON is %T", v))
}

// everyChange calls f with each change of one value of a tree of JSON.
func everyChange(root any, f func(path string, changed any)) {
	var walk func(path string, v any, with func(any) any)
	walk = func(path string, v any, with func(any) any) {
		for i, m := range mutations(v) {
			f(fmt.Sprintf("%s, change %d", path, i), with(m))
		}
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), v[i], func(x any) any {
					out := slices.Clone(v)
					out[i] = x
					return with(out)
				})
			}
		case map[string]any:
			for k := range v {
				walk(path+"."+k, v[k], func(x any) any {
					out := maps.Clone(v)
					out[k] = x
					return with(out)
				})
			}
		}
	}
	walk("", root, func(x any) any { return x })
}

// manifests tries each change of each field of the manifest, with digests that are
// right: as other programs would write it and, where it is still a manifest, as check
// does.
func (g *forger) manifests(t *testing.T) {
	t.Helper()
	var root any
	dec := json.NewDecoder(strings.NewReader(g.original["manifest.json"]))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		t.Fatal(err)
	}
	n := 0
	everyChange(root, func(path string, changed any) {
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		n++
		forged := maps.Clone(g.original)
		m := &proof.Manifest{}
		if n%16 == 0 || json.Unmarshal(text, m) != nil { // the form decides all of these in one way
			forged["manifest.json"] = string(text)
			forged.sums()
			g.refused(t, path+", compact", forged)
			return
		}
		forged["manifest.json"] = string(manifestText(t, m))
		forged.sums()
		g.refused(t, path, forged)
	})
	// A reader that takes the last of two fields, or does not look at the case of
	// letters, would see another claim.
	for _, field := range []string{`"claim": "x",`, `"CLAIM": "x",`, `"unknown": 1,`} {
		forged := maps.Clone(g.original)
		forged["manifest.json"] = strings.Replace(forged["manifest.json"], "\n", "\n "+field+"\n", 1)
		forged.sums()
		g.refused(t, field, forged)
		forged["manifest.json"] = strings.Replace(g.original["manifest.json"], "\n}\n", ",\n "+strings.TrimSuffix(field, ",")+"\n}\n", 1)
		forged.sums()
		g.refused(t, field+" at the end", forged)
	}
	for _, what := range []string{" ", "\n", "{}", "\x00"} {
		forged := maps.Clone(g.original)
		forged["manifest.json"] += what
		forged.sums()
		g.refused(t, fmt.Sprintf("%q behind the manifest", what), forged)
	}
}

// printers are commands that make Z3 print the answer that is wanted, or none.
var printers = []string{
	"(echo \"unsat\")\n(exit)\n", "(echo \"unsat\") (exit)\n", "(exit)\n", "(push)\n(assert false)\n(check-sat)\n(exit)\n", "(check-sat)\n",
	"(set-option :regular-output-channel \"/dev/null\")\n", "(reset)\n(assert false)\n(check-sat)\n(exit)\n", "(eval \"unsat\")\n",
	"(include \"/dev/stdin\")\n", "(set-info :status unsat)\n", "; comment\n", "\n", "\r", "\"", "|", "(", ")",
}

// instance is an instance of a universal in the steps of a script.
var instance = regexp.MustCompile(`![0-9]+:[0-9]+ `)

// scripts tries changes of each script: of its first lines, of the rest, and of which
// script is where.
func (g *forger) scripts(t *testing.T) {
	t.Helper()
	var names []string
	for name := range g.original {
		if strings.HasSuffix(name, ".smt2") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	change := func(what, name, text string, flags ...string) {
		t.Helper()
		forged := maps.Clone(g.original)
		forged[name] = text
		forged.resigned(t)
		g.refused(t, name+": "+what, forged, flags...)
	}
	for n, name := range names {
		text := g.original[name]
		lines := strings.SplitAfter(text, "\n")
		body := strings.Join(lines[3:], "")
		for i, p := range printers {
			if n > 0 && i != n { // one script is like another
				continue
			}
			for _, flags := range [][]string{nil, {"-alone"}} {
				if flags == nil && i%3 > 0 { // the order of the checks is the same
					continue
				}
				what := fmt.Sprintf("%q %v", p, flags)
				change("before, "+what, name, p+text, flags...)
				change("behind, "+what, name, text+p, flags...)
				change("in the first line, "+what, name, strings.TrimSuffix(lines[0], "\n")+p+strings.Join(lines[1:], ""), flags...)
				change("as the first line, "+what, name, p+strings.Join(lines[1:], ""), flags...)
				change("as the second line, "+what, name, lines[0]+p+strings.Join(lines[2:], ""), flags...)
				change("as the third line, "+what, name, lines[0]+lines[1]+p+body, flags...)
				change("before the question, "+what, name, strings.Join(lines[:3], "")+p+body, flags...)
				change("in the question, "+what, name, strings.Replace(text, "(check-sat)", p+"(check-sat)", 1), flags...)
				if i == 0 {
					change("only the answer, "+what, name, strings.Join(lines[:3], "")+p, flags...)
				}
			}
		}
		for what, forged := range map[string]string{
			"without the steps":      lines[0] + lines[1] + "; steps: \n" + body,
			"other steps":            strings.Replace(text, "; steps: ", "; steps: u0:0 !0:0 ; ", 1),
			"fewer steps":            instance.ReplaceAllStringFunc(text, func(string) string { return "" }),
			"more space":             strings.Replace(text, "; steps: ", "; steps:  ", 1),
			"another question":       strings.Replace(text, "possible", "impossible", 1),
			"what is wanted":         strings.Replace(text, "(check-sat)", "(assert false)\n(check-sat)", 1),
			"another definition":     strings.Replace(text, "(check-sat)", "(define-fun more () Bool true)\n(check-sat)", 1),
			"less is stated":         strings.Join(lines[:4], "") + strings.Join(lines[5:], ""),
			"another order":          strings.Join(slices.Concat(lines[:4], lines[5:6], lines[4:5], lines[6:]), ""),
			"empty":                  "",
			"ends of lines of DOS":   strings.ReplaceAll(text, "\n", "\r\n"),
			"without the last line":  strings.TrimSuffix(text, "\n"),
			"without the question":   strings.Replace(text, "(check-sat)\n", "", 1),
			"a name that is another": strings.Replace(text, "|s0.", "|s1.", 1),
		} {
			if forged != text {
				change(what, name, forged)
			}
		}
		forged := maps.Clone(g.original)
		delete(forged, name)
		forged.sums()
		g.refused(t, name+" is removed", forged)
	}
	for i, a := range names {
		b := names[(i+1)%len(names)]
		forged := maps.Clone(g.original)
		forged[a], forged[b] = forged[b], forged[a]
		forged.resigned(t)
		g.refused(t, a+" and "+b+" are swapped", forged)
		forged.sums()
	}
	for name, text := range map[string]string{"q00000.smt2": "", "q99999.smt2": g.original["q00001.smt2"], "notes.txt": "", ".hidden": "", "q1.smt2": ""} {
		forged := maps.Clone(g.original)
		forged[name] = text
		forged.sums()
		g.refused(t, name+" is added", forged)
	}
}

// digests tries changes of SHA256SUMS.
func (g *forger) digests(t *testing.T) {
	t.Helper()
	lines := strings.SplitAfter(g.original["SHA256SUMS"], "\n")
	for what, text := range map[string]string{
		"empty": "", "another order": strings.Join(append(slices.Clone(lines[1:]), lines[0]), ""), "twice": strings.Join(append(slices.Clone(lines), lines...), ""),
		"a path": g.original["SHA256SUMS"] + sha("") + "  ../x\n", "upper case": strings.ToUpper(g.original["SHA256SUMS"]), "cut": lines[0],
	} {
		forged := maps.Clone(g.original)
		forged["SHA256SUMS"] = text
		g.refused(t, "SHA256SUMS: "+what, forged)
	}
}

// keptFact is a program whose proof needs a fact that a transaction keeps: parts are
// numbered below the counter, so that a new one is not the least.
const keptFact = `CREATE TABLE doc (id int PRIMARY KEY, next int NOT NULL);
CREATE TABLE part (doc int NOT NULL, no int NOT NULL, taken int NOT NULL, PRIMARY KEY (doc, no));
CREATE TABLE log (doc int PRIMARY KEY, taken int NOT NULL);
CREATE FUNCTION append(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int; t int;
BEGIN
  SELECT next INTO n FROM doc WHERE id = p;
  UPDATE doc SET next = n + 1 WHERE id = p;
  SELECT taken INTO t FROM log WHERE doc = p;
  INSERT INTO part VALUES (p, n, t);
END $$;
CREATE FUNCTION take(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT min(no) INTO n FROM part WHERE doc = p;
  IF n IS NULL THEN RAISE EXCEPTION 'none'; END IF;
  DELETE FROM part WHERE doc = p AND no = n;
  UPDATE log SET taken = n WHERE doc = p;
END $$;`

// transfer is a program whose proof needs neither facts nor certificates.
const transfer = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION transfer(a int, b int, n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - n WHERE id = a AND balance >= n;
  IF FOUND THEN UPDATE account SET balance = balance + n WHERE id = b; END IF;
END $$;
CREATE FUNCTION total(a int, b int) RETURNS int LANGUAGE sql AS $$ SELECT sum(balance)::int FROM account WHERE id = a OR id = b $$;`

// TestForgedProofs changes everything of proofs of all kinds, and makes the digests
// right again: each forgery is refused.
func TestForgedProofs(t *testing.T) {
	needsZ3(t)
	sql := func(name, text string) string {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "app.sql"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, c := range []struct {
		name, argument string
		args           []string
	}{
		{"graph", proof.ByGraph, []string{sql("graph", transfer)}},
		{"facts", proof.ByGraph, []string{sql("facts", keptFact)}},
		{"part", proof.ByGraph, []string{"-txn", "transfer", "-init", "empty", sql("part", transfer)}},
		{"certificate", proof.ByCertificate, []string{"-txn", "total", sql("certificate", transfer)}},
		{"executions", proof.ByExecutions, []string{testprog.Path(t, "litmus", "lost-update.litmus")}},
		{"classic", proof.ByExecutions, []string{"-classic", testprog.Path(t, "litmus", "fig2-modified-write-skew.litmus")}},
		{"processes", proof.ByGraph, []string{"-init", "any", testprog.Path(t, "litmus", "fig2-modified-write-skew.litmus")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := proved(t, c.args...)
			g := &forger{original: readFolder(t, dir), dir: filepath.Join(t.TempDir(), "forged")}
			if text := g.original["manifest.json"]; !strings.Contains(text, `"argument": "`+c.argument+`"`) {
				t.Fatalf("the argument is another one:\n%s", text)
			}
			if kept := strings.Contains(g.original["manifest.json"], `"needed": true`); kept != (c.name == "facts") {
				t.Fatal("the test has no proof with facts, or one too many")
			}
			if code, out, errs := commandLine(t, "proof", "verify", dir); code != exitOK {
				t.Fatalf("the proof itself is refused: %s%s", out, errs)
			}
			again := maps.Clone(g.original)
			if again.resigned(t); !maps.Equal(again, g.original) {
				t.Fatal("the test does not write manifests as check does, so that it shows nothing")
			}
			g.manifests(t)
			g.scripts(t)
			g.digests(t)
			t.Logf("%d forgeries", g.tried)
			if g.tried < 100 {
				t.Errorf("only %d forgeries", g.tried)
			}
		})
	}
}
