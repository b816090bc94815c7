package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// entry is a program of the list.
type entry struct {
	dir, module, commit string
	patterns            []string
	group               string
}

// name is what the table calls the program.
func (e *entry) name() string { return strings.TrimPrefix(e.module, "github.com/") }

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// parse reads a list, and looks whether the modules are there.
func parse(file, text string) ([]*entry, error) {
	var out []*entry
	group := ""
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			group = line[1 : len(line)-1]
			continue
		}
		words := strings.Fields(line)
		if len(words) < 3 {
			return nil, fmt.Errorf("%s:%d: a program needs a folder, the path of its module and a commit", file, n)
		}
		e := &entry{dir: words[0], module: words[1], commit: words[2], patterns: words[3:], group: group}
		if !filepath.IsAbs(e.dir) {
			e.dir = filepath.Join(filepath.Dir(file), e.dir)
		}
		if len(e.patterns) == 0 {
			e.patterns = []string{"./..."}
		}
		mod, err := os.ReadFile(filepath.Join(e.dir, "go.mod"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if m := moduleLine.FindStringSubmatch(string(mod)); m == nil || m[1] != e.module {
			return nil, fmt.Errorf("%s:%d: the module in %s is not %s", file, n, e.dir, e.module)
		}
		out = append(out, e)
	}
	return out, nil
}
