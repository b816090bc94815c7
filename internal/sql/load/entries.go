package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Entries gives the functions that are templates, in order.
func (l *Loader) Entries() ([]*schema.Function, error) {
	if l.In.IsProgram {
		return l.Programs, nil
	}
	if l.In.Sessions != nil {
		return l.sessions(), nil
	}
	callers := l.callers()
	if len(l.In.Txns) > 0 {
		out, err := l.chosen()
		for _, f := range out {
			f.CalledBy = callers[f]
		}
		return out, err
	}
	var out []*schema.Function
	for _, f := range l.Funcs {
		switch {
		case !f.HasBody() || f.IsTrigger() || f.Helper:
			continue
		case f.Revoked():
			l.Note(f.Pos, "%s is no transaction of its own, since EXECUTE is revoked (%s): what it does counts only in what calls it; name it with -txn if clients call it", f.Name, f.RevokedAt)
			continue
		case len(callers[f]) > 0 && l.idle(f):
			continue
		}
		f.CalledBy = callers[f]
		out = append(out, f)
	}
	return append(out, l.Scripts...), nil
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

// callers gives for each function what calls it: functions and scripts, sorted by name, and declarations of the schema.
func (l *Loader) callers() map[*schema.Function][]string {
	out := map[*schema.Function][]string{}
	for _, f := range slices.Concat(l.Funcs, l.Scripts) {
		for _, g := range l.Callees(f) {
			if g != f && !slices.Contains(out[g], f.Name) {
				out[g] = append(out[g], f.Name)
			}
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	for _, f := range l.Funcs {
		if f.Declared.Line > 0 {
			out[f] = append(out[f], fmt.Sprintf("the schema (%s)", f.Declared))
		}
	}
	return out
}

// idle reports whether a function has nothing to do with tables, whatever it calls.
func (l *Loader) idle(f *schema.Function) bool {
	late := l.Late
	defer func() { l.Late = late }()
	e := l.EffectOfCall([]*schema.Function{f})
	return !e.All && !e.Writes && len(e.Tables) == 0
}

// chosen gives the functions of Options.Txns.
func (l *Loader) chosen() ([]*schema.Function, error) {
	want := map[string]bool{}
	for _, n := range l.In.Txns {
		want[n] = true
	}
	var out []*schema.Function
	seen := map[string]bool{}
	var all []string
	for _, f := range slices.Concat(l.Funcs, l.Scripts) {
		if !f.HasBody() || f.IsTrigger() {
			continue
		}
		all = append(all, f.Name)
		for _, name := range f.Callings() {
			if want[name] {
				seen[name] = true
				if len(out) == 0 || out[len(out)-1] != f {
					out = append(out, f)
				}
			}
		}
	}
	slices.Sort(all)
	for _, n := range l.In.Txns {
		if !seen[n] {
			return nil, &NoTransaction{n, slices.Compact(all)}
		}
	}
	return out, nil
}

// NoTransaction is the error where a transaction is named that is not in the input. There
// has the names of those that are, sorted.
type NoTransaction struct {
	Name  string
	There []string
}

func (e *NoTransaction) Error() string {
	if len(e.There) == 0 {
		return fmt.Sprintf("there is no transaction %s, and no other one", e.Name)
	}
	return fmt.Sprintf("there is no transaction %s; there are: %s", e.Name, strings.Join(e.There, ", "))
}

// TemplateName is the name of f, with its types where it is overloaded.
func (l *Loader) TemplateName(f *schema.Function) string {
	if f.Script != nil || f.Program != nil {
		return f.Name
	}
	for _, g := range l.Funcs {
		if g != f && g.Name == f.Name && g.HasBody() {
			return f.Signature()
		}
	}
	return f.Name
}
