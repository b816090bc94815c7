package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
	"github.com/txrobust/robust/ir"
)

// Function is a function or procedure of the program.
type Function struct {
	Named
	Pos ir.Pos
	// Name is what the function is called in the program: without its schema where that says enough.
	Name      string
	Procedure bool
	// newer, if not nil, is what CREATE OR REPLACE put in its place.
	newer *Function
	// bare says that its declaration gives no schema, and nothing else said one.
	bare bool
	// path, if not nil, is the search path that its declaration sets while it runs; created is the one with
	// which it was declared.
	path    *syntax.PathSet
	created syntax.PathSet
	// may are the roles that may execute it beside its owner, RevokedAt where that was said last.
	may       roles
	RevokedAt ir.Pos
	// CalledBy is what calls it, if it is a template; declared is where a declaration of the schema does first.
	CalledBy []string
	Declared ir.Pos
	Params   []Param
	Language string
	// Ret is nil for procedures and functions with OUT parameters.
	Ret    *pg.TypeName
	SetOf  bool
	Strict bool
	// Stable says that it does not see what the calling query has written.
	Stable bool
	// Immutable says that it is declared to give the same for the same arguments for ever.
	Immutable bool
	Helper    bool
	Fresh     []string
	// Text is what positions of the declaration refer to.
	Text *syntax.Text
	// Exactly one of these holds the body: PL/pgSQL, SQL as a string, or the
	// standard form. A function in another language has none.
	Body     *plpgsql.Body
	BodyText *syntax.Text
	Sql      []*pg.RawStmt
	Atomic   []*pg.Node
	// Refs is what the body names, itself only.
	Refs *Refs
	// Script is the body of a transaction that a client sends statement by
	// statement: it is no function of the database.
	Script *Script
	// Program is the body of a transaction of a client program.
	Program *ProgramBody
	// Level is the isolation level that BEGIN of a script asks for, or "".
	Level string
}

// Param is a parameter of a function.
type Param struct {
	Pos  ir.Pos
	Name string
	T    *pg.TypeName
	In   bool
	Out  bool
	Def  *pg.Node
	Vari bool
}

// Inputs gives the parameters that a caller passes.
func (f *Function) Inputs() []Param {
	var out []Param
	for _, p := range f.Params {
		if p.In {
			out = append(out, p)
		}
	}
	return out
}

// Outputs gives the OUT, INOUT and TABLE parameters.
func (f *Function) Outputs() []Param {
	var out []Param
	for _, p := range f.Params {
		if p.Out {
			out = append(out, p)
		}
	}
	return out
}

// trigger reports whether f can only be called by a trigger.
func (f *Function) IsTrigger() bool {
	if f.Ret == nil {
		return false
	}
	parts := syntax.Names(f.Ret.Names)
	last := parts[len(parts)-1]
	return last == "trigger" || last == "event_trigger"
}

// Void reports whether f returns nothing.
func (f *Function) Void() bool {
	if f.Ret == nil {
		return len(f.Outputs()) == 0
	}
	parts := syntax.Names(f.Ret.Names)
	return parts[len(parts)-1] == "void"
}

// Signature is the name with the types of the inputs.
func (f *Function) Signature() string {
	var parts []string
	for _, p := range f.Inputs() {
		parts = append(parts, syntax.TypeSpelling(p.T))
	}
	return f.Name + "(" + strings.Join(parts, ", ") + ")"
}

// createFunction reads CREATE FUNCTION and CREATE PROCEDURE.
func (l *Schema) createFunction(s *pg.CreateFunctionStmt, t *syntax.Text, first int) {
	src := t.Src
	f := &Function{Pos: src.Pos(src.Toks[first].Start), Procedure: s.IsProcedure, Ret: s.ReturnType, Text: t, Language: "sql", created: DeclaredNames(t).Paths}
	parts := syntax.Names(s.Funcname)
	schema := l.schemaFor(parts[:len(parts)-1], t, f.Pos)
	f.names = []calling{{l.clock, schema, parts[len(parts)-1]}}
	f.Name, f.bare = f.Full(), len(parts) == 1 && l.unsaid(t)
	f.may, f.RevokedAt = l.mayExecute(schema)
	if f.Ret != nil {
		f.SetOf = f.Ret.Setof
	}
	for _, n := range s.Parameters {
		p := pg.Inner(n).(*pg.FunctionParameter)
		q := Param{Pos: t.Pos(int(p.Location)), Name: p.Name, T: p.ArgType, Def: p.Defexpr}
		switch p.Mode {
		case pg.ParamOut:
			q.Out = true
		case pg.ParamTable:
			q.Out, f.SetOf = true, true
		case pg.ParamInOut:
			q.In, q.Out = true, true
		default:
			q.In = true
			q.Vari = p.Mode == pg.ParamVariadic
		}
		f.Params = append(f.Params, q)
	}
	if len(f.Outputs()) > 0 {
		f.Ret = nil
	}
	var as *pg.DefElem
	for _, n := range s.Options {
		d := pg.Inner(n).(*pg.DefElem)
		switch d.Defname {
		case "language":
			f.Language = strings.ToLower(d.GetArg().GetString_().GetSval())
		case "strict", "volatility":
			f.option(d)
		case "as":
			as = d
		case "set":
			l.functionSetting(f, d, t)
		}
	}
	l.functionComments(f, src, first)
	f.Helper = f.Helper || l.Unread.Files[src.Name]
	switch {
	case s.SqlBody != nil:
		f.Atomic = syntax.SQLBody(s.SqlBody)
	case as == nil || f.Language != "plpgsql" && f.Language != "sql":
		l.Note(f.Pos, "%s is in %s: it is no template, and calls of it are not modelled", f.Name, f.Language)
	default:
		l.FunctionBody(f, src, t.Offset(int(as.Location)))
	}
	f.Refs = l.FunctionRefs(f)
	for _, old := range l.Declarations.functionsIn(schema, f.Own(), l.clock) {
		if !slices.Equal(l.signatureTypes(old), l.signatureTypes(f)) {
			continue
		}
		if !s.Replace {
			l.Fail(f.Pos, "function %s is already declared at %s", f.Signature(), old.Pos)
		}
		l.Funcs = Without(l.Funcs, func(g *Function) bool { return g == old })
		old.newer, f.may, f.RevokedAt, f.Declared = f, old.may, old.RevokedAt, old.Declared
	}
	l.Funcs = append(l.Funcs, f)
	l.Declarations.funcs[f.Own()] = append(l.Declarations.funcs[f.Own()], f)
}

// functionSetting takes over what CREATE or ALTER FUNCTION says of the search path.
func (l *Schema) functionSetting(f *Function, d *pg.DefElem, t *syntax.Text) {
	v, ok := pg.Inner(d.Arg).(*pg.VariableSetStmt)
	if !ok {
		return
	}
	switch v.Kind {
	case pg.SetReset:
		if strings.EqualFold(v.Name, "search_path") {
			f.path = nil
		}
	case pg.SetResetAll:
		f.path = nil
	default:
		if c, ok := syntax.PathSetting(v, l.Standard, DeclaredNames(t).Paths); ok {
			f.path = &c.To
		}
	}
}

// signatureTypes gives the types of the parameters that tell a function from others of its name, spelt as in
// pg_type; types of the program by the names that they never share with others.
func (l *Schema) signatureTypes(f *Function) []string {
	out := []string{}
	for _, p := range f.Inputs() {
		out = append(out, l.typeKey(p.T, f.Text))
	}
	return out
}

// TypeKey names the type t so that no other type has the name.
func (l *Schema) typeKey(t *pg.TypeName, in *syntax.Text) string {
	if t == nil {
		return "?"
	}
	raw := syntax.Qualified(syntax.Names(t.Names))
	key := syntax.PlainName(raw)
	if u := l.Sees(in).Typ(raw); u != nil {
		key = u.Key
	} else if o := l.Sees(in).Relation(raw); o != nil && o.Table != nil && !system.Type(key) {
		key = o.Table.RowType
	}
	if len(t.ArrayBounds) > 0 {
		key = "_" + key
	}
	return key
}

// FunctionBody finds the string after AS, and parses it.
func (l *Schema) FunctionBody(f *Function, src *syntax.Source, as int) {
	i := src.FirstToken(as)
	for i < len(src.Toks) && src.Toks[i].Kind != pg.Text {
		i++
	}
	if i == len(src.Toks) {
		l.Fail(f.Pos, "the body of %s is no string constant", f.Name)
	}
	f.BodyText = src.Literal(src.Toks[i])
	if f.Language == "sql" {
		stmts, err := f.BodyText.Parse()
		if err != nil {
			panic(err)
		}
		f.Sql = stmts
		return
	}
	body, err := plpgsql.Parse(f.BodyText.SQL)
	if err != nil {
		e := err.(*plpgsql.Error)
		l.Fail(f.BodyText.Pos(e.Offset), "%s", e.Msg)
	}
	f.Body = body
}

// Comments reads the invariants of a file, and refuses directives that are
// misspelt.
func (l *Schema) Comments(src *syntax.Source) {
	for i, tok := range src.Toks {
		if tok.Kind != pg.Comment {
			continue
		}
		if rest, at, ok := src.Directive(tok, "invariant"); ok {
			l.readFact(src, rest, at)
		}
		for _, key := range []string{"robust", "fresh"} {
			rest, at, ok := src.Directive(tok, key)
			switch {
			case !ok, src.Claimed[i]:
			case IsIgnore(key, rest):
				l.Fail(src.Pos(at), "this does not stand directly before a CREATE FUNCTION or a transaction, where it would say what to ignore; move it there")
			case key == "robust" && rest != "helper":
				l.Note(src.Pos(at), "the comment \"robust: %s\" is not understood; there are \"robust: helper\" and \"robust: ignore\"", rest)
			case !src.FunctionFollows(i):
				l.Note(src.Pos(at), "the comment \"%s: %s\" does not stand directly before a CREATE FUNCTION or a transaction", key, rest)
			}
		}
	}
}

// IsIgnore reports whether a comment accepts findings.
func IsIgnore(key, rest string) bool {
	words := strings.Fields(rest)
	return key == "robust" && len(words) > 0 && words[0] == "ignore"
}

// Ignore takes over a comment that accepts the findings of a part of the file.
func (l *Schema) Ignore(pos ir.Pos, rest string, from, to ir.Pos) {
	g, err := ir.NewIgnore(pos, strings.TrimPrefix(rest, "ignore"))
	if err != nil {
		panic(err)
	}
	g.From, g.To = from, to
	l.Prog.Ignores = append(l.Prog.Ignores, g)
}

// functionComments reads the comments directly before CREATE FUNCTION.
func (l *Schema) functionComments(f *Function, src *syntax.Source, first int) {
	for i := first - 1; i >= 0 && src.Toks[i].Kind == pg.Comment; i-- {
		if rest, at, ok := src.Directive(src.Toks[i], "robust"); ok && rest == "helper" {
			f.Helper = true
		} else if ok && IsIgnore("robust", rest) {
			src.Claim(i)
			l.Ignore(src.Pos(at), rest, f.Pos, src.Pos(StatementSpans(src.Toks[first:], len(src.Text))[0][1]))
		}
		rest, at, ok := src.Directive(src.Toks[i], "fresh")
		if !ok {
			continue
		}
		list := syntax.SplitNames(rest)
		for _, off := range slices.Sorted(maps.Keys(list)) {
			name := list[off]
			known := false
			for _, p := range f.Inputs() {
				known = known || p.Name == name
			}
			if !known {
				l.Fail(src.Pos(at+off), "%s has no parameter %s to be fresh", f.Name, name)
			}
			f.Fresh = append(f.Fresh, name)
		}
	}
	slices.Sort(f.Fresh)
}

func (l *Schema) DropFunction(f *Function) {
	f.Gone = l.clock
	l.Funcs = Without(l.Funcs, func(g *Function) bool { return f == g })
}

// functionsOf gives the functions that obj names: one, or where it has no arguments those of the name in the first
// schema that has some.
func (l *Schema) functionsOf(obj *pg.ObjectWithArgs, t *syntax.Text) []*Function {
	all, _ := l.Sees(t).Functions(syntax.Qualified(syntax.Names(obj.Objname)))
	args := []string{}
	for _, n := range obj.Objargs {
		if tn, ok := pg.Inner(n).(*pg.TypeName); ok {
			args = append(args, l.typeKey(tn, t))
		}
	}
	var out []*Function
	for _, f := range all {
		if obj.ArgsUnspecified || slices.Equal(l.signatureTypes(f), args) {
			out = append(out, f)
		}
	}
	if len(out) > 1 {
		out = out[:1]
	}
	return out
}

// alterFunction takes over what ALTER FUNCTION says about calls.
func (l *Schema) alterFunction(s *pg.AlterFunctionStmt, t *syntax.Text) {
	for _, f := range l.functionsOf(s.Func, t) {
		for _, n := range s.Actions {
			d := pg.Inner(n).(*pg.DefElem)
			f.option(d)
			if d.Defname == "set" {
				l.functionSetting(f, d, t)
			}
		}
	}
}

// option takes over an option that says when the body runs.
func (f *Function) option(d *pg.DefElem) {
	switch d.Defname {
	case "strict":
		f.Strict = d.GetArg().GetBoolean().GetBoolval()
	case "volatility":
		word := d.GetArg().GetString_().GetSval()
		f.Stable, f.Immutable = word != "volatile", word == "immutable"
	}
}

func (l *Schema) renameFunction(s *pg.RenameStmt, t *syntax.Text) {
	obj, ok := pg.Inner(s.Object).(*pg.ObjectWithArgs)
	if !ok {
		return
	}
	for _, f := range l.functionsOf(obj, t) {
		l.moveFunction(f, f.Schema(), s.Newname)
	}
}

// HasBody reports whether f can be translated.
func (f *Function) HasBody() bool {
	return f.Body != nil || f.Sql != nil || f.Atomic != nil || f.BodyText != nil || f.Script != nil || f.Program != nil
}

// SqlStatements gives the statements of a LANGUAGE sql function.
func (f *Function) SqlStatements() ([]syntax.SQLStatement, *syntax.Text) {
	var out []syntax.SQLStatement
	if f.Atomic != nil {
		for _, n := range f.Atomic {
			if n == nil || pg.Inner(n) == nil {
				continue
			}
			out = append(out, syntax.SQLStatement{Tree: syntax.StatementTree(n), Node: n, Pos: f.Text.Src.StatementAt(f.Text.Offset(pg.Start(n)))})
		}
		return out, f.Text
	}
	toks, _ := pg.Scan(f.BodyText.SQL)
	for _, raw := range f.Sql {
		at := int(raw.StmtLocation)
		for _, t := range toks {
			if t.Kind != pg.Comment && t.Start >= at {
				at = t.Start
				break
			}
		}
		out = append(out, syntax.SQLStatement{Tree: pg.Inner(raw.Stmt), Node: raw.Stmt, Pos: f.BodyText.Pos(at)})
	}
	return out, f.BodyText
}

// Types gives what is known of the types of the variables, by name, and the
// variables that some path uses without a value.
func (f *Function) Types() (types map[string]Type, open map[int]bool) {
	if f.Program != nil {
		return f.Program.Types, nil
	}
	return f.Script.Types, f.Script.Open
}

// Draws reports whether a function, or one that it calls, uses values that differ from call to call.
func (l *Schema) Draws(f *Function, seen map[*Function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	for name := range l.Calls(f.Refs) {
		if b := l.Builtin(name); (b.Effect == catalog.AnyValue || b.Effect == catalog.Fresh) && len(l.LateFunctions(name)) == 0 {
			return true
		}
	}
	return slices.ContainsFunc(l.Callees(f), func(g *Function) bool { return l.Draws(g, seen) })
}

// ArgNames gives the names of the parameters.
func (f *Function) ArgNames() []string {
	var out []string
	for _, p := range f.Inputs() {
		out = append(out, p.Name)
	}
	return out
}

// Signature is a function of the program as the catalog has functions.
func (l *Schema) Signature(f *Function) *catalog.Function {
	out := &catalog.Function{Name: f.Name, Kind: 'f', Volatility: 'v', Strict: f.Strict, Set: f.SetOf, Program: f}
	for _, p := range f.Inputs() {
		t := l.SignatureType(p.T, f.Text)
		name := t.PgName()
		if p.Vari {
			out.Variadic = true
			if t.Name != NArray {
				name = ArrayOf(t).PgName()
			}
		}
		if p.Def != nil {
			out.Defaults++
		}
		out.Args = append(out.Args, name)
	}
	return out
}

func (f *Function) HasVariadic() bool {
	for _, p := range f.Params {
		if p.Vari {
			return true
		}
	}
	return false
}

// OnlySelect gives the SELECT that is all of an SQL function's body.
func (f *Function) OnlySelect() (*pg.SelectStmt, *syntax.Text) {
	s, t := f.OnlyQuery()
	if s == nil || s.Op > pg.SetOpNone || len(s.ValuesLists) > 0 {
		return nil, nil
	}
	return s, t
}

// OnlyQuery is OnlySelect for queries of any form.
func (f *Function) OnlyQuery() (*pg.SelectStmt, *syntax.Text) {
	list, t := f.SqlStatements()
	if len(list) != 1 {
		return nil, nil
	}
	s, _ := list[0].Tree.(*pg.SelectStmt)
	return s, t
}
