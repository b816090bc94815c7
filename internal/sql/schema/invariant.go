package schema

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// factSource is "table alias" after "for" in a stated invariant.
type factSource struct {
	Table, Alias string
	Pos          ir.Pos
}

// readFact reads what follows "-- invariant:", at offset at of the file:
//
//	[for table alias, …:] condition over rows
//
// The condition is kept as text until all tables are known.
func (l *Schema) readFact(src *syntax.Source, rest string, at int) {
	f := fact{Pos: src.Pos(at)}
	toks, err := pg.Scan(rest)
	if err != nil {
		e := err.(*pg.Error)
		l.Fail(src.Pos(at+e.Offset), "%s", e.Msg)
	}
	start := 0
	if len(toks) > 0 && toks[0].Text == "for" && toks[0].Kind == pg.Word {
		start = l.readSources(&f, src, toks, at)
	}
	if strings.TrimSpace(rest[start:]) == "" {
		l.Fail(src.Pos(at+len(rest)), "an invariant needs a condition over rows, such as: items.nbids >= 0")
	}
	f.Text = src.Whole().Slice("SELECT ", at+start, at+len(rest))
	l.Facts = append(l.Facts, f)
}

// readSources reads "for table alias, table alias:" and gives the offset of
// what follows.
func (l *Schema) readSources(f *fact, src *syntax.Source, toks []pg.Token, at int) int {
	i := 1
	word := func(what string) string {
		if i < len(toks) && (toks[i].Kind == pg.Word || toks[i].Kind == pg.Quoted) {
			i++
			return toks[i-1].Text
		}
		end := at + toks[len(toks)-1].End
		if i < len(toks) {
			end = at + toks[i].Start
		}
		l.Fail(src.Pos(end), "expected %s in the for part of an invariant: for table alias, table alias: condition", what)
		return ""
	}
	punct := func(s string) bool {
		if i < len(toks) && toks[i].Kind == pg.Punct && toks[i].Text == s {
			i++
			return true
		}
		return false
	}
	for {
		var parts []string
		pos := src.Pos(at + toks[min(i, len(toks)-1)].Start)
		parts = append(parts, word("a table"))
		for punct(".") {
			parts = append(parts, word("a table"))
		}
		s := factSource{Table: syntax.Qualified(parts), Alias: parts[len(parts)-1], Pos: pos}
		if i < len(toks) && (toks[i].Kind == pg.Word || toks[i].Kind == pg.Quoted) {
			s.Alias = word("an alias")
		}
		f.From = append(f.From, s)
		if punct(",") {
			continue
		}
		if !punct(":") {
			word("a comma or a colon")
			i--
			l.Fail(src.Pos(at+toks[i].Start), "expected a comma or a colon in the for part of an invariant")
		}
		return toks[i-1].End
	}
}
