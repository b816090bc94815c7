package rooms_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/rooms"
)

const tableHead = `# Packages

From those that use all others to those that use none: a package imports only packages below it. What only tests use is left out.
[packages.svg](packages.svg) is the picture of the imports, without those that follow from others. Both are written by
` + "`go test ./internal/rooms -run TestPicture -update`" + `.

`

// TestPicture: docs/packages.md and docs/packages.dot show the packages as they are, and every package says what
// it is for.
func TestPicture(t *testing.T) {
	shown := rooms.Product(rooms.Picture(load(t, "../.."), module))
	for _, r := range shown {
		if r.Charter == "" {
			t.Errorf("package %s does not say what it is for", r.Title())
		}
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

// TestProduct: what only tests import is no part of the product.
func TestProduct(t *testing.T) {
	all := []*rooms.Room{{Name: "cmd", Imports: []string{"internal/a"}}, {Name: "internal/tests", Imports: []string{"internal/b"}}, {Name: "internal/a"}, {Name: "internal/b"}}
	if shown := rooms.Product(all); len(shown) != 2 || shown[0] != all[0] || shown[1] != all[2] {
		t.Errorf("cmd and internal/a are the product, not %v", shown)
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
