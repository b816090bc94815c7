package historytest

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// dataFolder gives the folder of recorded histories with verdicts, which is beside the
// repository: it is looked for from the folder of the test upwards.
func dataFolder() string {
	const folder = "shared/data/histories"
	for up := ".."; len(up) < 30; up = filepath.Join(up, "..") {
		if found := filepath.Join(up, folder); isFolder(found) {
			return found
		}
	}
	return folder
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Recorded is a history with what its list says about it.
type Recorded struct{ Path, Verdicts, Anomaly string }

// strong are the verdicts of the list about SI and SER.
var strong = regexp.MustCompile(`\b(SI|SER)=(ACCEPT|REJECT)\b`)

// empty are histories without a transaction: what the list says is that of the same
// test case in another format.
var empty = map[string]bool{
	"weak/C4/testcase/viper/tap-a": true, "weak/C4/testcase/viper/tap-b": true,
	"weak/C4/testcase/viper/tap-c": true, "weak/C4/testcase/viper/tap-d": true,
}

// Strong gives what the list says about SI and SER. A history that violates a weak level
// violates these.
func (r Recorded) Strong() map[isolation.Level]checker.Verdict {
	want := map[isolation.Level]checker.Verdict{}
	for _, m := range strong.FindAllStringSubmatch(r.Verdicts, -1) {
		l, verdict := isolation.SI, checker.Violated
		if m[1] == "SER" {
			l = isolation.SER
		}
		if m[2] == "ACCEPT" {
			verdict = checker.Satisfied
		}
		want[l] = verdict
	}
	for _, weak := range []string{"RC=VIOL", "RA=VIOL", "CC=VIOL"} {
		if strings.Contains(r.Verdicts, weak) && !empty[r.Path] && !strings.Contains(r.Path, "/elle/") {
			want[isolation.SI], want[isolation.SER] = checker.Violated, checker.Violated
		}
	}
	return want
}

// Recordings gives the list of recorded histories. The test is skipped where there
// are none.
func Recordings(t testing.TB) []Recorded {
	t.Helper()
	f, err := os.Open(filepath.Join(dataFolder(), "MANIFEST.tsv"))
	if err != nil {
		t.Skipf("there are no recorded histories here: %v", err)
	}
	defer f.Close()
	var out []Recorded
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		if c[0] == "path" {
			continue
		}
		r := Recorded{Path: c[0], Verdicts: c[5]}
		if len(c) > 6 {
			r.Anomaly = c[6]
		}
		if strings.HasPrefix(c[1], "viper-jsonl") {
			r.Path = filepath.Dir(r.Path) // the sessions of one history are listed one by one
		}
		if !seen[r.Path] {
			seen[r.Path] = true
			out = append(out, r)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// RecordedFile gives where a recorded history is. The test is skipped where it is not.
func RecordedFile(t testing.TB, path string) string {
	t.Helper()
	file := filepath.Join(dataFolder(), path)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("there are no recorded histories here: %v", err)
	}
	return file
}

// ReadRecorded reads a recorded history.
func ReadRecorded(t testing.TB, path string) *history.History {
	t.Helper()
	h, _, err := codec.Read(t.Context(), []string{RecordedFile(t, path)}, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}
