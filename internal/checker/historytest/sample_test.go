package historytest_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

var update = flag.Bool("update", false, "make the sample of recorded histories anew, and record those of servers again")

// piece is a history of the sample.
type piece struct {
	path    string // in the sample: a file or a folder
	format  codec.Format
	source  string
	anomaly string
	// promise says which levels the history satisfies by its construction, if it is too
	// large for the definitions. What was planted in it is on keys of their own.
	promise *promise
	// save writes the history to a path. It is nil if a server gave it.
	save func(t *testing.T, to string)
}

// promise is the level of the database, and the keys of what was planted.
type promise struct {
	level   isolation.Level
	planted []history.Name
}

// pieces are all histories of the sample.
func pieces(t *testing.T) []piece {
	return slices.Concat(handwritten(), patterns(t), levels(t), lists(t), outcomes(t), large(t), recordings())
}

// row is the line of the manifest about a piece, which is at file: the verdicts come from
// what is read there.
func (p piece) row(t *testing.T, file string) string {
	t.Helper()
	h, f, err := codec.Read(t.Context(), []string{file}, codec.Options{})
	if err != nil {
		t.Fatalf("%s: %v", p.path, err)
	}
	if f != p.format {
		t.Errorf("%s is taken for %s, but it is %s", p.path, f, p.format)
	}
	var words []string
	for _, l := range brute.Levels() {
		if v := p.verdict(t, h, l); v != checker.Unknown && (!l.NeedsRealTime() || h.Order() != history.NoOrder) {
			words = append(words, fmt.Sprintf("%s=%s", l, word(l, v)))
		}
	}
	if len(words) == 0 {
		t.Errorf("%s has no verdict", p.path)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s\t%s", p.path, p.format, p.source, h.NumTxns()-1, h.NumSessions(), strings.Join(words, " "), p.anomaly)
}

// word is a verdict as manifests have it.
func word(l isolation.Level, v checker.Verdict) string {
	words := []string{"ACCEPT", "REJECT"}
	if isolation.CC.Implies(l) && l.NeedsSessions() {
		words = []string{"ok", "VIOL"}
	}
	return words[map[checker.Verdict]int{checker.Satisfied: 0, checker.Violated: 1}[v]]
}

// verdict is that of the definitions. Of a large history only what was planted is small
// enough for them: its transactions are in sessions and on keys of their own, so that the
// history violates a level if they do, and satisfies it if they do and the database has it.
func (p piece) verdict(t *testing.T, h *history.History, l isolation.Level) checker.Verdict {
	t.Helper()
	if p.promise == nil {
		return defined(t, h, l)
	}
	v := defined(t, project(t, h, p.promise.planted), l)
	if v == checker.Satisfied && !p.promise.level.Implies(l) {
		return checker.Unknown
	}
	return v
}

// defined is the verdict by definition.
func defined(t *testing.T, h *history.History, l isolation.Level) checker.Verdict {
	t.Helper()
	r, err := brute.Check(t.Context(), h, brute.Options{Levels: []isolation.Level{l}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict(l) == checker.Unknown {
		t.Fatalf("the definitions do not decide %s: %s", l, r.Answer(l).Why)
	}
	return r.Verdict(l)
}

// project gives the transactions of a history that have one of the keys: they must have no
// others.
func project(t *testing.T, h *history.History, keys []history.Name) *history.History {
	t.Helper()
	b := history.NewBuilder()
	b.SetOrder(h.Order())
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for txn, end := h.Txns(s); txn < end; txn++ {
			first, end := h.Ops(txn)
			in := 0
			for o := first; o < end; o++ {
				if slices.Contains(keys, h.KeyName(h.Key(o))) {
					in++
				}
			}
			if in == 0 {
				continue
			}
			if in != int(end-first) {
				t.Fatalf("transaction %d has keys that were planted, and others", txn)
			}
			c := b.Txn(session, h.Status(txn))
			if h.Order() != history.NoOrder {
				b.SetBegin(c, h.Begin(txn))
				b.SetEnd(c, h.End(txn))
			}
			for o := first; o < end; o++ {
				b.Op(h.Kind(o), b.Key(h.KeyName(h.Key(o))), value(b, h, h.Value(o)))
			}
		}
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func value(b *history.Builder, h *history.History, v history.Value) history.Value {
	if v == history.NoValue || v == history.Initial {
		return v
	}
	return b.Value(h.ValueName(v))
}

// saved writes with the writers of package codec.
func saved(h *history.History, f codec.Format) func(t *testing.T, to string) {
	return func(t *testing.T, to string) {
		t.Helper()
		if _, err := codec.Save(t.Context(), to, h, f); err != nil {
			t.Fatalf("%s: %v", to, err)
		}
	}
}

// printed writes a text.
func printed(text string) func(t *testing.T, to string) {
	return func(t *testing.T, to string) {
		t.Helper()
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSample makes all of the sample again that no server gave, and asks for all verdicts
// again: the sample has just these files, and its manifest these lines.
func TestSample(t *testing.T) {
	sample, fresh := historytest.SampleFolder(), t.TempDir()
	rows := []string{historytest.Titles}
	of := map[string]bool{} // the files
	for _, p := range pieces(t) {
		to, at := filepath.Join(fresh, filepath.FromSlash(p.path)), filepath.Join(sample, filepath.FromSlash(p.path))
		if p.save == nil {
			of[p.path] = true
			rows = append(rows, p.row(t, at))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		p.save(t, to)
		for _, name := range filesBelow(t, to) {
			of[path.Join(p.path, name)] = true
			same(t, filepath.Join(to, name), filepath.Join(at, name))
		}
		rows = append(rows, p.row(t, to))
	}
	list := filepath.Join(fresh, "MANIFEST.tsv")
	of["MANIFEST.tsv"] = true
	printed(strings.Join(rows, "\n")+"\n")(t, list)
	same(t, list, filepath.Join(sample, "MANIFEST.tsv"))
	for _, name := range filesBelow(t, sample) {
		if of[name] {
			continue
		}
		if *update {
			os.Remove(filepath.Join(sample, name))
		} else {
			t.Errorf("%s is not of the sample; -update removes it", filepath.Join(sample, name))
		}
	}
}

// filesBelow gives the files of a folder, or nothing but a dot for a file.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		out = append(out, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// same compares two files. With -update the second becomes the first.
func same(t *testing.T, fresh, kept string) {
	t.Helper()
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
			t.Fatal(err)
		}
		printed(string(want))(t, kept)
		return
	}
	if got, err := os.ReadFile(kept); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what it was made from (error %v); -update makes it anew", kept, err)
	}
}

// TestSampleCovers: every format has histories that satisfy each level of registers, and
// others that violate it; the levels with real time have both, too, and the sample is small.
func TestSampleCovers(t *testing.T) {
	type question struct {
		format  codec.Format
		level   isolation.Level
		verdict checker.Verdict
	}
	has := map[question]int{}
	for _, r := range historytest.Sample(t) {
		for l, v := range r.Levels {
			has[question{r.Format, l, v}]++
		}
	}
	for _, name := range codec.Names(false) {
		for _, l := range brute.Levels() {
			f := codec.Format(name)
			if l.NeedsRealTime() && f != codec.EDN && f != codec.Compact && f != codec.Chronos {
				continue
			}
			for _, v := range []checker.Verdict{checker.Satisfied, checker.Violated} {
				if has[question{f, l, v}] == 0 {
					t.Errorf("no history in %s about which %s is %s", f, l, v)
				}
			}
		}
	}
	const most = 600_000
	size := 0
	for _, name := range filesBelow(t, historytest.SampleFolder()) {
		info, err := os.Stat(filepath.Join(historytest.SampleFolder(), name))
		if err != nil {
			t.Fatal(err)
		}
		size += int(info.Size())
	}
	t.Logf("%d bytes", size)
	if size > most {
		t.Errorf("the sample has %d bytes, and should have %d at most", size, most)
	}
}
