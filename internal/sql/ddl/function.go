package ddl

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// createFunction reads CREATE FUNCTION and CREATE PROCEDURE.
func (l *Definer) createFunction(s *pg.CreateFunctionStmt, t *syntax.Text, first int) {
	src := t.Src
	f := &schema.Function{Pos: src.Pos(src.Toks[first].Start), Procedure: s.IsProcedure, Ret: s.ReturnType, Text: t, Language: "sql", Created: schema.DeclaredNames(t).Paths}
	parts := syntax.Names(s.Funcname)
	schemaName := l.schemaFor(parts[:len(parts)-1], t, f.Pos)
	f.Names = []schema.Calling{{Since: l.Clock, Schema: schemaName, Name: parts[len(parts)-1]}}
	f.Name, f.Bare = f.Full(), len(parts) == 1 && l.unsaid(t)
	f.May, f.RevokedAt = l.mayExecute(schemaName)
	if f.Ret != nil {
		f.SetOf = f.Ret.Setof
	}
	for _, n := range s.Parameters {
		p := pg.Inner(n).(*pg.FunctionParameter)
		q := schema.Param{Pos: t.Pos(int(p.Location)), Name: p.Name, T: p.ArgType, Def: p.Defexpr}
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
			f.Option(d)
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
	for _, n := range s.Options {
		confine(f, pg.Inner(n).(*pg.DefElem))
	}
	f.Refs = l.FunctionRefs(f)
	for _, old := range l.Declarations.FunctionsIn(schemaName, f.Own(), l.Clock) {
		if !slices.Equal(l.SignatureTypes(old), l.SignatureTypes(f)) {
			continue
		}
		if !s.Replace {
			l.Fail(f.Pos, "function %s is already declared at %s", f.Signature(), old.Pos)
		}
		l.Funcs = schema.Without(l.Funcs, func(g *schema.Function) bool { return g == old })
		old.Newer, f.May, f.RevokedAt, f.Declared = f, old.May, old.RevokedAt, old.Declared
	}
	l.Funcs = append(l.Funcs, f)
	l.Declarations.Funcs[f.Own()] = append(l.Declarations.Funcs[f.Own()], f)
}

// confine says of a procedure that it may not end transactions, if an option of it does: SECURITY DEFINER, or a
// setting of its own. It keeps SECURITY, too.
func confine(f *schema.Function, d *pg.DefElem) {
	if d.Defname == "security" {
		f.Definer = d.GetArg().GetBoolean().GetBoolval()
	}
	if f.Body != nil && (d.Defname == "set" || d.Defname == "security" && d.GetArg().GetBoolean().GetBoolval()) {
		f.Body.Confine()
	}
}

// functionSetting takes over what CREATE or ALTER FUNCTION says of the search path and of checks.
func (l *Definer) functionSetting(f *schema.Function, d *pg.DefElem, t *syntax.Text) {
	v, ok := pg.Inner(d.Arg).(*pg.VariableSetStmt)
	if !ok {
		return
	}
	f.Unchecked = f.Unchecked || syntax.DropsChecks(v)
	switch v.Kind {
	case pg.SetReset:
		if strings.EqualFold(v.Name, "search_path") {
			f.Path = nil
		}
	case pg.SetResetAll:
		f.Path = nil
	default:
		if c, ok := syntax.PathSetting(v, l.Standard, schema.DeclaredNames(t).Paths); ok {
			f.Path = &c.To
		}
	}
}

// FunctionBody finds the string after AS, and parses it.
func (l *Definer) FunctionBody(f *schema.Function, src *syntax.Source, as int) {
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
		f.SQL = stmts
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
func (l *Definer) Comments(src *syntax.Source) {
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

// functionComments reads the comments directly before CREATE FUNCTION.
func (l *Definer) functionComments(f *schema.Function, src *syntax.Source, first int) {
	for i := first - 1; i >= 0 && src.Toks[i].Kind == pg.Comment; i-- {
		if rest, at, ok := src.Directive(src.Toks[i], "robust"); ok && rest == "helper" {
			f.Helper = true
		} else if ok && IsIgnore("robust", rest) {
			src.Claim(i)
			l.Ignore(src.Pos(at), rest, f.Pos, src.Pos(syntax.StatementSpans(src.Toks[first:], len(src.Text))[0][1]))
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

// DropFunction is DROP FUNCTION of f, and of what it was before CREATE OR REPLACE.
func (l *Definer) DropFunction(f *schema.Function) {
	f.Gone = l.Clock
	for _, g := range l.Declarations.Funcs[f.Own()] {
		newest := g
		for newest.Newer != nil {
			newest = newest.Newer
		}
		if newest == f {
			g.Gone = l.Clock
		}
	}
	l.Funcs = schema.Without(l.Funcs, func(g *schema.Function) bool { return f == g })
}

// functionsOf gives the functions that obj names: one, or where it has no arguments those of the name in the first
// schema that has some.
func (l *Definer) functionsOf(obj *pg.ObjectWithArgs, t *syntax.Text) []*schema.Function {
	all, _ := l.Sees(t).Functions(syntax.Qualified(syntax.Names(obj.Objname)))
	args := []string{}
	for _, n := range obj.Objargs {
		if tn, ok := pg.Inner(n).(*pg.TypeName); ok {
			args = append(args, l.TypeKey(tn, t))
		}
	}
	var out []*schema.Function
	for _, f := range all {
		if obj.ArgsUnspecified || slices.Equal(l.SignatureTypes(f), args) {
			out = append(out, f)
		}
	}
	if len(out) > 1 {
		out = out[:1]
	}
	return out
}

// alterFunction takes over what ALTER FUNCTION says about calls.
func (l *Definer) alterFunction(s *pg.AlterFunctionStmt, t *syntax.Text) {
	for _, f := range l.functionsOf(s.Func, t) {
		for _, n := range s.Actions {
			d := pg.Inner(n).(*pg.DefElem)
			f.Option(d)
			confine(f, d)
			if d.Defname == "set" {
				l.functionSetting(f, d, t)
			}
		}
	}
}

func (l *Definer) renameFunction(s *pg.RenameStmt, t *syntax.Text) {
	obj, ok := pg.Inner(s.Object).(*pg.ObjectWithArgs)
	if !ok {
		return
	}
	for _, f := range l.functionsOf(obj, t) {
		l.moveFunction(f, f.Schema(), s.Newname)
	}
}
