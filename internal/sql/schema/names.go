package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// perUser gives the paths with what "$user" may stand for.
func (l *Schema) perUser(s syntax.PathSet) syntax.PathSet {
	out := syntax.PathSet{Any: s.Any}
	for _, p := range s.All {
		out = out.Or(syntax.OnePath(p))
		i := slices.Index(p, syntax.UserSchema)
		if i < 0 {
			continue
		}
		for _, user := range slices.Sorted(maps.Keys(l.Declarations.Users)) {
			if l.Declarations.hasSchema(user) {
				own := slices.Clone(p)
				own[i] = user
				out = out.Or(syntax.OnePath(own))
			}
		}
	}
	return out
}

// otherUsers tells that a name without a schema would mean something else to a client whose role is called like another schema:
// one to which the path leads only then. The name means o.
func otherUsers[T object](r *Resolver, o T, pos ir.Pos, all directory[T]) {
	means := o.called()
	for _, p := range r.Paths.All {
		i := slices.Index(p, syntax.UserSchema)
		if at := slices.Index(p, means.Schema()); i < 0 || at >= 0 && at < i || at < 0 && slices.Contains(p.Order(), means.Schema()) {
			continue
		}
		var others []string
		for _, o := range all.named(means.Own(), Now) {
			if s := o.called().Schema(); s != means.Schema() && s != syntax.TempSchema && !slices.Contains(p, s) && !r.l.Declarations.Users[s] {
				others = append(others, s)
			}
		}
		if len(others) > 0 {
			slices.Sort(others)
			r.l.Note(pos, "%s is %s here: that no client has a role called %s, whose search path (%s) begins with a schema of that name, is taken for granted; say so with -search-path",
				means.Own(), syntax.Qualified([]string{means.Schema(), means.Own()}), strings.Join(slices.Compact(others), " or "), p)
			return
		}
	}
}

// hasSchema reports whether the files create a schema, or something in it.
func (c *Declarations) hasSchema(name string) bool {
	if c.Schemas[name] {
		return true
	}
	for _, list := range c.Relations {
		if slices.ContainsFunc(list, func(o *Relation) bool { return len(o.Names) > 0 && o.Schema() == name }) {
			return true
		}
	}
	for _, list := range c.Funcs {
		if slices.ContainsFunc(list, func(f *Function) bool { return f.Schema() == name }) {
			return true
		}
	}
	return false
}
