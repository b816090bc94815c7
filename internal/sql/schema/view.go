package schema

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// View is a view, or a table that something else than DDL makes.
type View struct {
	Pos  ir.Pos
	Rel  *Relation
	Name string
	What string
	// Of are the tables whose rows it has, refs what its query names.
	Of   []*Relation
	Refs *Refs
	// Rows says that it has rows of its own, which others may read and write, and
	// all that nothing is known of the tables that it reads.
	Rows, All bool
	// Query is that of a view, whose columns have the names cols, as far as
	// these are given.
	Query *pg.SelectStmt
	Text  *syntax.Text
	Cols  []string
	// Renamed are columns that got other names later, with these.
	Renamed [][2]string
	// Guarded says what happens to writes of its rows besides that they are writes of the
	// table below it: triggers, a rule, CHECK OPTION or defaults of its own.
	Guarded string
	// Caused are what triggers and rules do where its rows are written.
	Caused []*Refs
	// Row is the type of its rows, once it was asked for; typing says that it is being found.
	Row    *UserType
	Typing bool
}

// Column gives the name of a column of the view, which its query calls name.
func (v *View) Column(name string) string {
	for _, r := range v.Renamed {
		if r[0] == name {
			name = r[1]
		}
	}
	return name
}
