package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// declaredTypes is the catalog's view of what a program declares.
type declaredTypes struct{ l *Schema }

func (d declaredTypes) Type(name string) *catalog.Type {
	u := d.l.TypesByKey[name]
	switch {
	case u != nil && u.Enum:
		return &catalog.Type{Name: name, Kind: 'e', Category: 'E'}
	case u != nil && u.Fields == nil:
		base := u.Base.PgName()
		if b := d.l.TypesByKey[base]; b != nil && b.Fields == nil && !b.Enum {
			return nil // a name that was no type when the domain was declared
		}
		return d.l.Catalog().Type(base)
	case u != nil, d.l.rowTypes[name] != nil:
		return &catalog.Type{Name: name, Kind: 'c', Category: 'C'}
	}
	return nil
}

func (d declaredTypes) Functions(string) []*catalog.Function { return nil }

// Catalog is PostgreSQL's catalog together with the types of the program.
func (l *Schema) Catalog() *catalog.Catalog {
	if l.Types == nil {
		return &catalog.Catalog{Scope: catalog.None{}}
	}
	return &catalog.Catalog{Scope: declaredTypes{l}, Extensions: l.Extensions}
}

// builtin is what is known of all functions of the system with one name.
type builtin struct {
	Known bool
	// Effect is the worst effect of one of them.
	Effect catalog.Effect
	// Aggregate and window: they can only be called as such. set: some return sets.
	Aggregate, Window, Set bool
}

// Unsafe reports whether a call may write tables, or read any.
func (b builtin) Unsafe() bool { return !b.Known || b.Effect >= catalog.ReadsAny }

// Builtin says what a name means that the program does not declare.
func (l *Schema) Builtin(name string) builtin {
	name = l.SystemName(name)
	var b builtin
	for _, f := range l.Catalog().All(name) {
		if f.Program != nil {
			continue
		}
		b.Known = true
		b.Effect = max(b.Effect, catalog.EffectOf(f))
		b.Aggregate = b.Aggregate || f.Kind == 'a'
		b.Window = b.Window || f.Kind == 'w'
		b.Set = b.Set || f.Set
	}
	switch {
	case slices.Contains(syntaxFunctions, name), name == KeyFunc, l.In.MySQL && mysql.TouchesNothing(name):
		b.Known = true
	case name == HoleFunc:
		b.Known, b.Effect = true, catalog.AnyValue
	}
	return b
}

// Beside gives the functions of the system that a call by a name may mean beside those of the program, which
// hide others of the same signature.
func (l *Schema) Beside(name string, declared []*catalog.Function) []*catalog.Function {
	if b := l.Builtin(name); !b.Known || b.Aggregate || b.Window {
		return nil
	}
	schema, _ := syntax.SplitName(name)
	var out []*catalog.Function
	for _, f := range l.Catalog().All(l.SystemName(name)) {
		hidden := slices.ContainsFunc(declared, func(d *catalog.Function) bool { return slices.Equal(d.Args, f.Args) })
		if !hidden && (schema == "" || f.Extension != "") { // nothing else of the system is in other schemas
			out = append(out, f)
		}
	}
	return out
}

// syntaxFunctions have the form of functions and are none: the parser knows them.
var syntaxFunctions = []string{"coalesce", "greatest", "least", "nullif", "row", "xmlexists", "current_date", "current_time",
	"current_timestamp", "localtime", "localtimestamp", "current_user", "current_role", "user", "current_catalog"}

// Volatile reports whether an expression calls a function that may give another value
// each time.
func (l *Schema) Volatile(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		found = found || ok && l.Builtin(c.Name).Effect >= catalog.AnyValue
	})
	return found
}

// HoleFunc is a condition of which nothing is known.
const HoleFunc = "robust_hole"
