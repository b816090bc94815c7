package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// constantCommand gives the text of a command that EXECUTE runs, if it is a
// string literal, or several that are joined by ||.
func constantCommand(t *syntax.Text, span plpgsql.Span) (*syntax.Text, bool) {
	s := span.Text(t.SQL)
	toks, err := pg.Scan(s)
	if err != nil {
		return nil, false
	}
	out := &syntax.Text{Src: t.Src, Offs: []int{}}
	wantText := true
	for _, tok := range toks {
		switch {
		case tok.Kind == pg.Comment:
			continue
		case wantText && tok.Kind == pg.Text:
			content := unquoted(s[tok.Start:tok.End])
			if content == nil {
				return nil, false
			}
			for _, c := range content {
				out.SQL += string(s[tok.Start+c])
				out.Offs = append(out.Offs, t.Offset(span.Start+tok.Start+c))
			}
		case !wantText && tok.Text == "||":
		default:
			return nil, false
		}
		wantText = !wantText
	}
	out.Offs = append(out.Offs, t.Offset(span.End-1))
	return out, !wantText
}

// unquoted gives the offsets of the bytes that a string literal stands for; nil
// for one with escapes other than doubled quotes.
func unquoted(raw string) []int {
	out := []int{}
	if raw[0] == '$' {
		open := strings.IndexByte(raw[1:], '$') + 2
		for i := open; i < len(raw)-open; i++ {
			out = append(out, i)
		}
		return out
	}
	if raw[0] != '\'' {
		return nil
	}
	for i := 1; i < len(raw)-1; i++ {
		out = append(out, i)
		if raw[i] == '\'' {
			i++
		}
	}
	return out
}

// dynamic translates EXECUTE of a constant command: it sees no variables but
// those of USING, as $1, $2 and so on, and does not set FOUND.
func (b *builder) dynamic(f *frame, query plpgsql.Span, using []plpgsql.Span) (g *frame, tree any, t *syntax.Text) {
	t, ok := constantCommand(f.text, query)
	if !ok {
		b.unmodelled("EXECUTE of a command that is put together when it runs")
	}
	stmts, err := t.Parse()
	if err != nil { // only found when it runs
		b.unmodelled("EXECUTE of a command that has a %s", err.(*ir.Error).Msg)
	}
	if len(stmts) != 1 {
		b.unmodelled("EXECUTE of several commands")
	}
	g = &frame{fn: f.fn, text: t, sqlLang: true, scope: &scope{vars: map[string]*variable{}}, result: f.result, rowcount: f.rowcount, outs: f.outs}
	x := b.ex(f, f.text)
	for _, span := range using {
		v := b.value(f, span)
		if v.record {
			b.unmodelled("a row in USING")
		}
		v = x.defaultType(v)
		g.inputs = append(g.inputs, &variable{bound: v.e, t: v.t, nn: v.nn})
	}
	return g, pg.Inner(stmts[0].Stmt), t
}

// executeStmt is EXECUTE as a statement.
func (b *builder) executeStmt(f *frame, s *plpgsql.Execute, pos ir.Pos) {
	g, tree, t := b.dynamic(f, s.Query, s.Using)
	to, store := sink{}, func() {}
	if s.Into != nil {
		to, store = b.into(f, s.Into, pos)
		to.whole = true
	}
	b.command(g, t, tree, pos, to)
	store()
}

// dynamicRefs adds what EXECUTE runs.
func dynamicRefs(t *syntax.Text, query plpgsql.Span, r *refs) {
	c, ok := constantCommand(t, query)
	if ok {
		if stmts, err := c.Parse(); err == nil {
			for _, raw := range stmts {
				r.add(raw)
			}
			return
		}
	}
	r.dynamic, r.writes, r.frees = true, true, true
	if strings.Contains(strings.ToLower(t.SQL), "search_path") {
		r.setsPath(syntax.PathChange{To: syntax.PathSet{Any: true}})
	}
}
