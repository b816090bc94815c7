package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ignore"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
)

// Function is a function or procedure of the program.
type Function struct {
	Named
	Pos ir.Pos
	// Name is what the function is called in the program: without its schema where that says enough.
	Name      string
	Procedure bool
	// Newer, if not nil, is what CREATE OR REPLACE put in its place.
	Newer *Function
	// Bare says that its declaration gives no schema, and nothing else said one.
	Bare bool
	// Path, if not nil, is the search path that its declaration sets while it runs; created is the one with
	// which it was declared.
	Path    *syntax.PathSet
	Created syntax.PathSet
	// Unchecked says that its declaration turns off foreign keys and triggers while it runs.
	Unchecked bool
	// May are the roles that may execute it beside its owner, RevokedAt where that was said last.
	May       Roles
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
	Definer   bool // it runs with the rights of its owner
	Fresh     []string
	// Text is what positions of the declaration refer to.
	Text *syntax.Text
	// Exactly one of these holds the body: PL/pgSQL, SQL as a string, or the
	// standard form. A function in another language has none.
	Body     *plpgsql.Body
	BodyText *syntax.Text
	SQL      []*pg.RawStmt
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

// SignatureTypes gives the types of the parameters that tell a function from others of its name, spelt as in
// pg_type; types of the program by the names that they never share with others.
func (l *Schema) SignatureTypes(f *Function) []string {
	out := []string{}
	for _, p := range f.Inputs() {
		out = append(out, l.TypeKey(p.T, f.Text))
	}
	return out
}

// TypeKey names the type t so that no other type has the name.
func (l *Schema) TypeKey(t *pg.TypeName, in *syntax.Text) string {
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

// Ignore takes over a comment that accepts the findings of a part of the file.
func (l *Schema) Ignore(pos ir.Pos, rest string, from, to ir.Pos) {
	g, err := ignore.Parse(pos, strings.TrimPrefix(rest, "ignore"))
	if err != nil {
		panic(err)
	}
	g.From, g.To = from, to
	l.Prog.Ignores = append(l.Prog.Ignores, g)
}

// Option takes over an option that says when the body runs.
func (f *Function) Option(d *pg.DefElem) {
	switch d.Defname {
	case "strict":
		f.Strict = d.GetArg().GetBoolean().GetBoolval()
	case "volatility":
		word := d.GetArg().GetString_().GetSval()
		f.Stable, f.Immutable = word != "volatile", word == "immutable"
	}
}

// HasBody reports whether f can be translated.
func (f *Function) HasBody() bool {
	return f.Body != nil || f.SQL != nil || f.Atomic != nil || f.BodyText != nil || f.Script != nil || f.Program != nil
}

// SQLStatements gives the statements of a LANGUAGE sql function.
func (f *Function) SQLStatements() ([]syntax.SQLStatement, *syntax.Text) {
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
	for _, raw := range f.SQL {
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

// HasVariadic reports whether the last parameter is VARIADIC.
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
	list, t := f.SQLStatements()
	if len(list) != 1 {
		return nil, nil
	}
	s, _ := list[0].Tree.(*pg.SelectStmt)
	return s, t
}

// Callable writes the name by which sessions call a function, with its schema where the name alone may mean
// another one; overloaded says that the name has several functions.
func (l *Schema) Callable(f *Function) (name string, overloaded bool) {
	found, sure := l.Late.Functions(f.Own())
	overloaded = len(l.Declarations.FunctionsIn(f.Schema(), f.Own(), Now)) > 1
	said := l.Late.LeadsTo(f.Schema()) && (f.Schema() == syntax.PublicSchema || slices.Contains(l.Prog.SearchPath, f.Schema()))
	sure = sure && said
	for _, g := range found {
		sure = sure && g.Schema() == f.Schema()
	}
	if sure && slices.Contains(found, f) {
		return quote.Ident(f.Own()), overloaded
	}
	return quote.Ident(f.Schema()) + "." + quote.Ident(f.Own()), overloaded
}

// CastTo writes a cast, "" where the type is that of a column.
func (l *Schema) CastTo(t *pg.TypeName, in *syntax.Text) string {
	if t == nil || t.PctType {
		return ""
	}
	name, array := strings.CutSuffix(syntax.TypeSpelling(t), "[]")
	if u := l.Sees(in).Typ(syntax.Qualified(syntax.Names(t.Names))); u != nil && u.Schema() != syntax.PublicSchema {
		name = syntax.Qualified([]string{u.Schema(), u.Own()})
	}
	name = "::" + quote.Name(name)
	if array {
		name += "[]"
	}
	return name
}
