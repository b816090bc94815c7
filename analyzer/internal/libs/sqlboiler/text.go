package sqlboiler

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
)

// identifier is a name as sqlboiler puts quotes around.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*(\.\*)?$`)

// quoted puts quotes around the parts of a name, and leaves other texts as they are.
func quoted(name string) string {
	if !identifier.MatchString(name) {
		return name
	}
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if p != "*" {
			parts[i] = `"` + p + `"`
		}
	}
	return strings.Join(parts, ".")
}

func quotedList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoted(n)
	}
	return strings.Join(out, ", ")
}

// text gives the text of a query: BuildQuery of package queries. ok is false if it is not known.
func (in *run) text(d *draft) (f sqltext.Fragment, ok bool) {
	if d.lost != "" || d.raw != nil || len(d.from) == 0 || unclear(d.where) {
		return f, false
	}
	if len(d.with) > 0 {
		f = sqltext.Frag("WITH ").Plus(sqltext.Join(d.with, ", "), sqltext.Frag(" "))
	}
	from := quotedList(d.from)
	switch {
	case d.remove:
		f.Text += "DELETE FROM " + from
	case d.set != nil:
		f = f.Plus(sqltext.Frag("UPDATE "+from+" SET "), in.sets(d.set))
	default:
		return f.Plus(in.selectText(d)), true
	}
	return f.Plus(d.condition(), d.modifiers()), true
}

// sets gives what an UPDATE sets.
func (in *run) sets(list []sqltext.Setting) sqltext.Fragment {
	var parts []sqltext.Fragment
	for _, s := range list {
		value := in.value(s.Value)
		if s.When != nil {
			value = sqltext.Frag("CASE WHEN "+sqltext.ParamMark+" THEN ", memory.Of(s.When, client.Bool)).Plus(value, sqltext.Frag(" ELSE "+quoted(s.Name)+" END"))
		}
		parts = append(parts, sqltext.Frag(quoted(s.Name)+" = ").Plus(value))
	}
	return sqltext.Join(parts, ", ")
}

func (in *run) selectText(d *draft) sqltext.Fragment {
	grouped := len(d.group) > 0 || len(d.having) > 0
	what := sqltext.Frag("*")
	switch {
	case d.distinct != nil:
		what = sqltext.Frag("DISTINCT ").Plus(*d.distinct)
		if d.count && !grouped {
			what = sqltext.Frag("DISTINCT (").Plus(*d.distinct, sqltext.Frag(")"))
		}
	case len(d.columns) > 0:
		what = sqltext.Frag(quotedList(d.columns))
	}
	if d.count && !grouped {
		what = sqltext.Frag("COUNT(").Plus(what, sqltext.Frag(")"))
	}
	f := sqltext.Frag("SELECT ").Plus(what, sqltext.Frag(" FROM "+quotedList(d.from)), sqltext.Join(d.joins, ""), d.condition(), d.modifiers())
	if d.count && grouped {
		f = sqltext.Frag("SELECT COUNT(*) FROM (").Plus(f, sqltext.Frag(") AS q"))
	}
	return f
}

// condition gives WHERE with the conditions, "" if there are none.
func (d *draft) condition() sqltext.Fragment {
	var f sqltext.Fragment
	first := true
	for _, c := range d.where {
		if c.deleted && d.withDeleted {
			continue
		}
		if !first && !c.close {
			word := " AND "
			if c.or {
				word = " OR "
			}
			f.Text += word
		}
		first = c.open
		switch {
		case c.open:
			f.Text += "("
		case c.close:
			f.Text += ")"
		case d.manual || c.f.Text == client.Hole:
			f = f.Plus(c.f)
		default:
			f = f.Plus(sqltext.Frag("("), c.f, sqltext.Frag(")"))
		}
	}
	if f.Text == "" {
		return f
	}
	return sqltext.Frag(" WHERE ").Plus(f)
}

// modifiers gives what stands behind the conditions.
func (d *draft) modifiers() sqltext.Fragment {
	var f sqltext.Fragment
	if len(d.group) > 0 {
		f = f.Plus(sqltext.Frag(" GROUP BY "), sqltext.Join(d.group, ", "))
	}
	if len(d.having) > 0 {
		f = f.Plus(sqltext.Frag(" HAVING "), sqltext.Join(d.having, " AND "))
	}
	if len(d.order) > 0 {
		f = f.Plus(sqltext.Frag(" ORDER BY "), sqltext.Join(d.order, ", "))
	}
	if d.limit != nil {
		f = f.Plus(sqltext.Frag(" LIMIT "), *d.limit)
	}
	if d.offset != nil && d.offset.Text != "0" {
		f = f.Plus(sqltext.Frag(" OFFSET "), *d.offset)
	}
	if d.lock != nil {
		f = f.Plus(sqltext.Frag(" FOR "), *d.lock)
	}
	return f
}
