package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Draws reports whether a function, or one that it calls, uses values that differ from call to call.
func (l *Schema) Draws(f *Function, seen map[*Function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	for name := range l.Calls(f.Refs) {
		if b := l.Builtin(name); (b.Effect == catalog.AnyValue || b.Effect == catalog.Fresh) && len(l.LateFunctions(name)) == 0 {
			return true
		}
	}
	return slices.ContainsFunc(l.callees(f), func(g *Function) bool { return l.Draws(g, seen) })
}

// ArgNames gives the names of the parameters.
func (f *Function) ArgNames() []string {
	var out []string
	for _, p := range f.Inputs() {
		out = append(out, p.Name)
	}
	return out
}

// Signature is a function of the program as the catalog has functions.
func (l *Schema) Signature(f *Function) *catalog.Function {
	out := &catalog.Function{Name: f.Name, Kind: 'f', Volatility: 'v', Strict: f.Strict, Set: f.SetOf, Program: f}
	for _, p := range f.Inputs() {
		t := l.SignatureType(p.T, f.Text)
		name := t.PgName()
		if p.Vari {
			out.Variadic = true
			if t.Name != NArray {
				name = ArrayOf(t).PgName()
			}
		}
		if p.Def != nil {
			out.Defaults++
		}
		out.Args = append(out.Args, name)
	}
	return out
}

func (f *Function) HasVariadic() bool {
	for _, p := range f.Params {
		if p.Vari {
			return true
		}
	}
	return false
}

// OnlySelect gives the SELECT that is all of an SQL function's body.
func (f *Function) OnlySelect() (*pg.SelectStmt, *syntax.Text) {
	s, t := f.OnlyQuery()
	if s == nil || s.Op > pg.SetOpNone || len(s.ValuesLists) > 0 {
		return nil, nil
	}
	return s, t
}

// OnlyQuery is OnlySelect for queries of any form.
func (f *Function) OnlyQuery() (*pg.SelectStmt, *syntax.Text) {
	list, t := f.SqlStatements()
	if len(list) != 1 {
		return nil, nil
	}
	s, _ := list[0].Tree.(*pg.SelectStmt)
	return s, t
}
