package load

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// With Input.Sessions a template is what goes on in several transactions one after the other: a procedure with COMMIT in its body, or a script in
// which \gset takes values from one transaction into another.

// step records a statement of the script of which u reads the transactions.
func (u *unitReader) step(at *syntax.Node, nodes []*syntax.Node) {
	u.session = append(u.session, nodes...)
	eachStatement(nodes, func(n *syntax.Node) {
		u.steps = append(u.steps, sessionStep{n.Pos, lastPos([]*syntax.Node{n}, n.Pos), []string{at.Pos.String()}})
	})
}

// sessionStep is a statement, and the transactions one of which it belongs to.
type sessionStep struct {
	from, to ir.Pos
	units    []string
}

// script adds the session of a script, if it has several transactions.
func (u *unitReader) script() {
	gset := func(n *syntax.Node) bool { return n.Cmd != nil && n.Cmd.Name == "gset" }
	if !slices.ContainsFunc(u.session, gset) || !slices.ContainsFunc(u.steps, func(s sessionStep) bool { return s.units[0] != u.steps[0].units[0] }) {
		return
	}
	l := u.l
	at := u.session[0]
	f := &schema.Function{Pos: at.Pos, Name: filepath.Base(u.file), Language: "sql", SetOf: true, Text: &syntax.Text{Src: at.Src}, Refs: schema.NewRefs()}
	f.Script = &schema.Script{S: u.s, Nodes: u.session, Does: map[*pg.DoStmt]*schema.Function{}, Open: map[int]bool{}, Paths: l.Path.Now()}
	eachStatement(u.session, func(n *syntax.Node) { l.ScriptRefs(f, n) })
	if locksSession(f.Refs) {
		return
	}
	l.Scripts = append(l.Scripts, f)
	for _, s := range u.steps {
		l.In.Sessions(f.Name, s.from, s.to, s.units)
	}
}

// locksSession reports whether what names r takes an advisory lock that lasts beyond its transaction: it may order all that the session does.
func locksSession(r *schema.Refs) bool {
	for name := range r.Calls {
		if name := syntax.PlainName(name); syntax.TakesAdvisoryLock(name) && !strings.Contains(name, "_xact_") {
			return true
		}
	}
	return false
}

// sessions gives the procedures that end transactions in their bodies, and the scripts.
func (l *Loader) sessions() []*schema.Function {
	var out []*schema.Function
	for _, f := range l.Funcs {
		if !f.Procedure || f.Body == nil || f.Helper || locksSession(f.Refs) {
			continue
		}
		ends := false
		plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
			e, is := s.(*plpgsql.EndTxn)
			ends = ends || is && !e.Last
		})
		if !ends {
			continue
		}
		out = append(out, f)
		b := &bodySteps{text: f.BodyText, units: map[plpgsql.Stmt][]string{}}
		b.list([]plpgsql.Stmt{f.Body.Block}, []string{f.Pos.String()})
		for _, s := range b.order {
			b.each(s, func(from, to ir.Pos) { l.In.Sessions(l.TemplateName(f), from, to, b.units[s]) })
		}
	}
	return append(out, l.Scripts...)
}

// bodySteps finds the transactions one of which each statement of a body belongs to, by where the one before has ended.
type bodySteps struct {
	text  *syntax.Text
	units map[plpgsql.Stmt][]string
	order []plpgsql.Stmt
}

// list goes through statements, and gives the transactions one of which goes on behind them.
func (b *bodySteps) list(list []plpgsql.Stmt, in []string) []string {
	for _, s := range list {
		in = b.stmt(s, in)
	}
	return in
}

func (b *bodySteps) stmt(s plpgsql.Stmt, in []string) []string {
	if b.units[s] == nil {
		b.order = append(b.order, s)
	}
	b.units[s] = in
	lists := plpgsql.Children(s)
	switch s := s.(type) {
	case *plpgsql.EndTxn:
		return []string{b.text.Pos(s.Place()).String()}
	case *plpgsql.If, *plpgsql.Case:
		var out []string
		for _, list := range lists {
			out = eitherUnit(out, b.list(list, in))
		}
		return out
	case *plpgsql.Block:
		out := b.list(s.Body, in)
		for _, h := range s.Handlers {
			out = eitherUnit(out, b.list(h.Body, eitherUnit(in, out)))
		}
		return out
	}
	out := in
	for _, list := range lists { // a loop, which is taken to have a round before
		again := b.list(list, in)
		b.list(list, again)
		out = eitherUnit(in, again)
	}
	return out
}

func eitherUnit(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// each calls f for where a statement begins, and for the parts of it that are SQL.
func (b *bodySteps) each(s plpgsql.Stmt, f func(from, to ir.Pos)) {
	f(b.text.Pos(s.Place()), b.text.Pos(s.Place()))
	plpgsql.Spans(s, func(x plpgsql.Span, _ plpgsql.SpanKind) { f(b.text.Pos(x.Start), b.text.Pos(x.End)) })
}
