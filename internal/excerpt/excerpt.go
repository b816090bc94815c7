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
	before, after := quote.Line(tabs.Replace(line[:start])), quote.Line(tabs.Replace(line[start:]))
	if quote.Columns(before) > width/2 { // a long line is shown around the place
		for quote.Columns(before) > width/2 {
			_, size := utf8.DecodeRuneInString(before)
			before = before[size:]
		}
		before = "… " + before
	}
	number := fmt.Sprintf("%5d", pos.Line)
	return fmt.Sprintf("%s | %s\n%s | %s^\n", number, quote.Clip(before+after, width), strings.Repeat(" ", len(number)), strings.Repeat(" ", quote.Columns(before)))
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

// largest is the size in bytes of the largest file of Go that Characters reads.
const largest = 64 << 20

// Characters gives a function by which columns count characters in all files, as SARIF wants it: col
// is that of a place in a file, the result is the column in characters from 1, or 0 where the line
// cannot be read. The function reads each file once.
func Characters() func(file string, line, col int) int {
	read := map[string][]string{}
	return func(file string, line, col int) int {
		if filepath.Ext(file) != ".go" {
			return col
		}
		lines, ok := read[file]
		if !ok {
			if text, unread := infile.Read(context.Background(), file, largest, ""); unread == nil {
				lines = strings.Split(string(text), "\n")
			}
			read[file] = lines
		}
		if line < 1 || line > len(lines) {
			return 0
		}
		start, ok := Start(file, lines[line-1], col)
		if !ok {
			return 0
		}
		return utf8.RuneCountInString(lines[line-1][:start]) + 1
	}
}
