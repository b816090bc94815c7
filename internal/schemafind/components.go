package schemafind

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// isComponent reports whether a candidate is another part of the schema that was chosen in a module: the parts of a program keep their
// migrations in directories beside each other, by the same tool, and none makes a table of another one.
func isComponent(chosen []Candidate, c *Candidate) bool {
	if len(chosen) == 0 || c.Kind == Sqlc || c.Kind == Named || c.Kind == GoStrings {
		return false
	}
	own := tablesOf(c)
	for _, o := range chosen {
		if o.Kind != c.Kind || o.Embedded != c.Embedded || filepath.Dir(o.Path) != filepath.Dir(c.Path) ||
			slices.ContainsFunc(tablesOf(&o), func(t string) bool { return slices.Contains(own, t) }) {
			return false
		}
	}
	return len(own) > 0
}

var madeTable = regexp.MustCompile(`(?i)\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w."]+)`)

// tablesOf gives the names of the tables that a candidate makes.
func tablesOf(c *Candidate) []string {
	var out []string
	for _, f := range c.Files {
		for _, m := range madeTable.FindAllStringSubmatch(bare(f.Text), -1) {
			out = append(out, strings.ToLower(strings.ReplaceAll(m[1], `"`, "")))
		}
	}
	return out
}
