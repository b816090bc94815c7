package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// factSource is "table alias" after "for" in a stated invariant.
type factSource struct {
	table, alias string
	pos          ir.Pos
}

// readFact reads what follows "-- invariant:", at offset at of the file:
//
//	[for table alias, …:] condition over rows
//
// The condition is kept as text until all tables are known.
func (l *Schema) readFact(src *syntax.Source, rest string, at int) {
	f := fact{pos: src.Pos(at)}
	toks, err := pg.Scan(rest)
	if err != nil {
		e := err.(*pg.Error)
		l.fail(src.Pos(at+e.Offset), "%s", e.Msg)
	}
	start := 0
	if len(toks) > 0 && toks[0].Text == "for" && toks[0].Kind == pg.Word {
		start = l.readSources(&f, src, toks, at)
	}
	if strings.TrimSpace(rest[start:]) == "" {
		l.fail(src.Pos(at+len(rest)), "an invariant needs a condition over rows, such as: items.nbids >= 0")
	}
	f.text = src.Whole().Slice("SELECT ", at+start, at+len(rest))
	l.facts = append(l.facts, f)
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
		l.fail(src.Pos(end), "expected %s in the for part of an invariant: for table alias, table alias: condition", what)
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
		s := factSource{table: syntax.Qualified(parts), alias: parts[len(parts)-1], pos: pos}
		if i < len(toks) && (toks[i].Kind == pg.Word || toks[i].Kind == pg.Quoted) {
			s.alias = word("an alias")
		}
		f.from = append(f.from, s)
		if punct(",") {
			continue
		}
		if !punct(":") {
			word("a comma or a colon")
			i--
			l.fail(src.Pos(at+toks[i].Start), "expected a comma or a colon in the for part of an invariant")
		}
		return toks[i-1].End
	}
}

// invariants translates the stated invariants.
func (l *loader) invariants() {
	for _, f := range l.facts {
		stmts, err := f.text.Parse()
		if err != nil {
			panic(err)
		}
		s, ok := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
		if len(stmts) != 1 || !ok || len(s.TargetList) != 1 || !syntax.PlainExpression(s) {
			l.fail(f.pos, "an invariant is one condition over rows, such as: items.nbids >= 0")
		}
		inv := &ir.Invariant{Pos: f.pos}
		e := pg.TargetValue(s.TargetList[0])
		lv := &level{}
		add := func(table, alias string, pos ir.Pos) {
			t := l.late.table(table)
			if t == nil {
				l.fail(pos, "there is no table %s", table)
			}
			for _, o := range lv.sources {
				if o.alias == alias {
					l.fail(pos, "the name %s is given to two rows", alias)
				}
			}
			src := tableSource(t, alias, alias)
			lv.sources = append(lv.sources, src)
			inv.From = append(inv.From, src.irSource())
		}
		for _, src := range f.from {
			add(src.table, src.alias, src.pos)
		}
		if len(f.from) == 0 {
			pg.Walk(e, func(x any) bool {
				if c, ok := x.(*pg.ColumnRef); ok {
					parts := syntax.Names(c.Fields)
					if len(parts) < 2 {
						l.fail(f.text.Pos(int(c.Location)), "write the table's name before the column %s", strings.Join(parts, "."))
					}
					table := syntax.Qualified(parts[:len(parts)-1])
					for _, o := range lv.sources {
						if o.table == l.late.table(table) && o.table != nil {
							return true
						}
					}
					add(table, parts[len(parts)-2], f.text.Pos(int(c.Location)))
				}
				return true
			})
		}
		if len(inv.From) == 0 {
			l.fail(f.pos, "an invariant must be about the rows of some table")
		}
		inv.Expr = l.factExpr(&ex{l: l, text: f.text, levels: []*level{lv}, perRow: true}, e, f.pos)
		l.prog.Invariants = append(l.prog.Invariants, inv)
	}
}

func (l *loader) factExpr(x *ex, e *pg.Node, pos ir.Pos) ir.Expr {
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(unmodelled)
			if !is {
				panic(r)
			}
			l.fail(pos, "this invariant cannot be modelled: it uses %s", u.reason)
		}
	}()
	return x.boolean(e, exact)
}
