package demo

import (
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// width is that of a terminal.
const width = 80

// pad fills a text up to n columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-quote.Columns(s)))
}

// clean is a text of a file without what a terminal would not print.
func clean(s string) string { return quote.Line(strings.ReplaceAll(s, "\t", "    ")) }
