package codec

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dataFolder has recorded histories of other projects, with their verdicts. It
// is not part of this project.
const dataFolder = "../../../shared/data/histories"

// recorded is a line of the manifest of dataFolder.
type recorded struct{ path, format string }

func manifest(t testing.TB) []recorded {
	f, err := os.Open(filepath.Join(dataFolder, "MANIFEST.tsv"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no recorded histories in %s", dataFolder)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recorded
	s := bufio.NewScanner(f)
	s.Scan() // the titles
	for s.Scan() {
		fields := strings.Split(s.Text(), "\t")
		out = append(out, recorded{fields[0], fields[1]})
	}
	if s.Err() != nil || len(out) == 0 {
		t.Fatalf("%d histories, error %v", len(out), s.Err())
	}
	return out
}

// formatOf translates the manifest's names.
var formatOf = map[string]Format{
	"plume-text": Plume, "polysi-text": Plume, "awdit-test": AWDIT, "dbcop-bincode": Dbcop, "cobra-log": Cobra,
	"viper-json": Viper, "viper-jsonl": Viper, "jepsen-edn": EDN, "elle-edn-list-append": EDN,
	"jepsen-json": ElleJSON, "jepsen-log": JepsenLog,
}

// TestRecorded reads every history of the manifest, and finds its format.
func TestRecorded(t *testing.T) {
	for _, r := range manifest(t) {
		path := filepath.Join(dataFolder, r.path)
		h, f, err := Read(t.Context(), []string{path}, Options{})
		if r.format == "cobra-polyg" {
			if err == nil || !strings.Contains(err.Error(), "polygraph") {
				t.Errorf("%s: error %v, expected that it is a polygraph", r.path, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s (%s): %v", r.path, r.format, err)
			continue
		}
		if f != formatOf[r.format] {
			t.Errorf("%s: taken for %s, but it is %s", r.path, f, r.format)
		}
		if err := h.Check(); err != nil {
			t.Errorf("%s: %v", r.path, err)
		}
	}
}
