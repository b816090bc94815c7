package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
)

// A SearchPath is the schemas in which a name without a schema is looked for, in order. It may
// have "$user", and pg_temp and pg_catalog, which come first where it does not name them.
type SearchPath []string

// DefaultPath is the search path of a server that nobody changed.
var DefaultPath = SearchPath{UserSchema, PublicSchema}

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
func splitPath(s string) (path SearchPath, ok bool) {
	if strings.TrimSpace(s) == "" {
		return SearchPath{}, true
	}
	return Identifiers(s, ',')
}

// Identifiers reads names with separators between them, in double quotes where they are no plain identifiers.
func Identifiers(s string, sep byte) (list []string, ok bool) {
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
func ShowSearchPath(path []string) string { return SearchPath(path).String() }

// String spells the path as SHOW search_path does.
func (p SearchPath) String() string {
	var out []string
	for _, s := range p {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }) {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// Sql writes the path in SQL.
func (p SearchPath) SQLText() string {
	if len(p) == 0 {
		return "''"
	}
	list := make([]string, len(p))
	for i, name := range p {
		list[i] = quote.Ident(name)
	}
	return strings.Join(list, ", ")
}

// Order gives the schemas in which the server looks for tables and types. What the user is called
// is not known: "$user" is left out.
func (p SearchPath) Order() []string {
	var out []string
	if !slices.Contains(p, TempSchema) {
		out = append(out, TempSchema)
	}
	if !slices.Contains(p, SystemSchema) {
		out = append(out, SystemSchema)
	}
	for _, s := range p {
		if s != UserSchema && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// PathSet is the search paths that may be set at some place; any says that it may be every path.
type PathSet struct {
	All []SearchPath
	Any bool
}

// OnePath is the set of one search path.
func OnePath(p SearchPath) PathSet { return PathSet{All: []SearchPath{p}} }

// Or gives the paths of both.
func (s PathSet) Or(o PathSet) PathSet {
	out := PathSet{All: slices.Clone(s.All), Any: s.Any || o.Any}
	for _, p := range o.All {
		if !slices.ContainsFunc(out.All, func(q SearchPath) bool { return slices.Equal(p, q) }) {
			out.All = append(out.All, p)
		}
	}
	return out
}

// Empty reports whether there is no path in the set.
func (s PathSet) Empty() bool { return len(s.All) == 0 && !s.Any }

// String lists the paths.
func (s PathSet) String() string {
	if s.Any {
		return "any"
	}
	var out []string
	for _, p := range s.All {
		out = append(out, p.String())
	}
	return strings.Join(out, " or ")
}

// PathChange is what a SET of the search path, or a call of set_config, does. known is false where
// it is none.
type PathChange struct {
	To    PathSet
	Local bool // it ends with the transaction
}

// PathSetting reads SET search_path, RESET and the like; default is the path that DEFAULT stands for and
// current that of FROM CURRENT.
func PathSetting(s *pg.VariableSetStmt, standard, current PathSet) (c PathChange, ok bool) {
	switch s.Kind {
	case pg.SetResetAll:
		return PathChange{To: standard}, true
	case pg.SetDefault, pg.SetReset, pg.SetValue, pg.SetCurrent:
	default:
		return PathChange{}, false
	}
	if !strings.EqualFold(s.Name, "search_path") {
		return PathChange{}, false
	}
	switch s.Kind {
	case pg.SetDefault, pg.SetReset:
		return PathChange{To: standard, Local: s.IsLocal}, true
	case pg.SetCurrent:
		return PathChange{To: current, Local: s.IsLocal}, true
	}
	p := SearchPath{}
	for _, n := range s.Args {
		c, isConst := pg.Inner(n).(*pg.A_Const)
		if !isConst {
			return PathChange{To: PathSet{Any: true}, Local: s.IsLocal}, true
		}
		p = append(p, c.GetSval().GetSval())
	}
	return PathChange{To: OnePath(p), Local: s.IsLocal}, true
}

// ConfigSetting reads the arguments of set_config where they may set the search path.
func ConfigSetting(call *pg.FuncCall) (c PathChange, ok bool) {
	text := func(i int) (string, bool) {
		if i >= len(call.Args) {
			return "", false
		}
		return constantText(call.Args[i])
	}
	name, known := text(0)
	if known && !strings.EqualFold(name, "search_path") {
		return PathChange{}, false
	}
	c.To = PathSet{Any: true}
	if value, isText := text(1); known && isText {
		if p, ok := splitPath(value); ok {
			c.To = OnePath(p)
		}
	}
	if len(call.Args) > 2 {
		if b, is := pg.Inner(call.Args[2]).(*pg.A_Const); is {
			c.Local = b.GetBoolval().GetBoolval()
		}
	}
	return c, true
}

// constantText gives the text that an argument is, if it is a constant.
func constantText(arg *pg.Node) (text string, known bool) {
	n := pg.Inner(arg)
	if cast, is := n.(*pg.TypeCast); is {
		n = pg.Inner(cast.Arg)
	}
	c, is := n.(*pg.A_Const)
	if !is || c.GetSval() == nil {
		return "", false
	}
	return c.GetSval().GetSval(), true
}
