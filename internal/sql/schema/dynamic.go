package schema

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// ConstantCommand gives the text of a command that EXECUTE runs, if it is a
// string literal, or several that are joined by ||.
func ConstantCommand(t *syntax.Text, span plpgsql.Span) (*syntax.Text, bool) {
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

// dynamicRefs adds what EXECUTE runs.
func dynamicRefs(t *syntax.Text, query plpgsql.Span, r *Refs) {
	c, ok := ConstantCommand(t, query)
	if ok {
		if stmts, err := c.Parse(); err == nil {
			for _, raw := range stmts {
				r.Add(raw)
			}
			return
		}
	}
	r.Dynamic, r.Writes, r.Frees = true, true, true
	if strings.Contains(strings.ToLower(t.SQL), "search_path") {
		r.setsPath(syntax.PathChange{To: syntax.PathSet{Any: true}})
	}
}
