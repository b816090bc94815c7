package sqlmodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
	"github.com/txrobust/robust/sqlmodel/internal/plpgsql"
)

// function is a function or procedure of the program.
type function struct {
	pos       ir.Pos
	name      string
	procedure bool
	params    []param
	language  string
	// ret is nil for procedures and functions with OUT parameters.
	ret    *pg.TypeName
	setOf  bool
	strict bool
	// stable says that it does not see what the calling query has written.
	stable bool
	helper bool
	fresh  []string
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
	s := qualified(names(t.Names))
	if len(t.ArrayBounds) > 0 {
		s += "[]"
	}
	return s
}

// createFunction reads CREATE FUNCTION and CREATE PROCEDURE.
func (l *loader) createFunction(s *pg.CreateFunctionStmt, t *text, first int) {
	src := t.src
	f := &function{pos: src.pos(src.toks[first].Start), name: qualified(names(s.Funcname)), procedure: s.IsProcedure,
		ret: s.ReturnType, text: t, language: "sql"}
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
			if v, ok := pg.Inner(d.Arg).(*pg.VariableSetStmt); ok {
				l.searchPath(v)
			}
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
	for i, old := range l.funcs {
		if old.name != f.name || old.signature() != f.signature() {
			continue
		}
		if !s.Replace {
			l.fail(f.pos, "function %s is already declared at %s", f.signature(), old.pos)
		}
		l.funcs = append(l.funcs[:i:i], l.funcs[i+1:]...)
		break
	}
	l.funcs = append(l.funcs, f)
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

func (l *loader) dropFunction(obj *pg.ObjectWithArgs) {
	l.funcs = without(l.funcs, func(f *function) bool { return f.is(obj) })
}

// is reports whether obj names f.
func (f *function) is(obj *pg.ObjectWithArgs) bool {
	name := qualified(names(obj.Objname))
	var args []string
	for _, n := range obj.Objargs {
		if tn, ok := pg.Inner(n).(*pg.TypeName); ok {
			args = append(args, typeSpelling(tn))
		}
	}
	return f.name == name && (obj.ArgsUnspecified || f.signature() == name+"("+strings.Join(args, ", ")+")")
}

// alterFunction takes over what ALTER FUNCTION says about calls.
func (l *loader) alterFunction(s *pg.AlterFunctionStmt) {
	for _, f := range l.funcs {
		if !f.is(s.Func) {
			continue
		}
		for _, n := range s.Actions {
			f.option(pg.Inner(n).(*pg.DefElem))
		}
	}
}

// option takes over an option that says when the body runs.
func (f *function) option(d *pg.DefElem) {
	switch d.Defname {
	case "strict":
		f.strict = d.GetArg().GetBoolean().GetBoolval()
	case "volatility":
		f.stable = d.GetArg().GetString_().GetSval() != "volatile"
	}
}

func (l *loader) renameFunction(s *pg.RenameStmt) {
	obj, ok := pg.Inner(s.Object).(*pg.ObjectWithArgs)
	if !ok {
		return
	}
	parts := names(obj.Objname)
	for _, f := range l.funcs {
		if f.name == qualified(parts) {
			f.name = qualified(append(parts[:len(parts)-1:len(parts)-1], s.Newname))
		}
	}
}

// lookup finds the functions with a name: the same name, or the same last
// part where one of the two names no schema.
func (l *loader) lookup(name string) []*function {
	var exact, loose []*function
	last := name[strings.LastIndex(name, ".")+1:]
	for _, f := range l.funcs {
		if !strings.HasSuffix(f.name, last) {
			continue
		}
		fl := f.name[strings.LastIndex(f.name, ".")+1:]
		switch {
		case f.name == name:
			exact = append(exact, f)
		case fl == last && (fl == f.name || last == name):
			loose = append(loose, f)
		}
	}
	if exact != nil || l.builtin(name).known {
		return exact
	}
	return loose
}

// hasBody reports whether f can be translated.
func (f *function) hasBody() bool {
	return f.body != nil || f.sql != nil || f.atomic != nil || f.bodyText != nil || f.script != nil || f.program != nil
}

// entries gives the functions that are templates, in order.
func (l *loader) entries() ([]*function, error) {
	if l.opt.isProgram {
		return l.programs, nil
	}
	if len(l.opt.Txns) > 0 {
		return l.chosen()
	}
	called := map[*function]bool{}
	for _, f := range slices.Concat(l.funcs, l.scripts) {
		for _, g := range l.callees(f) {
			called[g] = called[g] || g != f
		}
	}
	candidate := func(f *function) bool { return f.hasBody() && !f.isTrigger() && !f.helper }
	entry, reached := map[*function]bool{}, map[*function]bool{}
	var reach func(f *function)
	reach = func(f *function) {
		if !reached[f] {
			reached[f] = true
			for _, g := range l.callees(f) {
				reach(g)
			}
		}
	}
	for _, f := range l.scripts {
		reach(f)
	}
	for _, f := range l.funcs {
		if candidate(f) && !called[f] {
			entry[f] = true
		}
		if entry[f] || !candidate(f) {
			reach(f)
		}
	}
	for _, f := range l.funcs { // functions that only call each other
		if candidate(f) && !reached[f] {
			entry[f] = true
			reach(f)
		}
	}
	var out []*function
	for _, f := range l.funcs {
		switch {
		case entry[f]:
			out = append(out, f)
		case candidate(f):
			l.note(f.pos, "%s is analysed only as a part of the functions that call it; name it with -txn if clients call it too", f.name)
		}
	}
	return append(out, l.scripts...), nil
}

// chosen gives the functions of Options.Txns.
func (l *loader) chosen() ([]*function, error) {
	want := map[string]bool{}
	for _, n := range l.opt.Txns {
		want[n] = true
	}
	var out []*function
	seen := map[string]bool{}
	var all []string
	for _, f := range slices.Concat(l.funcs, l.scripts) {
		if !f.hasBody() || f.isTrigger() {
			continue
		}
		all = append(all, f.name)
		if want[f.name] || want[f.signature()] {
			out = append(out, f)
			seen[f.name], seen[f.signature()] = true, true
		}
	}
	slices.Sort(all)
	for _, n := range l.opt.Txns {
		if !seen[n] {
			if len(all) == 0 {
				return nil, fmt.Errorf("there is no transaction %s: the files have none", n)
			}
			return nil, fmt.Errorf("there is no transaction %s; there are: %s", n, strings.Join(all, ", "))
		}
	}
	return out, nil
}

// templateName is the name of f, with its types where it is overloaded.
func (l *loader) templateName(f *function) string {
	if f.script != nil || f.program != nil {
		return f.name
	}
	for _, g := range l.funcs {
		if g != f && g.name == f.name && g.hasBody() {
			return f.signature()
		}
	}
	return f.name
}
