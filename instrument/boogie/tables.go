package boogie

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// table is a table of the program in Boogie.
type table struct {
	t    *ir.Table
	name string
	// names of the maps (of the variable, for a shared one): alive, and per
	// column its values and its NULLs, or "" where there is none.
	alive    string
	cols     []string
	nulls    []string
	keys     *group
	children []reference
	keyTypes []ir.Type
}

// reference is a foreign key, seen from the table that it refers to.
type reference struct {
	child *table
	fk    *ir.ForeignKey
}

// group is tables whose rows are copied to each other: they share the keys.
type group struct {
	name  string
	types []ir.Type
	// list are all keys that rows may have, each a value per key column; nil:
	// any keys.
	list [][]string
	// chosen says that list are constants, which Boogie chooses.
	chosen bool
	cols   []string
}

// maxKeys is how many keys a finite domain may have to be gone through.
const maxKeys = 16

func (x *exporter) declareTables() {
	parent := map[*ir.Table]*ir.Table{}
	var find func(t *ir.Table) *ir.Table
	find = func(t *ir.Table) *ir.Table {
		if p := parent[t]; p != nil {
			return find(p)
		}
		return t
	}
	for _, t := range x.prog.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			if c, ok := s.(*ir.CopyTable); ok && !c.Dst.Var {
				if a, b := find(c.Src), find(c.Dst); a != b {
					parent[b] = a
				}
			}
		})
	}
	groups := map[*ir.Table]*group{}
	for _, t := range x.prog.Tables {
		b := &table{t: t, name: unique(x.names, ident(t.Name))}
		x.tables[t] = b
		x.order = append(x.order, b)
		if t.Var {
			b.alive = "true"
			b.cols, b.nulls = []string{b.name}, []string{unique(x.names, b.name+".null")}
			continue
		}
		b.alive = unique(x.names, b.name+".alive")
		for _, k := range t.Key {
			if c := t.Columns[k]; !c.NotNull && !t.Rowid {
				fail(t.Pos, "the key column %s of table %s may be NULL: declare it not null", c.Name, t.Name)
			}
			b.keyTypes = append(b.keyTypes, t.Columns[k].Type)
		}
		for c, col := range t.Columns {
			val, null := "", ""
			if !t.IsKey(c) {
				val = unique(x.names, b.name+"."+ident(col.Name))
				if !col.NotNull {
					null = unique(x.names, val+".null")
				}
			}
			b.cols, b.nulls = append(b.cols, val), append(b.nulls, null)
		}
		root := find(t)
		if groups[root] == nil {
			groups[root] = x.newGroup(b)
		}
		b.keys = groups[root]
		declared := !slices.Contains(x.opt.Any, t.Name) && !slices.Contains(x.opt.Empty, t.Name)
		if n := len(t.Rows); declared && b.keys.chosen && n > len(b.keys.list) {
			fail(t.Pos, "table %s begins with %d rows: allow as many", t.Name, n)
		}
	}
	for _, t := range x.prog.Tables {
		for i := range t.ForeignKeys {
			r := x.tables[t.ForeignKeys[i].Ref]
			r.children = append(r.children, reference{x.tables[t], &t.ForeignKeys[i]})
		}
	}
}

// newGroup finds the keys that rows of the table may have.
func (x *exporter) newGroup(b *table) *group {
	g := &group{name: b.name, types: b.keyTypes}
	for _, k := range b.t.Key {
		g.cols = append(g.cols, ident(b.t.Columns[k].Name))
	}
	list := [][]string{nil}
	for _, t := range g.types {
		var vals []string
		switch d := x.prog.Domain; {
		case t.Kind == ir.KindBool:
			vals = []string{"false", "true"}
		case t.Kind == ir.KindInt && d != nil && d.Hi-d.Lo < maxKeys && !x.fresh:
			for i := d.Lo; i <= d.Hi; i++ {
				vals = append(vals, number(i))
			}
		}
		var next [][]string
		for _, prefix := range list {
			for _, v := range vals {
				next = append(next, append(append([]string(nil), prefix...), v))
			}
		}
		list = next
		if len(list) == 0 || len(list) > maxKeys {
			list = nil
			break
		}
	}
	switch {
	case list != nil && (x.opt.Rows == 0 || len(list) <= max(x.opt.Rows, 4)):
		g.list = list
	case x.opt.Rows > 0:
		g.chosen = true
		for i := 1; i <= x.opt.Rows; i++ {
			var key []string
			for _, c := range g.cols {
				key = append(key, unique(x.names, fmt.Sprintf("%s.key%d.%s", g.name, i, c)))
			}
			g.list = append(g.list, key)
		}
		if list != nil && len(list) < len(g.list) {
			g.list, g.chosen = list, false
		}
	}
	x.groups = append(x.groups, g)
	return g
}

// declare prints the constants of a group: keys in order, so that they differ.
func (g *group) declare(x *exporter) {
	if !g.chosen {
		return
	}
	x.print("// The keys that rows of %s may have.\n", g.name)
	for i, key := range g.list {
		for c, name := range key {
			x.print("const %s: %s;\n", name, typeName(g.types[c]))
		}
		if i > 0 {
			x.print("axiom %s;\n", bare(g.before(g.list[i-1], key)))
		}
	}
	x.print("\n")
}

// before is whether a key comes before another.
func (g *group) before(a, b []string) string {
	out := "false"
	for c := len(a) - 1; c >= 0; c-- {
		out = or(less(g.types[c], a[c], b[c]), and(equal(a[c], b[c]), out))
	}
	return out
}

func less(t ir.Type, a, b string) string {
	if t.Kind == ir.KindBool {
		return and(not(a), b)
	}
	return "(" + a + " < " + b + ")"
}

// has is whether key is one of the keys that rows may have.
func (g *group) has(key []string) string {
	if g.list == nil {
		return "true"
	}
	var some []string
	for _, k := range g.list {
		some = append(some, sameKey(k, key))
	}
	return or(some...)
}

func sameKey(a, b []string) string {
	var all []string
	for i := range a {
		all = append(all, equal(a[i], b[i]))
	}
	return and(all...)
}

// domain is the type of the keys.
func (g *group) domain() string {
	var types []string
	for _, t := range g.types {
		types = append(types, typeName(t))
	}
	return "[" + strings.Join(types, ", ") + "]"
}

// bound are the names of quantified keys, with their types.
func (g *group) bound(names []string) string {
	var out []string
	for i, n := range names {
		out = append(out, n+": "+typeName(g.types[i]))
	}
	return strings.Join(out, ", ")
}

// variable is a global of Boogie.
type variable struct{ name, typ string }

// globals lists the variables of a table.
func (b *table) globals() []variable {
	if b.t.Var {
		return []variable{{b.cols[0], typeName(b.t.Columns[0].Type)}, {b.nulls[0], "bool"}}
	}
	dom := b.keys.domain()
	out := []variable{{b.alive, dom + "bool"}}
	for c := range b.cols {
		if b.cols[c] != "" {
			out = append(out, variable{b.cols[c], dom + typeName(b.t.Columns[c].Type)})
		}
		if b.nulls[c] != "" {
			out = append(out, variable{b.nulls[c], dom + "bool"})
		}
	}
	return out
}

func (x *exporter) variables(b *table) {
	what := "Table"
	if b.t.Var {
		what = "Variable"
	}
	x.print("// %s %s", what, oneLine(b.t.Name))
	if b.t.Pos.IsValid() {
		x.print(", %s", oneLine(b.t.Pos.String()))
	}
	x.print("\n")
	for _, v := range b.globals() {
		x.print("var %s: %s;\n", v.name, v.typ)
	}
	x.print("\n")
}

// row is a row that an expression looks at: one of a table, by its key, or
// (vals) a row that is not in the table yet.
type row struct {
	b    *table
	key  []string
	vals []value
	// copies gives other names for the maps, or is nil.
	copies map[string]string
}

func (r *row) name(global string) string {
	if c, ok := r.copies[global]; ok {
		return c
	}
	return global
}

func (r *row) at(global string) string {
	if r.b.t.Var {
		return r.name(global)
	}
	return r.name(global) + "[" + strings.Join(bares(r.key), ", ") + "]"
}

func bares(xs []string) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = bare(x)
	}
	return out
}

// alive is whether there is a row.
func (r *row) alive() string {
	if r.vals != nil || r.b.t.Var {
		return "true"
	}
	return r.at(r.b.alive)
}

// col is the value of a column.
func (r *row) col(c int) value {
	if r.vals != nil {
		return r.vals[c]
	}
	v := value{t: r.b.t.Columns[c].Type, null: "false", def: "true"}
	for i, k := range r.b.t.Key {
		if k == c {
			v.val = r.key[i]
			return v
		}
	}
	v.val = r.at(r.b.cols[c])
	if r.b.nulls[c] != "" {
		v.null = r.at(r.b.nulls[c])
	}
	return v
}
