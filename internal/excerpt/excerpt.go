// Package excerpt shows the line of the source that an error or a finding is about.
package excerpt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// width is how much of a line an excerpt shows.
const width = 68

// Of gives the line of the source that an error is about, with a caret below its
// place, or "" where the error has no place in a file of at most limit bytes.
func Of(err error, limit int64) string {
	if e, ok := errors.AsType[*ir.Error](err); ok {
		return At(e.Pos, limit)
	}
	return ""
}

// At gives the line of the source at a place, with a caret below it, or "" where that is not in a
// file of at most limit bytes.
func At(pos ir.Pos, limit int64) string {
	if pos.Line < 1 || pos.Col < 1 {
		return ""
	}
	text, unread := infile.Read(context.Background(), pos.File, limit, "")
	lines := strings.Split(string(text), "\n")
	if unread != nil || pos.Line > len(lines) {
		return ""
	}
	line := strings.TrimSuffix(lines[pos.Line-1], "\r")
	start, ok := Start(pos.File, line, pos.Col)
	if !ok {
		return ""
	}
	tabs := strings.NewReplacer("\t", "    ")
	before, after := []rune(quote.Line(tabs.Replace(line[:start]))), quote.Line(tabs.Replace(line[start:]))
	if len(before) > width/2 { // a long line is shown around the place
		before = append([]rune("… "), before[len(before)-width/2:]...)
	}
	shown := []rune(string(before) + after)
	if len(shown) > width {
		shown = append(shown[:width-1], '…')
	}
	number := fmt.Sprintf("%5d", pos.Line)
	return fmt.Sprintf("%s | %s\n%s | %s^\n", number, string(shown), strings.Repeat(" ", utf8.RuneCountInString(number)), strings.Repeat(" ", len(before)))
}

// Start gives the byte at which a column of a line begins, and false where the line is shorter.
// Columns begin at 1. They count characters, but bytes in files of Go, as its tools do.
func Start(file, line string, col int) (int, bool) {
	if filepath.Ext(file) == ".go" {
		for col > 1 && col <= len(line) && !utf8.RuneStart(line[col-1]) {
			col--
		}
		return col - 1, col >= 1 && col <= len(line)+1
	}
	n := 1
	for i := range line {
		if n == col {
			return i, true
		}
		n++
	}
	return len(line), n == col
}
