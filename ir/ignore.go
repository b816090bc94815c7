package ir

import (
	"regexp"
	"strings"
)

// Ignore says that findings are accepted: those that have to do with the part of
// the source from From to To, which includes both ends. Code restricts it to one
// code of package report, unless it is "".
type Ignore struct {
	Pos    Pos // of the comment
	Code   string
	Reason string
	From   Pos
	To     Pos
}

// Covers reports whether a place lies in the part of the source.
func (g *Ignore) Covers(p Pos) bool {
	return p.File == g.From.File && !before(p, g.From) && !before(g.To, p)
}

func before(p, q Pos) bool { return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col }

var ignoreCode = regexp.MustCompile(`^RB[0-9]+$`)

// NewIgnore reads what follows the word ignore in a comment at pos: a reason,
// with a code before it or not.
func NewIgnore(pos Pos, rest string) (*Ignore, error) {
	g := &Ignore{Pos: pos}
	words := strings.Fields(rest)
	if len(words) > 0 && ignoreCode.MatchString(words[0]) {
		g.Code, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return nil, Errorf(pos, "a finding is ignored for a reason; write it behind the word ignore")
	}
	g.Reason = strings.Join(words, " ")
	return g, nil
}
