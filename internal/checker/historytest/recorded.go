package historytest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

const (
	// manifest is the list of a folder of recorded histories: a line for each, with
	// columns that are separated by tabs.
	manifest = "MANIFEST.tsv"
	// shipped is the folder of the sample, in that of the module.
	shipped = "testdata/histories/recorded"
	// shared is the folder of other projects' histories, beside the repository.
	shared = "shared/data/histories"
)

// Titles are those of the columns of a manifest.
const Titles = "path\tformat\tsource\ttxns\tsessions\tverdicts\tanomaly"

// Recorded is a history with what its list says about it.
type Recorded struct {
	// Path is that in the list, and File where it is: a file or a folder.
	Path, File string
	Format     codec.Format
	// Foreign is set of the histories of other projects.
	Foreign bool
	// Text are the verdicts as the list has them, sometimes in words.
	Text string
	// Levels are the verdicts that name a level. They are closed under implication.
	Levels map[isolation.Level]checker.Verdict
	// Anomaly says in words, or by its name in package isolation, what there is.
	Anomaly string
	// Polygraph is set of files of Cobra that have no operations, and cannot be read.
	Polygraph bool
}

// empty are foreign histories without a transaction, which is an error. What the list says is
// that of the same test case in another format.
var empty = []string{
	"weak/C4/testcase/viper/tap-a", "weak/C4/testcase/viper/tap-b",
	"weak/C4/testcase/viper/tap-c", "weak/C4/testcase/viper/tap-d",
}

// Letter is that of a test case of one of the fourteen patterns of C4, and empty for
// all other histories.
func (r Recorded) Letter() string {
	for _, c := range []string{"weak/C4/testcase/", "patterns/"} {
		if rest, ok := strings.CutPrefix(r.Path, c); ok {
			_, name, _ := strings.Cut(rest, "/")
			return strings.TrimPrefix(name, "tap-")[:1]
		}
	}
	return ""
}

// Read reads the history.
func (r Recorded) Read(t testing.TB) *history.History {
	t.Helper()
	h, _, err := codec.Read(t.Context(), []string{r.File}, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Only tells whether all keys of a history are of these types: a checker does not judge all.
func Only(h *history.History, types ...history.Type) bool {
	for k := range history.Key(h.NumKeys()) {
		if !slices.Contains(types, h.Type(k)) {
			return false
		}
	}
	return true
}

// Least is how many cases a test must at least have: so many of the sample, and so many with
// the histories of other projects.
func Least(sample, all int) int {
	if sharedFolder() != "" {
		return all
	}
	return sample
}

// upwards gives the first folder from that of the test upwards for which is holds.
func upwards(is func(dir string) bool) string {
	for up := "."; len(up) < 30; up = filepath.Join(up, "..") {
		if is(up) {
			return up
		}
	}
	return ""
}

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

// SampleFolder is where the sample of recorded histories is.
func SampleFolder() string {
	return filepath.Join(upwards(func(dir string) bool { return exists(dir, "go.mod") }), filepath.FromSlash(shipped))
}

// sharedFolder is where the histories of other projects are, or empty.
func sharedFolder() string {
	if up := upwards(func(dir string) bool { return exists(dir, shared, manifest) }); up != "" {
		return filepath.Join(up, filepath.FromSlash(shared))
	}
	return ""
}

// Recordings gives the recorded histories that there are: the sample, and those of other
// projects where they are beside the repository.
func Recordings(t testing.TB) []Recorded {
	t.Helper()
	out := Sample(t)
	if sharedFolder() != "" {
		out = slices.Concat(out, foreign(t))
	} else {
		t.Logf("%s is not beside the repository: the sample alone", shared)
	}
	return out
}

// Sample gives the histories of the sample.
func Sample(t testing.TB) []Recorded {
	t.Helper()
	return must(t, sampleList)
}

// foreign gives the histories of other projects, where they are.
func foreign(t testing.TB) []Recorded {
	t.Helper()
	return must(t, sharedList)
}

func must(t testing.TB, list func() ([]Recorded, error)) []Recorded {
	t.Helper()
	out, err := list()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The lists are read once.
var (
	sampleList = sync.OnceValues(func() ([]Recorded, error) { return readList(SampleFolder(), false) })
	sharedList = sync.OnceValues(func() ([]Recorded, error) { return readList(sharedFolder(), true) })
)

// readList reads the list of a folder.
func readList(folder string, foreign bool) ([]Recorded, error) {
	name := filepath.Join(folder, manifest)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []Recorded
	seen := map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines[1:] {
		c := strings.Split(line+"\t", "\t")
		if len(c) < 7 {
			return nil, fmt.Errorf("%s:%d:1: a line must have 6 or 7 columns, but has %d", name, i+2, len(c)-1)
		}
		r := Recorded{Path: c[0], Foreign: foreign, Text: c[5], Anomaly: c[6]}
		if c[1] == "viper-jsonl" {
			r.Path = filepath.Dir(r.Path) // the sessions of one history are listed one by one
		}
		if seen[r.Path] || slices.Contains(empty, r.Path) {
			continue
		}
		seen[r.Path] = true
		r.File = filepath.Join(folder, filepath.FromSlash(r.Path))
		if r.Format, r.Polygraph, err = formatOf(c[1]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		if r.Levels, err = verdicts(r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no histories", name)
	}
	return out, nil
}

// formatOf translates the names of formats, of which the list of other projects' histories
// has two that package codec does not know.
func formatOf(name string) (f codec.Format, polygraph bool, err error) {
	switch name {
	case "cobra-polyg":
		return codec.Guess, true, nil
	case "elle-edn-list-append":
		return codec.EDN, false, nil
	}
	f, err = codec.ParseFormat(name)
	return f, false, err
}

// verdict is one of the list that names a level.
var verdict = regexp.MustCompile(`(?:^|[ ;])([A-Za-z][A-Za-z0-9.+-]*)=(ok|VIOL|ACCEPT|REJECT)\b`)

// verdicts gives what the list says about levels, and what follows from it.
func verdicts(r Recorded) (map[isolation.Level]checker.Verdict, error) {
	out := map[isolation.Level]checker.Verdict{}
	for _, m := range verdict.FindAllStringSubmatch(r.Text, -1) {
		l, err := isolation.ParseLevel(m[1])
		if err != nil {
			return nil, err
		}
		satisfied := m[2] == "ok" || m[2] == "ACCEPT"
		for _, other := range isolation.Levels() {
			v := checker.Satisfied
			if !satisfied {
				v = checker.Violated
			}
			if satisfied && !l.Implies(other) || !satisfied && !other.Implies(l) {
				continue
			}
			if had, ok := out[other]; ok && had != v {
				return nil, fmt.Errorf("%s: the verdicts %q contradict each other about %s", r.Path, r.Text, other)
			}
			out[other] = v
		}
	}
	return out, nil
}

// Foreign gives the history of another project that a claim is about. The test is skipped
// where these are not: the claim is about no other history.
func Foreign(t testing.TB, path string) Recorded {
	t.Helper()
	if sharedFolder() == "" {
		t.Skipf("this is about %s/%s, which is not here", shared, path)
	}
	return named(t, foreign(t), path)
}

// Named gives a history by its path: one of the sample, or else of another project, as
// Foreign does.
func Named(t testing.TB, path string) Recorded {
	t.Helper()
	if strings.HasPrefix(path, "strong/") || strings.HasPrefix(path, "weak/") {
		return Foreign(t, path)
	}
	return named(t, Sample(t), path)
}

func named(t testing.TB, list []Recorded, path string) Recorded {
	t.Helper()
	i := slices.IndexFunc(list, func(r Recorded) bool { return r.Path == path })
	if i < 0 {
		t.Fatalf("no list has %s", path)
	}
	return list[i]
}
