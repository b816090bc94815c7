package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/input"
)

// Mentions reports whether some file has the word in it.
func (l *Schema) Mentions(word string) bool {
	return slices.ContainsFunc(l.Files, func(f input.File) bool { return strings.Contains(strings.ToLower(f.Text), word) })
}
