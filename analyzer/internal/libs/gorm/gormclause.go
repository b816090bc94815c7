package gorm

import (
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// clauseExpr gives the text of a clause.Expr or clause.Column of GORM.
func (in *run) clauseExpr(a *memory.Aggregate) (sqltext.Fragment, bool) {
	switch gotypes.TypeName(a.T) {
	case "gorm.io/gorm/clause.Expr":
		text, ok := memory.ConstText(memory.Field(a, "SQL"))
		list, known := in.ListOf(memory.Field(a, "Vars"))
		if !ok || !known {
			in.EmitValue(a)
			return sqltext.Frag(client.Hole), true
		}
		return in.Filled(text, list), true
	case "gorm.io/gorm/clause.Column":
		return in.columnRef(memory.Field(a, "Table"), memory.Field(a, "Name"), memory.Field(a, "Raw")), true
	case "gorm.io/gorm/clause.Table":
		if name, ok := memory.ConstText(memory.Field(a, "Name")); ok {
			return sqltext.Frag(gormmodel.QuoteTable(name)), true
		}
		return sqltext.Frag(client.Hole), true
	}
	return sqltext.Fragment{}, false
}

// columnRef gives the text of a clause.Column.
func (in *run) columnRef(table, name, raw memory.Value) sqltext.Fragment {
	n, ok := memory.ConstText(name)
	if !ok {
		return sqltext.Frag(client.Hole)
	}
	if is, known := memory.ConstOf(raw); known && is.IsTrue() {
		return sqltext.Frag(n)
	}
	out := columnName(n)
	t, _ := memory.ConstText(table)
	switch t {
	case "":
		return sqltext.Frag(out)
	case currentTable:
		return sqltext.Frag(sqltext.PrefixMark + out)
	}
	return sqltext.Frag(gormmodel.QuoteTable(t) + "." + out)
}

// The names that GORM's constants clause.CurrentTable, clause.PrimaryKey and
// clause.Associations have.
const (
	currentTable = "~~~ct~~~"
	primaryKey   = "~~~py~~~"
	associations = "~~~as~~~"
)

// columnName gives a name of a column, perhaps with that of a table in front, as
// it stands in a statement.
func columnName(name string) string {
	if name == primaryKey {
		return sqltext.KeyMark
	}
	if strings.ContainsAny(name, "()*\" ,'") {
		return name
	}
	return gormmodel.QuoteTable(name)
}
