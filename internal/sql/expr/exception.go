package expr

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
)

// Catch is a block with EXCEPTION while its body is translated.
type Catch struct {
	Handlers []plpgsql.Handler
	// Labels are those of the handlers, "" until an error goes there; states are
	// the SQLSTATEs of the errors that do.
	Labels []string
	States []map[string]bool
	// State is the local that takes the SQLSTATE.
	State string
	// Masked are the errors in whose place handlers of inner blocks raise theirs.
	Masked []Risk
	Src    string // of the function
}

// Handling is a handler while its body is translated.
type Handling struct {
	*Catch
	I int
}

// Catches reports whether a handler catches errors with a SQLSTATE.
func Catches(h plpgsql.Handler, state string) bool {
	return slices.ContainsFunc(h.Conds, func(c plpgsql.Condition) bool { return c.Catches(state) })
}

// catcher gives the handler for an error that the translation shows; none where
// the error ends the transaction, caught or not.
func (b *Draft) catcher(state string) (c *Catch, handler int) {
	if state == "" && len(b.Catches) > 0 {
		b.Unmodelled("an error whose SQLSTATE is told when it is raised")
	}
	for k := len(b.Catches) - 1; k >= 0; k-- {
		c := b.Catches[k]
		i := slices.IndexFunc(c.Handlers, func(h plpgsql.Handler) bool { return Catches(h, state) })
		switch {
		case i < 0:
		case k == 0 && plpgsql.Raises(c.Handlers[i].Body, c.Src):
			return nil, 0
		default:
			return c, i
		}
	}
	return nil, 0
}

// Caught reports whether an error with one of the SQLSTATEs has a catcher.
func (b *Draft) Caught(states ...string) bool {
	return slices.ContainsFunc(states, func(s string) bool {
		c, _ := b.catcher(s)
		return c != nil
	})
}

// Fails writes an error.
func (b *Draft) Fails(pos ir.Pos, state string) {
	c, i := b.catcher(state)
	if c == nil {
		b.Emit(&ir.Abort{At: At(pos)})
		return
	}
	if c.Labels[i] == "" {
		c.Labels[i], c.States[i] = b.NewLabel("handler"), map[string]bool{}
	}
	c.States[i][state] = true
	b.EmitWeak(&ir.Assign{At: At(pos), Var: c.State, Expr: ir.C(ir.Text(state))})
	b.Emit(&ir.Break{At: At(pos), Label: c.Labels[i]})
}

// Require writes that it is an error unless cond is true.
func (b *Draft) Require(pos ir.Pos, cond ir.Expr, state string) {
	if !b.Caught(state) {
		b.Emit(&ir.Assume{At: At(pos), Cond: cond})
		return
	}
	b.Emit(&ir.If{At: At(pos), Cond: cond, Else: b.Collect(func() { b.Fails(pos, state) })})
}

// ReadsMessage reports whether statements look at the text of an error.
func (f *Frame) ReadsMessage(list []plpgsql.Stmt) bool {
	found := false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		if g, ok := s.(*plpgsql.GetDiagnostics); ok {
			found = found || g.Stacked
		}
		plpgsql.Spans(s, func(x plpgsql.Span, _ plpgsql.SpanKind) {
			found = found || MentionsName(x.Text(f.Text.SQL), map[string]bool{"sqlerrm": true})
		})
	})
	return found
}

// MentionsName reports whether a text has one of the names in it.
func MentionsName(src string, names map[string]bool) bool {
	toks, err := pg.Scan(src)
	return err != nil || slices.ContainsFunc(toks, func(t pg.Token) bool {
		return (t.Kind == pg.Word || t.Kind == pg.Quoted || t.Kind == pg.Param) && names[t.Text]
	})
}
