package load

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// holeWord stands in the place of client.Hole: a name that nothing has.
const holeWord = "\uE000"

// readSent reads a text. Whatever is wrong with it is no error: the statement is
// not modelled then.
func (l *Loader) readSent(q *client.Query) *schema.Sent {
	quiet, sets := TouchesNoRows(q.SQL, l.In.MySQL), l.In.MySQL && setsOther(q.SQL)
	if own := *q; l.In.MySQL {
		own.SQL = l.Foreign.Postgres(q.SQL, q.Standard)
		q = &own
	} else if strings.Contains(q.SQL, "`") {
		own.SQL = WithoutBackticks(q.SQL)
		q = &own
	}
	s := &schema.Sent{Q: q, Refs: schema.NewRefs()}
	src := syntax.NewSource(q.Pos.File, q.SQL)
	src.All = q.Pos
	if src.All == (ir.Pos{}) {
		src.All = ir.Pos{File: "-"}
	}
	s.Text = src.Whole()
	if l.Grow(q.SQL); l.Size > syntax.MaxSQL {
		l.Fail(q.Pos, "up to this statement there is more than %d MB of SQL; leave out the rows, and name the schema", syntax.MaxSQL>>20)
	}
	switch {
	case quiet:
		return s
	case sets:
		s.Why = "a SET that may change what transactions do"
		s.Refs.Dynamic, s.Refs.Writes = true, true
		return s
	case l.readFilled(s):
		return s
	}
	if strings.Contains(q.SQL, client.Hole) {
		s.Why = "a statement of which a part is not known"
		l.readTokens(s, strings.ReplaceAll(q.SQL, client.Hole, holeWord))
		return s
	}
	err := FaultIn(func() {
		if err := src.CheckText(); err != nil {
			panic(err)
		}
		l.parseSent(s, src)
	})
	if err == nil {
		return s
	}
	s.List, s.Refs = nil, schema.NewRefs()
	s.Why = "a statement that cannot be read (" + err.Msg + ")"
	l.readTokens(s, q.SQL)
	return s
}

// readFilled reads a text with conditions in the place of its holes, and reports
// whether it could be read like that.
func (l *Loader) readFilled(s *schema.Sent) bool {
	lead, rest, holed := strings.Cut(s.Q.SQL, client.Hole)
	if !holed {
		return false
	}
	text, star, ok := FillHoles(s.Q.SQL)
	if !ok {
		return false
	}
	q := *s.Q
	q.SQL, q.Open = text, true
	if n := strings.Count(quotedText.ReplaceAllString(lead+rest, ""), "?"); n > 0 && (n != len(q.Args) || s.Q.Open) { // the hole may have some of the parameters
		q.Args = nil
	}
	f := &schema.Sent{Q: &q, Refs: schema.NewRefs(), AnyColumns: star, Filled: true}
	src := syntax.NewSource(q.Pos.File, text)
	src.All = s.Text.Src.All
	f.Text = src.Whole()
	if FaultIn(func() { l.parseSent(f, src) }) != nil || len(f.List) != 1 {
		return false
	}
	what := "a condition on the rows"
	if star {
		what = "columns or conditions of the rows"
	}
	l.Note(q.Pos, "a part of this statement is not known: it is taken to be %s, and to name no other tables and functions", what)
	*s = *f
	return true
}

// quotedText are texts, names between quotes and comments.
var quotedText = regexp.MustCompile(`(?s)'[^']*'|"[^"]*"|--[^\n]*|/\*.*?\*/`)

// FaultIn runs f and gives the fault in the input that it found.
func FaultIn(f func()) (fault *ir.Error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*ir.Error)
			if !ok {
				panic(r)
			}
			fault = e
		}
	}()
	f()
	return nil
}

// parseSent parses a text and finds its parameters.
func (l *Loader) parseSent(s *schema.Sent, src *syntax.Source) {
	names := map[string]bool{}
	for _, a := range s.Q.Named {
		names[a.Name] = true
	}
	read := func(questions bool) (*syntax.Session, *syntax.Scanner) {
		ses := syntax.NewSession(l.FileSet)
		ses.Sent = &syntax.SentParams{Questions: questions, Unknown: s.Q.Open, Named: names}
		sc := &syntax.Scanner{S: ses, Src: src, In: src.Text}
		sc.Run()
		return ses, sc
	}
	ses, sc := read(false)
	if len(s.Q.Args) > 0 && len(ses.Vars) == 0 || s.Q.Open {
		ses, sc = read(true)
	}
	in := syntax.NewSource(src.Name, string(sc.Out))
	in.All = src.All
	s.Text = in.Whole()
	stmts, err := s.Text.Parse()
	if err != nil {
		panic(err)
	}
	l.bindSent(s, ses)
	if in.Toks, err = pg.Scan(in.Text); err != nil {
		l.Fail(s.Q.Pos, "%s", syntax.Clipped(err.Error()))
	}
	for _, raw := range stmts {
		n := &syntax.Node{Pos: s.Q.Pos, Src: in, Raw: raw, Text: s.Text, At: int(raw.StmtLocation)}
		l.TakeLimit(pg.Inner(raw.Stmt))
		f := &schema.Function{Refs: schema.NewRefs(), Script: &schema.Script{Does: map[*pg.DoStmt]*schema.Function{}}}
		l.ScriptRefs(f, n)
		l.ScriptRefs(&schema.Function{Refs: s.Refs, Script: f.Script}, n)
		s.List = append(s.List, schema.SentStmt{Tree: pg.Inner(raw.Stmt), Node: raw.Stmt, Refs: f.Refs, Does: f.Script.Does})
	}
}

// bindSent gives the parameters of a text their values.
func (l *Loader) bindSent(s *schema.Sent, ses *syntax.Session) {
	keys := make([]string, len(ses.Vars))
	for key, n := range ses.Index {
		keys[n-1] = key
	}
	named := map[string]client.Expr{}
	for _, a := range s.Q.Named {
		named[a.Name] = a.Expr
	}
	s.Params = make([]client.Expr, len(keys))
	used, question := 0, 0
	for i, key := range keys {
		at := 0
		switch {
		case strings.HasPrefix(key, "?#"):
			question++
			at = question
		case key[0] == '$', key[0] == '?':
			for _, c := range key[1:] {
				if at = at*10 + int(c-'0'); at > 1<<16 {
					break
				}
			}
		default:
			e, known := named[key[1:]]
			if !known && !s.Q.Open {
				l.Fail(s.Q.Pos, "there is no value for the parameter %s", key[1:])
			}
			s.Params[i] = e
			continue
		}
		used = max(used, at)
		switch {
		case at >= 1 && at <= len(s.Q.Args):
			s.Params[i] = s.Q.Args[at-1]
		case !s.Q.Open:
			l.Fail(s.Q.Pos, "it has a parameter %d, but %d values are given", at, len(s.Q.Args))
		}
	}
	if used < len(s.Q.Args) && !s.Q.Open && len(s.Q.Args) > 0 {
		l.Fail(s.Q.Pos, "it has %d parameters, but %d values are given", used, len(s.Q.Args))
	}
}
