package schema

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// standardMark stands for the search path with which sessions begin, in a PathSet of refs.
const standardMark = "\x00standard"

// sessionPath is the search path of a session while a file is read.
type sessionPath struct {
	Paths syntax.PathSet
	// before, in a transaction, is the path that ROLLBACK brings back, and local the one of SET LOCAL.
	before, Local *syntax.PathSet
	inTxn         bool
	Session       *syntax.Session
}

// Now gives the path that is set.
func (s *sessionPath) Now() syntax.PathSet {
	if s.Local != nil {
		return *s.Local
	}
	return s.Paths
}

// Set applies a SET.
func (s *sessionPath) Set(c syntax.PathChange) {
	switch {
	case !c.Local:
		s.Paths, s.Local = c.To, nil
	case s.inTxn: // elsewhere it does nothing
		s.Local = &c.To
	}
}

// Begin is BEGIN: SET LOCAL lasts until the end.
func (s *sessionPath) Begin() {
	p := s.Paths
	s.inTxn, s.before, s.Local = true, &p, nil
}

// End is COMMIT, or ROLLBACK.
func (s *sessionPath) End(rollback bool) {
	if rollback && s.before != nil {
		s.Paths = *s.before
	}
	s.inTxn, s.before, s.Local = false, nil, nil
}

// RolePath is a search path that ALTER ROLE … SET or ALTER DATABASE … SET gives sessions.
type RolePath struct {
	Pos            ir.Pos
	Role, Database string // "" for all
	Path           syntax.PathSet
}

// StartPaths sets the search path before the files are read.
func (l *Schema) StartPaths() {
	l.Standard = syntax.OnePath(syntax.DefaultPath)
	if l.In.SearchPath != nil {
		l.Standard = syntax.OnePath(l.In.SearchPath)
	}
	l.Late = Resolver{l: l, Paths: l.Standard, Run: l.Standard, At: Now}
	l.Path = l.NewSessionPath(nil)
}

// NewSessionPath is the search path with which a session begins.
func (l *Schema) NewSessionPath(s *syntax.Session) sessionPath {
	return sessionPath{Paths: l.Standard, Session: s}
}

// Declaring gives the text of a declaration, which says what the names in it mean: those of this moment.
func (l *Schema) Declaring(t *syntax.Text) *syntax.Text {
	l.Clock++
	out := *t
	out.Scope = l.Names()
	return &out
}

// Names gives the resolver for the names in declarations at this moment.
func (l *Schema) Names() *Resolver {
	p := l.Path.Now()
	return &Resolver{l: l, Paths: p, Run: p, At: l.Clock, session: l.Path.Session}
}

// SettlePaths finds the search path of clients, once all files are read: the one that they were said to have, or that
// of a setting of the database or of the only role that has one.
func (l *Schema) SettlePaths() {
	if l.In.SearchPath == nil {
		var ofRoles, ofAll []RolePath
		for _, r := range l.Roles {
			if r.Role == "" {
				ofAll = append(ofAll, r)
			} else {
				ofRoles = append(ofRoles, r)
			}
		}
		for _, list := range [][]RolePath{ofAll, ofRoles} {
			if len(list) == 0 {
				continue
			}
			last := list[len(list)-1]
			if slices.ContainsFunc(list, func(r RolePath) bool { return r.Path.String() != last.Path.String() && r.Role != last.Role }) {
				l.Note(last.Pos, "roles have different search paths: clients are taken to have %s; say with -search-path which one they have", l.Standard)
				continue
			}
			l.Standard = last.Path
			l.Note(last.Pos, "clients are taken to have this search path: %s; say with -search-path if they have another one", last.Path)
		}
	}
	l.Late = *l.Late.With(l.Standard)
	l.Path = l.NewSessionPath(nil)
}

// FirstPath is the search path with which declarations are read, the first one where it may be one of several.
func (l *Schema) FirstPath() syntax.SearchPath {
	if p := l.Path.Now(); len(p.All) > 0 {
		return p.All[0]
	}
	return syntax.SearchPath{syntax.PublicSchema}
}

// NewIn gives the schema in which a search path puts something new, "" if there is none.
func (l *Schema) NewIn(p syntax.SearchPath) string {
	for _, s := range p {
		exists, known := l.Declarations.Schemas[s]
		if s != syntax.UserSchema && s != syntax.SystemSchema && s != "" && (exists || !known && !l.laterCreated(s)) {
			return s
		}
	}
	return ""
}

// laterCreated reports whether some file has a CREATE SCHEMA of a name, which has not been read.
func (l *Schema) laterCreated(name string) bool {
	if l.createdSchemas == nil {
		l.createdSchemas = map[string]bool{}
		for _, f := range l.Files {
			for _, m := range createSchemaText.FindAllStringSubmatch(f.Text, -1) {
				l.createdSchemas[strings.Trim(m[1], `"`)] = true
				l.createdSchemas[strings.ToLower(m[1])] = true
			}
		}
	}
	return l.createdSchemas[name]
}

// Outside reports whether a name is that of a table in a schema that no file makes: an extension or a platform may have it.
func (l *Schema) Outside(name string) bool {
	of, _ := syntax.SplitName(name)
	_, made := l.Declarations.Schemas[of]
	return !l.In.MySQL && !made && !l.laterCreated(of) && !slices.Contains([]string{"", syntax.PublicSchema, syntax.TempSchema, syntax.InfoSchema, syntax.SystemSchema}, of)
}

var createSchemaText = regexp.MustCompile(`(?i)\bcreate\s+schema\s+(?:if\s+not\s+exists\s+)?([\p{L}_][\p{L}\p{N}_$]*|"[^"]+")`)

// Changed gives the table that a declaration changes: nil if it is a view or the like. One that is not there is
// an error unless missing says that it may.
func (l *Schema) Changed(r *pg.RangeVar, t *syntax.Text, missing bool) *Table {
	o := l.Sees(t).Relation(syntax.RangeName(r))
	switch {
	case o != nil:
		return o.Table
	case missing:
		return nil
	}
	l.Fail(t.Pos(int(r.Location)), NoTable+"%s", l.NotThere(l.Sees(t), syntax.RangeName(r)))
	return nil
}

// NotThere spells a name that means nothing, with what it may have been meant for.
func (l *Schema) NotThere(in *Resolver, raw string) string {
	_, name := syntax.SplitName(raw)
	var others []string
	for _, o := range l.Declarations.Relations[name] {
		if _, _, there := o.at(in.At); there && o.Of == nil {
			others = append(others, syntax.Qualified([]string{o.Schema(), o.Own()}))
		}
	}
	if len(others) == 0 {
		return raw
	}
	slices.Sort(others)
	return raw + " in the search path (" + in.Paths.String() + "), but there is " + strings.Join(others, " and ") + "; write the schema, or say with -search-path which path clients have"
}

// InsideOf gives the resolver for the names in the body of f, which is called where the paths outer are set.
func (l *Schema) InsideOf(f *Function, outer syntax.PathSet) *Resolver {
	r := l.Late
	r.At = Now
	switch {
	case f.Path != nil:
		outer = *f.Path
	case f.Script != nil:
		outer, r.session = f.Script.Paths, f.Script.S
	}
	r = *r.With(outer)
	if f.Atomic != nil {
		r.At, r.Paths, r.session = DeclaredNames(f.Text).At, DeclaredNames(f.Text).Paths, DeclaredNames(f.Text).session
	}
	return &r
}

// LeadsToPublic reports whether sessions find in the schema public what they name without a schema.
func (l *Schema) LeadsToPublic() bool {
	return !l.Standard.Any && len(l.Standard.All) == 1 && slices.Equal(l.Standard.All[0], syntax.DefaultPath)
}

// SessionsOf gives the search path of the sessions that run a transaction of a script, nil if it is the usual one or
// not known.
func (l *Schema) SessionsOf(f *Function) []string {
	if f.Script == nil {
		return nil
	}
	p := f.Script.Paths
	if p.Any || len(p.All) != 1 || len(l.Standard.All) == 1 && slices.Equal(p.All[0], l.Standard.All[0]) {
		return nil
	}
	return p.All[0]
}

// SetBy gives the search paths that running some SQL may set.
func (l *Schema) SetBy(r *Refs, in *Resolver) syntax.PathSet {
	if !l.SetsPath {
		return syntax.PathSet{}
	}
	return l.setIn(r, in, map[*Function]bool{})
}

func (l *Schema) setIn(r *Refs, in *Resolver, seen map[*Function]bool) syntax.PathSet {
	out := l.unmarked(r.Paths)
	for name := range l.Calls(r) {
		fns, _ := in.Functions(name)
		for _, f := range fns {
			out = out.Or(l.leftIn(f, in.Run, seen))
		}
	}
	return out
}

// LeftBy gives the search paths that a call of f may leave, apart from the one that was set before.
func (l *Schema) LeftBy(f *Function, outer syntax.PathSet) syntax.PathSet {
	if !l.SetsPath {
		return syntax.PathSet{}
	}
	return l.leftIn(f, outer, map[*Function]bool{})
}

func (l *Schema) leftIn(f *Function, outer syntax.PathSet, seen map[*Function]bool) syntax.PathSet {
	if seen[f] {
		return syntax.PathSet{}
	}
	seen[f] = true
	all := l.setIn(f.Refs, l.InsideOf(f, outer), seen)
	if f.Path != nil { // what lasts longer than the call
		return l.unmarked(f.Refs.lasting)
	}
	return all
}

// ForTemplate sets what names mean in the transaction of fn, and gives what takes that back.
func (l *Schema) ForTemplate(fn *Function) (leave func()) {
	outer := l.Late
	l.Late = *l.InsideOf(fn, l.Standard)
	l.Late.temps = l.temporaries(fn)
	before := l.Funcs // whatever ran before in the session may have set the path
	if fn.Program != nil {
		before = slices.Concat(l.Funcs, l.Programs) // connections are pooled
	}
	if fn.Path == nil {
		for _, f := range before {
			l.Late = *l.Late.With(l.Late.Run.Or(l.unmarked(f.Refs.lasting)))
		}
	}
	return func() { l.Late = outer }
}

// temporaries gives the names that temporary tables may have in the session of a transaction.
func (l *Schema) temporaries(fn *Function) map[string]bool {
	out := map[string]bool{}
	add := func(f *Function, least Making) {
		for raw, lasts := range f.Refs.Made {
			if _, name := syntax.SplitName(raw); lasts < ForAll && lasts >= least {
				out[name] = true
			}
		}
	}
	for _, f := range slices.Concat(l.Funcs, l.Scripts, l.Programs) {
		add(f, forSession)
	}
	seen := map[*Function]bool{}
	var visit func(f *Function)
	visit = func(f *Function) {
		if seen[f] {
			return
		}
		seen[f] = true
		add(f, untilCommit)
		for _, g := range l.Callees(f) {
			visit(g)
		}
	}
	if l.Declarations.temporary {
		visit(fn)
	}
	return out
}

// unmarked puts the standard path where it is meant.
func (l *Schema) unmarked(s syntax.PathSet) syntax.PathSet {
	out := syntax.PathSet{Any: s.Any}
	for _, p := range s.All {
		if slices.Equal(p, syntax.SearchPath{standardMark}) {
			out = out.Or(l.Standard)
		} else {
			out = out.Or(syntax.OnePath(p))
		}
	}
	return out
}

// Makes declares the tables that a function or transaction creates, where nothing of their names is there.
func (l *Schema) Makes(f *Function) {
	in := l.InsideOf(f, l.Standard)
	for _, raw := range slices.Sorted(maps.Keys(f.Refs.Made)) {
		schema, name := syntax.SplitName(raw)
		lasts := f.Refs.Made[raw] == ForAll
		v := &View{Pos: f.Pos, What: "a table that a function creates", Rows: lasts}
		switch {
		case !lasts:
			schema = syntax.TempSchema
			if l.Declarations.RelationIn(schema, name, Now) != nil {
				continue
			}
			v.Of = in.Relations(raw)
		case in.Relation(raw) != nil:
			continue
		case schema == "":
			schema = syntax.PublicSchema
			if p := in.Paths.All; len(p) > 0 {
				schema = syntax.NameOr(l.NewIn(p[0]), schema)
			}
		}
		l.AddView(v, schema, name)
		l.Declarations.temporary = l.Declarations.temporary || !lasts
	}
}

// Shorten gives tables and functions the names that are shown: without the schema where the search path leads to it and no
// other has the name.
func (l *Schema) Shorten() {
	leads := func(schema string) bool {
		return slices.ContainsFunc(l.Late.Paths.All, func(p syntax.SearchPath) bool { return slices.Contains(p, schema) })
	}
	schemas := map[string]map[string]bool{}
	note := func(m map[string]map[string]bool, o *Named) {
		if m[o.Own()] == nil {
			m[o.Own()] = map[string]bool{}
		}
		m[o.Own()][o.Schema()] = true
	}
	shown := func(m map[string]map[string]bool, o *Named) string {
		if len(m[o.Own()]) == 1 && leads(o.Schema()) {
			return syntax.Qualified([]string{o.Own()})
		}
		return syntax.Qualified([]string{o.Schema(), o.Own()})
	}
	for _, t := range l.Order {
		note(schemas, &t.Rel.Named)
	}
	for _, v := range l.Views {
		if v.Rows {
			note(schemas, &v.Rel.Named)
		}
	}
	for _, t := range l.Order {
		t.Name = shown(schemas, &t.Rel.Named)
	}
	for _, v := range l.Views {
		v.Name = shown(schemas, &v.Rel.Named)
	}
	schemas = map[string]map[string]bool{}
	for _, f := range l.Funcs {
		note(schemas, &f.Named)
	}
	for _, f := range l.Funcs {
		f.Name = shown(schemas, &f.Named)
	}
}
