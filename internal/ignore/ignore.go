// Package ignore reads the comments that accept findings.
package ignore

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

var ignoreCode = regexp.MustCompile(`^RB[0-9]+$`)

// Parse reads what follows the word ignore in a comment at pos: a reason,
// with a code before it or not.
func Parse(pos ir.Pos, rest string) (*ir.Ignore, error) {
	g := &ir.Ignore{Pos: pos}
	words := strings.Fields(rest)
	if len(words) > 0 && ignoreCode.MatchString(words[0]) {
		g.Code, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return nil, ir.Errorf(pos, "a finding is ignored for a reason; write it behind the word ignore")
	}
	g.Reason = strings.Join(words, " ")
	return g, nil
}
