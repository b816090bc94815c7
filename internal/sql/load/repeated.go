package load

import (
	"regexp"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// addsAgain reports whether a statement only adds columns that their table has already, as they are. A program that makes
// the newest schema, and changes older ones into it, has both.
func (l *Loader) addsAgain(n *syntax.Node) bool {
	s, ok := pg.Inner(n.Raw.Stmt).(*pg.AlterTableStmt)
	if !ok {
		return false
	}
	tab := l.Names().Table(syntax.RangeName(s.Relation))
	return tab != nil && !slices.ContainsFunc(s.Cmds, func(x *pg.Node) bool {
		c := pg.Inner(x).(*pg.AlterTableCmd)
		return c.Subtype != pg.AlterAddColumn || !l.isColumn(tab, pg.Inner(c.Def).(*pg.ColumnDef), n.Text)
	})
}

// isColumn reports whether a table has a column as a definition says.
func (l *Loader) isColumn(tab *schema.Table, d *pg.ColumnDef, t *syntax.Text) bool {
	col := tab.Column(d.Colname)
	if col == nil || d.TypeName == nil {
		return false
	}
	same, notNull := false, false
	fault := FaultIn(func() {
		to := l.TypeOf(d.TypeName, t)
		same = to.IR == col.T.IR && to.String() == col.T.String()
	})
	if fault != nil || !same {
		return false
	}
	var def *pg.Node
	for _, x := range d.Constraints {
		switch k := pg.Inner(x).(*pg.Constraint); k.Contype {
		case pg.ConstrNotNull:
			notNull = true
		case pg.ConstrNull:
		case pg.ConstrDefault:
			def = k.RawExpr
		default:
			return false
		}
	}
	if notNull != col.NotNull || col.Fresh || col.Generated != nil || (def == nil) != (col.Def == nil) {
		return false
	}
	return def == nil || withoutPlaces(def) == withoutPlaces(col.Def.Node)
}

// places are where the parts of a tree stand.
var places = regexp.MustCompile(`\blocation:\s*-?[0-9]+`)

// withoutPlaces gives a text that is equal for equal expressions.
func withoutPlaces(e *pg.Node) string { return places.ReplaceAllString(e.String(), "") }
