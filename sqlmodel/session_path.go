package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// tracked translates a statement by f, and follows the search path: sets are those that it may set. A loop may come to
// it again; behind what has branches, the path may be any of them.
func (b *Routine) tracked(sets syntax.PathSet, loops, branches bool, f func() (ok bool)) {
	l, before := b.App, b.App.Late
	if sets.Empty() {
		f()
		return
	}
	either := *before.With(before.Run.Or(sets))
	if loops {
		l.Late = either
	}
	if !f() || branches {
		l.Late = either
	}
}

// follow takes over what a statement that has no branches does to the search path.
func (b *Routine) follow(tree any) {
	l := b.App
	if !l.SetsPath {
		return
	}
	switch s := tree.(type) {
	case *pg.VariableSetStmt:
		if c, ok := syntax.PathSetting(s, l.Standard, l.Late.Run); ok {
			l.Late = *l.Late.With(c.To)
		}
	case pg.Message:
		if call := syntax.SoleCall(s); call != nil && syntax.PlainName(syntax.Qualified(syntax.Names(call.Funcname))) == "set_config" {
			if c, ok := syntax.ConfigSetting(call); ok {
				l.Late = *l.Late.With(c.To)
			}
			return
		}
		if p := l.SetBy(l.RefsIn(s), &l.Late); !p.Empty() {
			l.Late = *l.Late.With(l.Late.Run.Or(p))
		}
	}
}

// undone takes over a rollback to a savepoint in the transaction of f, which takes back what was set since.
func (b *builder) undone(f *schema.Function) {
	l := b.App
	if p := l.SetBy(f.Refs, &l.Late); !p.Empty() {
		l.Late = *l.Late.With(l.Late.Run.Or(p).Or(l.InsideOf(f, l.Standard).Run))
	}
}
