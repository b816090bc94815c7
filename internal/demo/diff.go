package demo

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// lineDiff shows how the lines of one text become those of another one, with two lines
// around each change, or gives "".
func lineDiff(old, text string) string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(text, "\n")
	var out strings.Builder
	for _, group := range difflib.NewMatcher(a, b).GetGroupedOpCodes(2) {
		if out.Len() > 0 {
			out.WriteString(" …\n")
		}
		for _, op := range group {
			if op.Tag == 'e' {
				marked(&out, ' ', a[op.I1:op.I2])
				continue
			}
			marked(&out, '-', a[op.I1:op.I2])
			marked(&out, '+', b[op.J1:op.J2])
		}
	}
	return strings.Trim(strings.ReplaceAll("\n"+out.String(), "\n \n", "\n\n"), "\n")
}

// marked writes lines with a mark before each of them.
func marked(out *strings.Builder, mark byte, lines []string) {
	for _, l := range lines {
		if l != "" {
			out.WriteString(string(mark) + strings.TrimSuffix(l, "\n") + "\n")
		}
	}
}
