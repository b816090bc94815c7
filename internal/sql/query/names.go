package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// ctes are the WITH queries in scope.
type ctes struct {
	name string
	make func(x *Place) *Derived
	up   *ctes
	// query is the query, with the names cols for its columns; levels are the
	// queries around it.
	query  *pg.SelectStmt
	cols   []string
	levels []*expr.Level
	// picked, if not nil, says which rows of the query are not skipped.
	picked picked
	// row has the columns of its only row, over locals, and found says whether there is one:
	// the rows of RETURNING of a query that writes one.
	row   []expr.Column
	found string
	// once says that its rows are in a local.
	once bool
}

func (c *ctes) find(name string) *ctes {
	for ; c != nil; c = c.up {
		if c.name == name {
			return c
		}
	}
	return nil
}

// holds reports whether a WITH query is in scope, with its rows in a local or picked.
func (c *ctes) holds(name string, s *pg.SelectStmt) bool {
	old := c.find(name)
	return old != nil && old.query == s && (old.picked != nil || old.once)
}

// RowName gives a row variable that no query around it uses.
func (x *Place) RowName(base string) string {
	taken := func(name string) bool {
		if name == ir.Excluded || x.Deriver != nil && x.Deriver.Rows[name] {
			return true
		}
		for _, lv := range x.Levels {
			for _, s := range lv.Sources {
				if s.Row == name {
					return true
				}
			}
		}
		return false
	}
	name := base
	for i := 1; taken(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// TableOf finds the table that a statement names.
func (x *Place) TableOf(r *pg.RangeVar) *schema.Table {
	name := syntax.RangeName(r)
	in := x.App.Sees(x.Text)
	o := in.Used(name)
	switch {
	case o != nil && o.Gone > 0, o == nil && in.WasDropped(name): // a function that was forgotten
		x.Unmodelled("%s, which was dropped", name)
	case o == nil && load.SystemTable(name):
		x.ShowsRunning(syntax.PlainName(name), r.Location)
		x.Unmodelled("the system catalog %s", syntax.PlainName(name))
	case o == nil:
		x.Fail(r.Location, schema.NoTable+"%s", x.App.NotThere(in, name))
	case o.View != nil:
		x.Unmodelled("%s (%s)", o.View.What, syntax.PlainName(name))
	}
	t := o.Table
	if t.Odd != "" {
		x.Unmodelled("%s", t.Odd)
	}
	if t.RowSec && (x.Draft == nil || !load.AsOwner(x.Draft.Calls, t, func(text string) { x.App.Premise(x.Pos(r.Location), text) })) {
		x.Unmodelled("row level security of %s", t.Name)
	}
	return t
}

// viewOf gives the view that a statement names, or nil.
func (x *Place) viewOf(r *pg.RangeVar) *schema.View {
	o := x.App.Sees(x.Text).Used(syntax.RangeName(r))
	if o == nil || o.View == nil || o.View.Query == nil || o.Gone > 0 {
		return nil
	}
	return o.View
}

// source makes the source of a table, with the columns that it had when the text was declared.
func (x *Place) source(t *schema.Table, alias, row string) *expr.RowSource {
	s := expr.TableSource(t, alias, row)
	in := x.App.Sees(x.Text)
	if in.At == schema.Now {
		return s
	}
	kept := s.Cols[:0]
	for i, c := range t.Columns {
		if name, there := c.NameAt(in.At); there {
			s.Cols[i].Name = name
			kept = append(kept, s.Cols[i])
		}
	}
	s.Cols = kept
	return s
}

// InView gives the translator for the query of a view, which sees nothing of
// the place where the view is used.
func (x *Place) InView(v *schema.View) *Place {
	if slices.Contains(x.viewing, v) {
		x.Unmodelled("view %s, which reads itself", v.Name)
	}
	y := x.Copy()
	y.Text, y.Levels, y.Ctes, y.agg, y.win = v.Text, nil, nil, nil, nil
	y.Frame = &expr.Frame{Func: x.Frame.Func, Text: v.Text, SQLLang: true, Scope: &expr.Scope{Vars: map[string]*expr.Variable{}}}
	y.Depth++
	y.viewing = append(slices.Clone(x.viewing), v)
	return y
}

// calledInFrom gives the call of a function in FROM, and what the function and the
// rows are called.
func (x *Place) calledInFrom(f *pg.RangeFunction) (call *pg.FuncCall, name, alias string) {
	if f.IsRowsfrom || len(f.Functions) != 1 || len(f.Coldeflist) > 0 {
		x.Unmodelled("this form of a function in FROM")
	}
	item, ok := pg.Inner(f.Functions[0]).(*pg.List)
	if !ok || len(item.Items) == 0 {
		x.Unmodelled("this form of a function in FROM")
	}
	call, ok = pg.Inner(item.Items[0]).(*pg.FuncCall)
	if !ok {
		x.Unmodelled("this form of a function in FROM")
	}
	alias = syntax.ExprName(item.Items[0])
	if f.Alias != nil {
		alias = f.Alias.Aliasname
	}
	return call, syntax.Qualified(syntax.Names(call.Funcname)), alias
}

// outerJoin is why a query with an outer join is a derivation.
func outerJoin(j *pg.JoinExpr) string {
	return strings.TrimPrefix(j.Jointype.String(), "JOIN_") + " JOIN"
}

// viewOfMore is why what reads a view is a derivation.
func viewOfMore(r *pg.RangeVar) string {
	return "view " + syntax.RangeName(r) + ", which does more than select rows"
}
