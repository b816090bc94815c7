package sqltext

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// Cond is a condition of a statement.
type Cond struct {
	// ID tells conditions apart.
	ID *int
	F  Fragment
	// Not is the opposite, if the condition has one that GORM writes by itself.
	Not *Fragment
	// Or says that OR stands before it, raw that the program wrote the text.
	Or, Raw bool
	// When, if not nil, says whether the condition is there; perhaps says the same of
	// parts of it, by conditions that the text has.
	When    client.Expr
	Perhaps bool
	// Sets are the columns that it compares with values.
	Sets []Setting
}

// Setting is a value for a column or field. when, if not nil, says whether it is
// there.
type Setting struct {
	Name  string
	Value memory.Value
	When  client.Expr
}

// NewCond makes a condition of a text.
func NewCond(f Fragment) Cond { return Cond{ID: new(int), F: f} }

// EqualTo compares a column with a value, and the opposite.
func (in *Writer) EqualTo(name string, v memory.Value) (f, opposite Fragment) {
	if b, ok := v.(memory.Box); ok && gotypes.IsList(b.T) {
		if list, known := in.ListOf(v); known {
			l := in.Listed(list, "")
			return Frag(name + " IN ").Plus(l), Frag(name + " NOT IN ").Plus(l)
		}
		s := in.ScalarOf(v)
		return Frag(name+" = ANY("+ParamMark+")", s), Frag(name+" <> ALL("+ParamMark+")", s)
	}
	x := memory.Unbox(v)
	null := client.Expr(client.False)
	switch p := x.(type) {
	case *memory.Pointer:
		null = p.Nil()
	case *memory.Aggregate:
		if at, ok := gotypes.OptionalValue(p.T); ok {
			null = client.Not(in.ScalarOf(p.Parts[at[1]]).E)
		}
	case memory.Scalar:
		if memory.IsNilValue(p) {
			null = client.True
		}
	}
	if is, known := in.Known(null); known {
		if is {
			return Frag(name + " IS NULL"), Frag(name + " IS NOT NULL")
		}
		g := in.ParamOf(v)
		return Frag(name + " = ").Plus(g), Frag(name + " <> ").Plus(g)
	}
	g := in.ParamOf(v)
	return Frag(name + " IS NOT DISTINCT FROM ").Plus(g), Frag(name + " IS DISTINCT FROM ").Plus(g)
}

// HasJunction reports whether GORM puts parentheses around a text because of AND
// or OR in it.
func HasJunction(text string) bool {
	text = strings.ToUpper(text)
	return strings.Contains(text, " AND ") || strings.Contains(text, " OR ") || strings.Contains(text, client.Hole)
}

// WhereOf joins conditions. ok is false if there are none; perhaps says that there
// may be none when the statement is sent.
func WhereOf(list []Cond) (f Fragment, perhaps, ok bool) {
	if len(list) == 0 {
		return Fragment{}, false, false
	}
	// The first one that OR does not stand before comes first.
	list = slices.Clone(list)
	if at := slices.IndexFunc(list, func(c Cond) bool { return !c.Or }); at > 0 {
		list[0], list[at] = list[at], list[0]
	}
	someOr := slices.ContainsFunc(list[1:], func(c Cond) bool { return c.Or })
	sure := false
	for i, c := range list {
		if c.When == nil && !c.Perhaps {
			sure = true
		} else if someOr { // what is absent changes what OR stands between
			return Frag(client.Hole), true, true
		}
		if i > 0 {
			if c.Or {
				f = f.Plus(Frag(" OR "))
			} else {
				f = f.Plus(Frag(" AND "))
			}
		}
		g := c.F
		if c.Raw && (len(list) > 1 || c.When != nil) && HasJunction(g.Text) && g.Text != client.Hole {
			g = Frag("(").Plus(g, Frag(")"))
		}
		if c.When != nil {
			g = Frag("(NOT "+ParamMark+" OR ", memory.Of(c.When, client.Bool)).Plus(g, Frag(")"))
		}
		f = f.Plus(g)
	}
	return f, !sure, true
}

// JoinConds joins the lists of conditions that statements have on several paths: one that
// is not on all of them gets a condition of its own. of gives the list on a path.
func JoinConds(in *memory.Memory, edges []*memory.Edge, of func(i int) []Cond) []Cond {
	var all []Cond
	for i := range edges {
		for _, c := range of(i) {
			if !slices.ContainsFunc(all, func(d Cond) bool { return d.ID == c.ID }) {
				all = append(all, c)
			}
		}
	}
	for k := range all {
		id := all[k].ID
		all[k].When = in.JoinWhen(edges, func(i int) client.Expr {
			for _, c := range of(i) {
				if c.ID == id {
					return c.When
				}
			}
			return client.False
		})
	}
	return all
}
