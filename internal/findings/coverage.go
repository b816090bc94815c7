package findings

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/report"
)

// CoverageOf counts which of places are free of havocs, which are sorted by
// position.
func CoverageOf(places []ir.Pos, havocs []report.Havoc) *report.Coverage {
	c := &report.Coverage{Reasons: []report.Reason{}}
	at := map[ir.Pos]bool{}
	for _, p := range places {
		at[p] = true
	}
	c.Places, c.Modelled = len(at), len(at)
	failed := map[ir.Pos]bool{}
	index := map[string]int{}
	counted := map[string]bool{}
	for _, h := range havocs {
		pos := ir.Pos{File: h.File, Line: h.Line, Col: h.Col}
		if at[pos] && !failed[pos] {
			failed[pos] = true
			c.Modelled--
		}
		text := KindOf(strings.TrimPrefix(h.Reason, foreignKeys))
		if key := text + "\x00" + pos.String(); counted[key] {
			continue
		} else {
			counted[key] = true
		}
		i, known := index[text]
		if !known {
			i = len(c.Reasons)
			index[text] = i
			c.Reasons = append(c.Reasons, report.Reason{Text: text, File: h.File, Line: h.Line})
		}
		c.Reasons[i].Places++
	}
	slices.SortStableFunc(c.Reasons, func(a, b report.Reason) int {
		return cmp.Or(b.Places-a.Places, strings.Compare(a.Text, b.Text))
	})
	return c
}

// foreignKeys starts the reason of the part of a statement that looks after
// foreign keys: the statement itself is there, too.
const foreignKeys = "the foreign keys of "

var (
	quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	dotted = regexp.MustCompile(`\b\w+\.[\w.]+\b`)
	// Names mostly have an underscore; those of the system stay.
	under  = regexp.MustCompile(`\b\w*[a-z0-9]_\w+\b`)
	system = regexp.MustCompile(`^(pg|row|string|array)_`)
	after  = regexp.MustCompile(`\b(writes of|PARTITION to|the function|trigger|table|a call of|row level security of|check|unique index|unique key) [\w$]+`)
	first  = regexp.MustCompile(`^\w+ is (analysed|made)`)
	number = regexp.MustCompile(`\b\d+\b`)
)

// KindOf takes the names out of the text of a reason or note, so that equal ones
// can be counted.
func KindOf(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = quoted.ReplaceAllString(text, "X")
	text = dotted.ReplaceAllString(text, "X")
	text = under.ReplaceAllStringFunc(text, func(name string) string {
		if system.MatchString(name) {
			return name
		}
		return "X"
	})
	text = after.ReplaceAllString(text, "$1 X")
	text = first.ReplaceAllString(text, "X is $1")
	return number.ReplaceAllString(text, "N")
}
