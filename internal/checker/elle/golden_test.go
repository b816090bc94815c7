package elle

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

var update = flag.Bool("update", false, "write the results that the tests expect")

// TestGolden checks the histories in testdata/anomalies.txtar: name.edn is a
// history, and name.txt what is found. A name that begins with "linearizable"
// is checked with that option.
func TestGolden(t *testing.T) {
	const file = "testdata/anomalies.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]string{}
	var out txtar.Archive
	out.Comment = archive.Comment
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".txt"); ok {
			results[name] = string(f.Data)
		}
	}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".edn")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			h, _, err := codec.Decode(t.Context(), bytes.NewReader(f.Data), f.Name, codec.Options{Format: codec.EDN, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Check(t.Context(), h, Options{LinearizableKeys: strings.HasPrefix(name, "linearizable")})
			if err != nil {
				t.Fatal(err)
			}
			got := printed(r)
			if got != results[name] && !*update {
				t.Errorf("got\n%swant\n%s", got, results[name])
			}
			out.Files = append(out.Files, f, txtar.File{Name: name + ".txt", Data: []byte(got)})
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(&out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func printed(r *Result) string {
	var b strings.Builder
	var of [3][]isolation.Level
	for _, a := range r.Answers {
		of[a.Verdict] = append(of[a.Verdict], a.Level)
	}
	fmt.Fprintf(&b, "strongest satisfied: %v\nweakest violated: %v\nunknown: %v\n",
		isolation.Strongest(of[checker.Satisfied]), isolation.Weakest(of[checker.Violated]), of[checker.Unknown])
	for _, a := range r.Anomalies {
		fmt.Fprintf(&b, "\n%s", a.Kind)
		if a.Form != a.Kind {
			fmt.Fprintf(&b, " (%s)", a.Form)
		}
		fmt.Fprintf(&b, "\n%s\n", a.Text)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\nNote: %s\n", n)
	}
	return b.String()
}
