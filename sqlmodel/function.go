package sqlmodel

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/system"
	"github.com/txrobust/robust/ir"
)

// function is a function or procedure of the program.
type function struct {
	named
	pos ir.Pos
	// name is what the function is called in the program: without its schema where that says enough.
	name      string
	procedure bool
	// newer, if not nil, is what CREATE OR REPLACE put in its place.
	newer *function
	// bare says that its declaration gives no schema, and nothing else said one.
	bare bool
	// path, if not nil, is the search path that its declaration sets while it runs; created is the one with
	// which it was declared.
	path    *syntax.PathSet
	created syntax.PathSet
	// may are the roles that may execute it beside its owner, revokedAt where that was said last.
	may       roles
	revokedAt ir.Pos
	// calledBy is what calls it, if it is a template; declared is where a declaration of the schema does first.
	calledBy []string
	declared ir.Pos
	params   []param
	language string
	// ret is nil for procedures and functions with OUT parameters.
	ret    *pg.TypeName
	setOf  bool
	strict bool
	// stable says that it does not see what the calling query has written.
	stable bool
	// immutable says that it is declared to give the same for the same arguments for ever.
	immutable bool
	helper    bool
	fresh     []string
	// text is what positions of the declaration refer to.
	text *syntax.Text
	// Exactly one of these holds the body: PL/pgSQL, SQL as a string, or the
	// standard form. A function in another language has none.
	body     *plpgsql.Body
	bodyText *syntax.Text
	sql      []*pg.RawStmt
	atomic   []*pg.Node
	// refs is what the body names, itself only.
	refs *refs
	// script is the body of a transaction that a client sends statement by
	// statement: it is no function of the database.
	script *script
	// program is the body of a transaction of a client program.
	program *programBody
	// level is the isolation level that BEGIN of a script asks for, or "".
	level string
}

// param is a parameter of a function.
type param struct {
	pos  ir.Pos
	name string
	t    *pg.TypeName
	in   bool
	out  bool
	def  *pg.Node
	vari bool
}

// inputs gives the parameters that a caller passes.
func (f *function) inputs() []param {
	var out []param
	for _, p := range f.params {
		if p.in {
			out = append(out, p)
		}
	}
	return out
}

// outputs gives the OUT, INOUT and TABLE parameters.
func (f *function) outputs() []param {
	var out []param
	for _, p := range f.params {
		if p.out {
			out = append(out, p)
		}
	}
	return out
}

// trigger reports whether f can only be called by a trigger.
func (f *function) isTrigger() bool {
	if f.ret == nil {
		return false
	}
	parts := syntax.Names(f.ret.Names)
	last := parts[len(parts)-1]
	return last == "trigger" || last == "event_trigger"
}

// void reports whether f returns nothing.
func (f *function) void() bool {
	if f.ret == nil {
		return len(f.outputs()) == 0
	}
	parts := syntax.Names(f.ret.Names)
	return parts[len(parts)-1] == "void"
}

// signature is the name with the types of the inputs.
func (f *function) signature() string {
	var parts []string
	for _, p := range f.inputs() {
		parts = append(parts, syntax.TypeSpelling(p.t))
	}
	return f.name + "(" + strings.Join(parts, ", ") + ")"
}

// createFunction reads CREATE FUNCTION and CREATE PROCEDURE.
func (l *Schema) createFunction(s *pg.CreateFunctionStmt, t *syntax.Text, first int) {
	src := t.Src
	f := &function{pos: src.Pos(src.Toks[first].Start), procedure: s.IsProcedure, ret: s.ReturnType, text: t, language: "sql", created: declaredNames(t).paths}
	parts := syntax.Names(s.Funcname)
	schema := l.schemaFor(parts[:len(parts)-1], t, f.pos)
	f.names = []calling{{l.clock, schema, parts[len(parts)-1]}}
	f.name, f.bare = f.full(), len(parts) == 1 && l.unsaid(t)
	f.may, f.revokedAt = l.mayExecute(schema)
	if f.ret != nil {
		f.setOf = f.ret.Setof
	}
	for _, n := range s.Parameters {
		p := pg.Inner(n).(*pg.FunctionParameter)
		q := param{pos: t.Pos(int(p.Location)), name: p.Name, t: p.ArgType, def: p.Defexpr}
		switch p.Mode {
		case pg.ParamOut:
			q.out = true
		case pg.ParamTable:
			q.out, f.setOf = true, true
		case pg.ParamInOut:
			q.in, q.out = true, true
		default:
			q.in = true
			q.vari = p.Mode == pg.ParamVariadic
		}
		f.params = append(f.params, q)
	}
	if len(f.outputs()) > 0 {
		f.ret = nil
	}
	var as *pg.DefElem
	for _, n := range s.Options {
		d := pg.Inner(n).(*pg.DefElem)
		switch d.Defname {
		case "language":
			f.language = strings.ToLower(d.GetArg().GetString_().GetSval())
		case "strict", "volatility":
			f.option(d)
		case "as":
			as = d
		case "set":
			l.functionSetting(f, d, t)
		}
	}
	l.functionComments(f, src, first)
	f.helper = f.helper || l.unread.files[src.Name]
	switch {
	case s.SqlBody != nil:
		f.atomic = syntax.SQLBody(s.SqlBody)
	case as == nil || f.language != "plpgsql" && f.language != "sql":
		l.note(f.pos, "%s is in %s: it is no template, and calls of it are not modelled", f.name, f.language)
	default:
		l.functionBody(f, src, t.Offset(int(as.Location)))
	}
	f.refs = l.functionRefs(f)
	for _, old := range l.declarations.functionsIn(schema, f.own(), l.clock) {
		if !slices.Equal(l.signatureTypes(old), l.signatureTypes(f)) {
			continue
		}
		if !s.Replace {
			l.fail(f.pos, "function %s is already declared at %s", f.signature(), old.pos)
		}
		l.funcs = without(l.funcs, func(g *function) bool { return g == old })
		old.newer, f.may, f.revokedAt, f.declared = f, old.may, old.revokedAt, old.declared
	}
	l.funcs = append(l.funcs, f)
	l.declarations.funcs[f.own()] = append(l.declarations.funcs[f.own()], f)
}

// functionSetting takes over what CREATE or ALTER FUNCTION says of the search path.
func (l *Schema) functionSetting(f *function, d *pg.DefElem, t *syntax.Text) {
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
		if c, ok := syntax.PathSetting(v, l.standard, declaredNames(t).paths); ok {
			f.path = &c.To
		}
	}
}

// signatureTypes gives the types of the parameters that tell a function from others of its name, spelt as in
// pg_type; types of the program by the names that they never share with others.
func (l *Schema) signatureTypes(f *function) []string {
	out := []string{}
	for _, p := range f.inputs() {
		out = append(out, l.typeKey(p.t, f.text))
	}
	return out
}

// typeKey names the type t so that no other type has the name.
func (l *Schema) typeKey(t *pg.TypeName, in *syntax.Text) string {
	if t == nil {
		return "?"
	}
	raw := syntax.Qualified(syntax.Names(t.Names))
	key := syntax.PlainName(raw)
	if u := l.sees(in).typ(raw); u != nil {
		key = u.key
	} else if o := l.sees(in).relation(raw); o != nil && o.table != nil && !system.Type(key) {
		key = o.table.rowType
	}
	if len(t.ArrayBounds) > 0 {
		key = "_" + key
	}
	return key
}

// functionBody finds the string after AS, and parses it.
func (l *Schema) functionBody(f *function, src *syntax.Source, as int) {
	i := src.FirstToken(as)
	for i < len(src.Toks) && src.Toks[i].Kind != pg.Text {
		i++
	}
	if i == len(src.Toks) {
		l.fail(f.pos, "the body of %s is no string constant", f.name)
	}
	f.bodyText = src.Literal(src.Toks[i])
	if f.language == "sql" {
		stmts, err := f.bodyText.Parse()
		if err != nil {
			panic(err)
		}
		f.sql = stmts
		return
	}
	body, err := plpgsql.Parse(f.bodyText.SQL)
	if err != nil {
		e := err.(*plpgsql.Error)
		l.fail(f.bodyText.Pos(e.Offset), "%s", e.Msg)
	}
	f.body = body
}

// comments reads the invariants of a file, and refuses directives that are
// misspelt.
func (l *Schema) comments(src *syntax.Source) {
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
			case isIgnore(key, rest):
				l.fail(src.Pos(at), "this does not stand directly before a CREATE FUNCTION or a transaction, where it would say what to ignore; move it there")
			case key == "robust" && rest != "helper":
				l.note(src.Pos(at), "the comment \"robust: %s\" is not understood; there are \"robust: helper\" and \"robust: ignore\"", rest)
			case !src.FunctionFollows(i):
				l.note(src.Pos(at), "the comment \"%s: %s\" does not stand directly before a CREATE FUNCTION or a transaction", key, rest)
			}
		}
	}
}

// isIgnore reports whether a comment accepts findings.
func isIgnore(key, rest string) bool {
	words := strings.Fields(rest)
	return key == "robust" && len(words) > 0 && words[0] == "ignore"
}

// ignore takes over a comment that accepts the findings of a part of the file.
func (l *Schema) ignore(pos ir.Pos, rest string, from, to ir.Pos) {
	g, err := ir.NewIgnore(pos, strings.TrimPrefix(rest, "ignore"))
	if err != nil {
		panic(err)
	}
	g.From, g.To = from, to
	l.prog.Ignores = append(l.prog.Ignores, g)
}

// functionComments reads the comments directly before CREATE FUNCTION.
func (l *Schema) functionComments(f *function, src *syntax.Source, first int) {
	for i := first - 1; i >= 0 && src.Toks[i].Kind == pg.Comment; i-- {
		if rest, at, ok := src.Directive(src.Toks[i], "robust"); ok && rest == "helper" {
			f.helper = true
		} else if ok && isIgnore("robust", rest) {
			src.Claim(i)
			l.ignore(src.Pos(at), rest, f.pos, src.Pos(statementSpans(src.Toks[first:], len(src.Text))[0][1]))
		}
		rest, at, ok := src.Directive(src.Toks[i], "fresh")
		if !ok {
			continue
		}
		list := syntax.SplitNames(rest)
		for _, off := range slices.Sorted(maps.Keys(list)) {
			name := list[off]
			known := false
			for _, p := range f.inputs() {
				known = known || p.name == name
			}
			if !known {
				l.fail(src.Pos(at+off), "%s has no parameter %s to be fresh", f.name, name)
			}
			f.fresh = append(f.fresh, name)
		}
	}
	slices.Sort(f.fresh)
}

func (l *Schema) dropFunction(f *function) {
	f.gone = l.clock
	l.funcs = without(l.funcs, func(g *function) bool { return f == g })
}

// functionsOf gives the functions that obj names: one, or where it has no arguments those of the name in the first
// schema that has some.
func (l *Schema) functionsOf(obj *pg.ObjectWithArgs, t *syntax.Text) []*function {
	all, _ := l.sees(t).functions(syntax.Qualified(syntax.Names(obj.Objname)))
	args := []string{}
	for _, n := range obj.Objargs {
		if tn, ok := pg.Inner(n).(*pg.TypeName); ok {
			args = append(args, l.typeKey(tn, t))
		}
	}
	var out []*function
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
func (f *function) option(d *pg.DefElem) {
	switch d.Defname {
	case "strict":
		f.strict = d.GetArg().GetBoolean().GetBoolval()
	case "volatility":
		word := d.GetArg().GetString_().GetSval()
		f.stable, f.immutable = word != "volatile", word == "immutable"
	}
}

func (l *Schema) renameFunction(s *pg.RenameStmt, t *syntax.Text) {
	obj, ok := pg.Inner(s.Object).(*pg.ObjectWithArgs)
	if !ok {
		return
	}
	for _, f := range l.functionsOf(obj, t) {
		l.moveFunction(f, f.schema(), s.Newname)
	}
}

// hasBody reports whether f can be translated.
func (f *function) hasBody() bool {
	return f.body != nil || f.sql != nil || f.atomic != nil || f.bodyText != nil || f.script != nil || f.program != nil
}
