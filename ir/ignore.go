package ir

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
