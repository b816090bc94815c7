package schema

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
)

// Assigns reports whether the body may change the variable.
func (f *Function) Assigns(name string) bool {
	if f.Body == nil || name == "" {
		return f.Body != nil && name == ""
	}
	found := false
	hit := func(list ...plpgsql.Name) {
		for _, n := range list {
			for _, part := range n.Parts {
				found = found || part == name || part[0] == '$'
			}
		}
	}
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) { hit(Assigned(s)...) })
	return found
}

// Assigned gives the variables that a statement itself sets.
func Assigned(s plpgsql.Stmt) []plpgsql.Name {
	into := func(in *plpgsql.Into) []plpgsql.Name {
		if in == nil {
			return nil
		}
		return in.Targets
	}
	switch s := s.(type) {
	case *plpgsql.Assign:
		return []plpgsql.Name{s.Target}
	case *plpgsql.ForQuery:
		return s.Targets
	case *plpgsql.Foreach:
		return s.Targets
	case *plpgsql.SQL:
		return into(s.Into)
	case *plpgsql.Execute:
		return into(s.Into)
	case *plpgsql.Cursor:
		return into(s.Into)
	case *plpgsql.GetDiagnostics:
		var out []plpgsql.Name
		for _, it := range s.Items {
			out = append(out, it.Target)
		}
		return out
	}
	return nil
}

// MayAbort reports whether f, or what it calls, can end the transaction.
func (l *Schema) MayAbort(f *Function, seen map[*Function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	aborts := false
	if f.Body != nil {
		plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
			switch s := s.(type) {
			case *plpgsql.Raise:
				aborts = aborts || s.Error
			case *plpgsql.Assert, *plpgsql.ForRange, *plpgsql.Foreach:
				aborts = true
			case *plpgsql.Case:
				aborts = aborts || !s.HasElse
			case *plpgsql.SQL:
				aborts = aborts || s.Into != nil && s.Into.Strict
			case *plpgsql.Block:
				for _, d := range s.Decls {
					aborts = aborts || d.NotNull
				}
			}
		})
		last := f.Body.Block.Body
		if !f.Void() && len(f.Outputs()) == 0 && !f.SetOf {
			if len(last) == 0 {
				return true
			}
			_, returns := last[len(last)-1].(*plpgsql.Return)
			aborts = aborts || !returns // control may reach the end
		}
	}
	if f.divides() {
		return true
	}
	for _, g := range l.callees(f) {
		aborts = aborts || l.MayAbort(g, seen)
	}
	return aborts
}

// divides reports whether the body may divide by zero.
func (f *Function) divides() bool {
	if f.BodyText != nil {
		toks, _ := pg.Scan(f.BodyText.SQL)
		for _, t := range toks {
			if t.Kind == pg.Punct && (t.Text == "/" || t.Text == "%") || t.Kind == pg.Word && (t.Text == "mod" || t.Text == "div") {
				return true
			}
		}
		return false
	}
	return true
}
