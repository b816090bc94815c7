package sqlmodel

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
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
	path    *pathSet
	created pathSet
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
	text *text
	// Exactly one of these holds the body: PL/pgSQL, SQL as a string, or the
	// standard form. A function in another language has none.
	body     *plpgsql.Body
	bodyText *text
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
	parts := names(f.ret.Names)
	last := parts[len(parts)-1]
	return last == "trigger" || last == "event_trigger"
}

// void reports whether f returns nothing.
func (f *function) void() bool {
	if f.ret == nil {
		return len(f.outputs()) == 0
	}
	parts := names(f.ret.Names)
	return parts[len(parts)-1] == "void"
}

// signature is the name with the types of the inputs.
func (f *function) signature() string {
	var parts []string
	for _, p := range f.inputs() {
		parts = append(parts, typeSpelling(p.t))
	}
	return f.name + "(" + strings.Join(parts, ", ") + ")"
}

func typeSpelling(t *pg.TypeName) string {
	if t == nil {
		return "?"
	}
	s := plainName(qualified(names(t.Names)))
	if len(t.ArrayBounds) > 0 {
		s += "[]"
	}
	return s
}

// createFunction reads CREATE FUNCTION and CREATE PROCEDURE.
func (l *loader) createFunction(s *pg.CreateFunctionStmt, t *text, first int) {
	src := t.src
	f := &function{pos: src.pos(src.toks[first].Start), procedure: s.IsProcedure, ret: s.ReturnType, text: t, language: "sql", created: t.names.paths}
	parts := names(s.Funcname)
	schema := l.schemaFor(parts[:len(parts)-1], t, f.pos)
	f.names = []calling{{l.clock, schema, parts[len(parts)-1]}}
	f.name, f.bare = f.full(), len(parts) == 1 && l.unsaid(t)
	f.may, f.revokedAt = l.mayExecute(schema)
	if f.ret != nil {
		f.setOf = f.ret.Setof
	}
	for _, n := range s.Parameters {
		p := pg.Inner(n).(*pg.FunctionParameter)
		q := param{pos: t.pos(int(p.Location)), name: p.Name, t: p.ArgType, def: p.Defexpr}
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
	f.helper = f.helper || l.unread.files[src.name]
	switch {
	case s.SqlBody != nil:
		f.atomic = sqlBody(s.SqlBody)
	case as == nil || f.language != "plpgsql" && f.language != "sql":
		l.note(f.pos, "%s is in %s: it is no template, and calls of it are not modelled", f.name, f.language)
	default:
		l.functionBody(f, src, t.offset(int(as.Location)))
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
func (l *loader) functionSetting(f *function, d *pg.DefElem, t *text) {
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
		if c, ok := pathSetting(v, l.standard, t.names.paths); ok {
			f.path = &c.to
		}
	}
}

// signatureTypes gives the types of the parameters that tell a function from others of its name, spelt as in
// pg_type; types of the program by the names that they never share with others.
func (l *loader) signatureTypes(f *function) []string {
	out := []string{}
	for _, p := range f.inputs() {
		out = append(out, l.typeKey(p.t, f.text))
	}
	return out
}

// typeKey names the type t so that no other type has the name.
func (l *loader) typeKey(t *pg.TypeName, in *text) string {
	if t == nil {
		return "?"
	}
	raw := qualified(names(t.Names))
	key := plainName(raw)
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

// sqlBody flattens the BEGIN ATOMIC … END and RETURN forms.
func sqlBody(n *pg.Node) []*pg.Node {
	list, ok := pg.Inner(n).(*pg.List)
	if !ok {
		return []*pg.Node{n}
	}
	var out []*pg.Node
	for _, item := range list.Items {
		out = append(out, sqlBody(item)...)
	}
	return out
}

// functionBody finds the string after AS, and parses it.
func (l *loader) functionBody(f *function, src *source, as int) {
	i := src.firstToken(as)
	for i < len(src.toks) && src.toks[i].Kind != pg.Text {
		i++
	}
	if i == len(src.toks) {
		l.fail(f.pos, "the body of %s is no string constant", f.name)
	}
	f.bodyText = src.literal(src.toks[i])
	if f.language == "sql" {
		stmts, err := f.bodyText.parse()
		if err != nil {
			panic(err)
		}
		f.sql = stmts
		return
	}
	body, err := plpgsql.Parse(f.bodyText.s)
	if err != nil {
		e := err.(*plpgsql.Error)
		l.fail(f.bodyText.pos(e.Offset), "%s", e.Msg)
	}
	f.body = body
}

// comments reads the invariants of a file, and refuses directives that are
// misspelt.
func (l *loader) comments(src *source) {
	for i, tok := range src.toks {
		if tok.Kind != pg.Comment {
			continue
		}
		if rest, at, ok := src.directive(tok, "invariant"); ok {
			l.readFact(src, rest, at)
		}
		for _, key := range []string{"robust", "fresh"} {
			rest, at, ok := src.directive(tok, key)
			switch {
			case !ok, src.claimed[i]:
			case isIgnore(key, rest):
				l.fail(src.pos(at), "this does not stand directly before a CREATE FUNCTION or a transaction, where it would say what to ignore; move it there")
			case key == "robust" && rest != "helper":
				l.note(src.pos(at), "the comment \"robust: %s\" is not understood; there are \"robust: helper\" and \"robust: ignore\"", rest)
			case !src.functionFollows(i):
				l.note(src.pos(at), "the comment \"%s: %s\" does not stand directly before a CREATE FUNCTION or a transaction", key, rest)
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
func (l *loader) ignore(pos ir.Pos, rest string, from, to ir.Pos) {
	g, err := ir.NewIgnore(pos, strings.TrimPrefix(rest, "ignore"))
	if err != nil {
		panic(err)
	}
	g.From, g.To = from, to
	l.prog.Ignores = append(l.prog.Ignores, g)
}

// claim says that a comment belongs to something.
func (s *source) claim(i int) {
	if s.claimed == nil {
		s.claimed = map[int]bool{}
	}
	s.claimed[i] = true
}

// functionFollows reports whether the next statement after token i is CREATE
// FUNCTION or PROCEDURE.
func (s *source) functionFollows(i int) bool {
	j := s.firstToken(s.toks[i].End)
	for n := 0; n < 4 && j+n < len(s.toks); n++ {
		if t := s.toks[j+n]; t.Kind == pg.Word && (t.Text == "function" || t.Text == "procedure") {
			return s.toks[j].Text == "create"
		}
	}
	return false
}

// functionComments reads the comments directly before CREATE FUNCTION.
func (l *loader) functionComments(f *function, src *source, first int) {
	for i := first - 1; i >= 0 && src.toks[i].Kind == pg.Comment; i-- {
		if rest, at, ok := src.directive(src.toks[i], "robust"); ok && rest == "helper" {
			f.helper = true
		} else if ok && isIgnore("robust", rest) {
			src.claim(i)
			l.ignore(src.pos(at), rest, f.pos, src.pos(statementSpans(src.toks[first:], len(src.text))[0][1]))
		}
		rest, at, ok := src.directive(src.toks[i], "fresh")
		if !ok {
			continue
		}
		list := splitNames(rest)
		for _, off := range slices.Sorted(maps.Keys(list)) {
			name := list[off]
			known := false
			for _, p := range f.inputs() {
				known = known || p.name == name
			}
			if !known {
				l.fail(src.pos(at+off), "%s has no parameter %s to be fresh", f.name, name)
			}
			f.fresh = append(f.fresh, name)
		}
	}
	slices.Sort(f.fresh)
}

// splitNames splits a list at commas, by offset.
func splitNames(list string) map[int]string {
	out := map[int]string{}
	off := 0
	for _, part := range strings.Split(list, ",") {
		name := strings.TrimSpace(part)
		out[off+strings.Index(part, name)] = name
		off += len(part) + 1
	}
	return out
}

func (l *loader) dropFunction(f *function) {
	f.gone = l.clock
	l.funcs = without(l.funcs, func(g *function) bool { return f == g })
}

// functionsOf gives the functions that obj names: one, or where it has no arguments those of the name in the first
// schema that has some.
func (l *loader) functionsOf(obj *pg.ObjectWithArgs, t *text) []*function {
	all, _ := l.sees(t).functions(qualified(names(obj.Objname)))
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
func (l *loader) alterFunction(s *pg.AlterFunctionStmt, t *text) {
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

func (l *loader) renameFunction(s *pg.RenameStmt, t *text) {
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
