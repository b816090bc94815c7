package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// declaration translates statements of a transaction that declare something; it
// reports whether this is one.
func (p *caller) declaration(tree any, pos ir.Pos) bool {
	switch s := tree.(type) {
	case *pg.CreateStmt:
		if s.Relation.Relpersistence == "t" || p.b.App.Late.Table(syntax.RangeName(s.Relation)) == nil {
			p.b.Unmodelled("CREATE TABLE in a transaction")
		}
		return true
	case *pg.CreateEnumStmt:
		return true
	case *pg.IndexStmt: // what it locks is left out, and that it may find two rows with a key
		t := p.b.App.Late.Table(syntax.RangeName(s.Relation))
		if t == nil || t.IR == nil {
			return false
		}
		if s.Unique {
			p.b.Emit(&ir.Dropped{At: expr.At(pos), Kind: ir.ByError, Observes: true, Tables: []*ir.Table{t.IR}, What: "the error of CREATE UNIQUE INDEX where two rows have a key"})
		}
		return true
	case *pg.CreateTableAsStmt:
		p.b.Unmodelled("CREATE TABLE … AS in a transaction")
	}
	return false
}

// onlySystem reports whether only tables of the system are named.
func onlySystem(r *schema.Refs) bool {
	for name := range r.Tables {
		if !load.SystemTable(name) {
			return false
		}
	}
	return len(r.Tables) > 0 && !r.Dynamic
}

func systemTables(r *schema.Refs) string {
	var out []string
	for _, name := range load.SortedNames(r.Tables) {
		out = append(out, syntax.PlainName(name))
	}
	return strings.Join(out, ", ")
}
