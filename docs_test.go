package robust_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link matches the target of a link of Markdown, without a heading in it.
var link = regexp.MustCompile(`\]\(([^)#\s]+)`)

// TestDocs: docs/README.md lists every page, and what pages link to is there.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		if filepath.Dir(page) == "docs" && name != "README.md" && !strings.Contains(string(index), "* `"+name+"`") {
			t.Errorf("docs/README.md does not list %s", name)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
	if links == 0 {
		t.Error("no page links to another one")
	}
}
