package rooms_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/rooms"
)

// onlyTests are packages that no product imports: the picture leaves them out.
var onlyTests = []string{"internal/mutation", "internal/rooms", "internal/golden", "internal/testprog", "internal/replaytest", "internal/schematest", "internal/gogen",
	"internal/progen", "internal/pgtest", "internal/mariatest", "internal/sqlgen", "internal/sqlgen/compare", "internal/checker/historytest",
	"internal/checker/definitions", "internal/checker/simdb", "internal/fieldnotes"}

const tableHead = `# Packages

From those that use all others to those that use none: a package imports only packages below it. What only tests use is left out.
[packages.svg](packages.svg) is the picture of the imports, without those that follow from others. Both are written by
` + "`go test ./internal/rooms -run TestPicture -update`" + `.

`

// TestPicture: docs/packages.md and docs/packages.dot show the packages as they are, and every package says what
// it is for.
func TestPicture(t *testing.T) {
	var shown []*rooms.Room
	for _, r := range rooms.Picture(load(t, "../.."), module) {
		if slices.Contains(onlyTests, r.Name) {
			continue
		}
		if r.Charter == "" {
			t.Errorf("package %s does not say what it is for", r.Title())
		}
		shown = append(shown, r)
	}
	golden.Compare(t, "../../docs/packages.md", tableHead+rooms.Table(shown))
	dot := rooms.Dot(shown)
	before, _ := os.ReadFile("../../docs/packages.dot")
	golden.Compare(t, "../../docs/packages.dot", dot)
	if string(before) == dot || t.Failed() {
		return
	}
	draw := exec.Command("dot", "-Tsvg", "-o", "../../docs/packages.svg")
	draw.Stdin = strings.NewReader(dot)
	if out, err := draw.CombinedOutput(); err != nil {
		t.Fatalf("dot: %v\n%s", err, out)
	}
}

// TestPictureOfModule draws a small module.
func TestPictureOfModule(t *testing.T) {
	shown := []*rooms.Room{{Name: "", Imports: []string{"a", "b"}}, {Name: "a", Imports: []string{"b"}}, {Name: "b"}}
	dot := rooms.Dot(shown)
	if !strings.Contains(dot, `"robust" -> "a"`) || !strings.Contains(dot, `"a" -> "b"`) || strings.Contains(dot, `"robust" -> "b"`) {
		t.Errorf("an import that follows from others must be left out, and no other one:\n%s", dot)
	}
}
