package sqlmodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
)

// A searchPath is the schemas in which a name without a schema is looked for, in order. It may
// have "$user", and pg_temp and pg_catalog, which come first where it does not name them.
type searchPath []string

// defaultPath is the search path of a server that nobody changed.
var defaultPath = searchPath{userSchema, publicSchema}

// ParseSearchPath reads a search path as SHOW search_path prints it: names between commas, in double
// quotes where they are no plain identifiers.
func ParseSearchPath(s string) ([]string, error) {
	path, ok := splitPath(s)
	if !ok {
		return nil, fmt.Errorf("%q is not a list of schemas, such as app, public; put names with other characters in double quotes", s)
	}
	return path, nil
}

// splitPath is PostgreSQL's SplitIdentifierString.
func splitPath(s string) (path searchPath, ok bool) {
	if strings.TrimSpace(s) == "" {
		return searchPath{}, true
	}
	return identifiers(s, ',')
}

// identifiers reads names with separators between them, in double quotes where they are no plain identifiers.
func identifiers(s string, sep byte) (list []string, ok bool) {
	for {
		var name string
		s = strings.TrimLeft(s, " \t\r\n")
		if quoted, is := strings.CutPrefix(s, `"`); is {
			if name, s, ok = untilQuote(quoted); !ok {
				return nil, false
			}
		} else {
			i := strings.IndexAny(s, string(sep)+" \t\r\n")
			if i < 0 {
				i = len(s)
			}
			if name, s = strings.ToLower(s[:i]), s[i:]; name == "" {
				return nil, false
			}
		}
		list = append(list, name)
		if s = strings.TrimLeft(s, " \t\r\n"); s == "" {
			return list, true
		}
		if s[0] != sep {
			return nil, false
		}
		s = s[1:]
	}
}

// untilQuote reads up to a double quote that is not doubled, and gives what follows it.
func untilQuote(s string) (name, rest string, ok bool) {
	for {
		before, after, found := strings.Cut(s, `"`)
		name += before
		if !found {
			return "", "", false
		}
		if !strings.HasPrefix(after, `"`) {
			return name, after, true
		}
		name, s = name+`"`, after[1:]
	}
}

// ShowSearchPath spells a search path as SHOW search_path does: ParseSearchPath undoes it.
func ShowSearchPath(path []string) string { return searchPath(path).String() }

// String spells the path as SHOW search_path does.
func (p searchPath) String() string {
	var out []string
	for _, s := range p {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }) {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// sql writes the path in SQL.
func (p searchPath) sql() string {
	if len(p) == 0 {
		return "''"
	}
	list := make([]string, len(p))
	for i, name := range p {
		list[i] = quote.Ident(name)
	}
	return strings.Join(list, ", ")
}

// order gives the schemas in which the server looks for tables and types. What the user is called
// is not known: "$user" is left out.
func (p searchPath) order() []string {
	var out []string
	if !slices.Contains(p, tempSchema) {
		out = append(out, tempSchema)
	}
	if !slices.Contains(p, systemSchema) {
		out = append(out, systemSchema)
	}
	for _, s := range p {
		if s != userSchema && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// pathSet is the search paths that may be set at some place; any says that it may be every path.
type pathSet struct {
	all []searchPath
	any bool
}

func onePath(p searchPath) pathSet { return pathSet{all: []searchPath{p}} }

// or gives the paths of both.
func (s pathSet) or(o pathSet) pathSet {
	out := pathSet{all: slices.Clone(s.all), any: s.any || o.any}
	for _, p := range o.all {
		if !slices.ContainsFunc(out.all, func(q searchPath) bool { return slices.Equal(p, q) }) {
			out.all = append(out.all, p)
		}
	}
	return out
}

func (s pathSet) empty() bool { return len(s.all) == 0 && !s.any }

func (s pathSet) String() string {
	if s.any {
		return "any"
	}
	var out []string
	for _, p := range s.all {
		out = append(out, p.String())
	}
	return strings.Join(out, " or ")
}

// pathChange is what a SET of the search path, or a call of set_config, does. known is false where
// it is none.
type pathChange struct {
	to    pathSet
	local bool // it ends with the transaction
}

// pathSetting reads SET search_path, RESET and the like; default is the path that DEFAULT stands for and
// current that of FROM CURRENT.
func pathSetting(s *pg.VariableSetStmt, standard, current pathSet) (c pathChange, ok bool) {
	switch s.Kind {
	case pg.SetResetAll:
		return pathChange{to: standard}, true
	case pg.SetDefault, pg.SetReset, pg.SetValue, pg.SetCurrent:
	default:
		return pathChange{}, false
	}
	if !strings.EqualFold(s.Name, "search_path") {
		return pathChange{}, false
	}
	switch s.Kind {
	case pg.SetDefault, pg.SetReset:
		return pathChange{to: standard, local: s.IsLocal}, true
	case pg.SetCurrent:
		return pathChange{to: current, local: s.IsLocal}, true
	}
	p := searchPath{}
	for _, n := range s.Args {
		c, isConst := pg.Inner(n).(*pg.A_Const)
		if !isConst {
			return pathChange{to: pathSet{any: true}, local: s.IsLocal}, true
		}
		p = append(p, c.GetSval().GetSval())
	}
	return pathChange{to: onePath(p), local: s.IsLocal}, true
}

// configSetting reads the arguments of set_config where they may set the search path.
func configSetting(call *pg.FuncCall) (c pathChange, ok bool) {
	text := func(i int) (string, bool) {
		if i >= len(call.Args) {
			return "", false
		}
		n := pg.Inner(call.Args[i])
		if cast, is := n.(*pg.TypeCast); is {
			n = pg.Inner(cast.Arg)
		}
		c, is := n.(*pg.A_Const)
		if !is || c.GetSval() == nil {
			return "", false
		}
		return c.GetSval().GetSval(), true
	}
	name, known := text(0)
	if known && !strings.EqualFold(name, "search_path") {
		return pathChange{}, false
	}
	c.to = pathSet{any: true}
	if value, isText := text(1); known && isText {
		if p, ok := splitPath(value); ok {
			c.to = onePath(p)
		}
	}
	if len(call.Args) > 2 {
		if b, is := pg.Inner(call.Args[2]).(*pg.A_Const); is {
			c.local = b.GetBoolval().GetBoolval()
		}
	}
	return c, true
}
