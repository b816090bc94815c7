package summary

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// explanation is the argument of a proof pair by pair, and what was tried for a verdict.
func (m *markdown) explanation(e *report.Explanation, robust bool) {
	var pairs []string
	for i := range e.Pairs {
		pairs = append(pairs, m.group(&e.Pairs[i]))
	}
	if robust { // what was searched is for -explain alone
		m.line("")
		m.line("%s", quote.Markdown(e.Summary+"."))
	}
	m.items("Pair by pair", pairs)
	var facts []string
	for _, f := range e.Facts {
		kept := "no transaction writes what it is about"
		if len(f.Keeps) > 0 {
			kept = "kept by " + quote.And(f.Keeps)
		}
		facts = append(facts, f.Text+" ("+kept+")")
	}
	m.list("Facts about rows", facts)
	var advice []string
	for i := range e.Advice {
		advice = append(advice, m.advice(&e.Advice[i]))
	}
	m.items("What to do, as it was tried", advice)
}

// maxPairs bounds the pairs of a group that are listed.
const maxPairs = 6

// group is a reason with its pairs and what it needs, as an item with a list.
func (m *markdown) group(g *report.PairGroup) string {
	lines := []string{"**" + quote.Markdown(g.Sentence()) + ".**"}
	if g.Kind != codes.PairApart {
		for i := range g.Pairs[:min(len(g.Pairs), maxPairs)] {
			lines = append(lines, "  - "+quote.Markdown(g.Pairs[i].String()))
		}
		if n := len(g.Pairs) - maxPairs; n > 0 {
			lines = append(lines, "  - … and "+quote.Count(n, "other pair"))
		}
	}
	for _, n := range g.Needs {
		lines = append(lines, "  - needs: "+quote.Markdown(n))
	}
	return strings.Join(lines, "\n")
}

// advice is what was tried with its result, as an item with the lines to paste.
func (m *markdown) advice(a *report.Advice) string {
	at := ""
	if p := a.Position; p != nil {
		at = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Col)
	}
	item := quote.Markdown(fmt.Sprintf("%s%s. Tried: %s.", at, a.Text, a.Result))
	if len(a.Paste) == 0 {
		return item
	}
	fence := strings.TrimRight(quote.Fence("sql", strings.Join(a.Paste, "\n")), "\n")
	return item + "\n\n  " + strings.ReplaceAll(fence, "\n", "\n  ")
}
