package sqlmodel

import (
	"regexp"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// sent is the text that a client program sends at one place, read.
type sent struct {
	q *client.Query
	// list are its statements, none if why says what is wrong with it.
	list []sentStmt
	why  string
	// declares says that it is a statement that declares something, as far as it is
	// known; list has none then.
	declares bool
	// refs is what all of it names.
	refs *refs
	// params are the values of $1, $2, … in text, nil for one that is not known.
	params []client.Expr
	text   *syntax.Text
	// anyColumns says that the columns which the statement gives are not known: all of
	// the rows is looked at.
	anyColumns bool
	// followed says that the transaction may have a statement after it, filled that a
	// condition stands in the text for a part that is not known.
	followed, filled bool
}

// sentStmt is a statement.
type sentStmt struct {
	tree any
	node *pg.Node
	refs *refs
	does map[*pg.DoStmt]*function
	// why says what cannot be read for a table that is not declared, star that its
	// rows are all columns of such a table.
	why  string
	star bool
}

// holeWord stands in the place of client.Hole: a name that nothing has.
const holeWord = "\uE000"

// readSent reads a text. Whatever is wrong with it is no error: the statement is
// not modelled then.
func (l *Schema) readSent(q *client.Query) *sent {
	quiet, sets := touchesNoRows(q.SQL, l.in.mysql), l.in.mysql && setsOther(q.SQL)
	if own := *q; l.in.mysql {
		own.SQL = mysql.Postgres(q.SQL, q.Standard)
		q = &own
	} else if strings.Contains(q.SQL, "`") {
		own.SQL = withoutBackticks(q.SQL)
		q = &own
	}
	s := &sent{q: q, refs: newRefs()}
	src := syntax.NewSource(q.Pos.File, q.SQL)
	src.All = q.Pos
	if src.All == (ir.Pos{}) {
		src.All = ir.Pos{File: "-"}
	}
	s.text = src.Whole()
	if l.Grow(q.SQL); l.Size > syntax.MaxSQL {
		l.fail(q.Pos, "up to this statement there is more than %d MB of SQL; leave out the rows, and name the schema", syntax.MaxSQL>>20)
	}
	switch {
	case quiet:
		return s
	case sets:
		s.why = "a SET that may change what transactions do"
		s.refs.dynamic, s.refs.writes = true, true
		return s
	case l.readFilled(s):
		return s
	}
	if strings.Contains(q.SQL, client.Hole) {
		s.why = "a statement of which a part is not known"
		l.readTokens(s, strings.ReplaceAll(q.SQL, client.Hole, holeWord))
		return s
	}
	err := faultIn(func() {
		if err := src.CheckText(); err != nil {
			panic(err)
		}
		l.parseSent(s, src)
	})
	if err == nil {
		return s
	}
	s.list, s.refs = nil, newRefs()
	s.why = "a statement that cannot be read (" + err.Msg + ")"
	l.readTokens(s, q.SQL)
	return s
}

// readFilled reads a text with conditions in the place of its holes, and reports
// whether it could be read like that.
func (l *Schema) readFilled(s *sent) bool {
	lead, rest, holed := strings.Cut(s.q.SQL, client.Hole)
	if !holed {
		return false
	}
	text, star, ok := fillHoles(s.q.SQL)
	if !ok {
		return false
	}
	q := *s.q
	q.SQL, q.Open = text, true
	if n := strings.Count(quotedText.ReplaceAllString(lead+rest, ""), "?"); n > 0 && (n != len(q.Args) || s.q.Open) { // the hole may have some of the parameters
		q.Args = nil
	}
	f := &sent{q: &q, refs: newRefs(), anyColumns: star, filled: true}
	src := syntax.NewSource(q.Pos.File, text)
	src.All = s.text.Src.All
	f.text = src.Whole()
	if faultIn(func() { l.parseSent(f, src) }) != nil || len(f.list) != 1 {
		return false
	}
	what := "a condition on the rows"
	if star {
		what = "columns or conditions of the rows"
	}
	l.note(q.Pos, "a part of this statement is not known: it is taken to be %s, and to name no other tables and functions", what)
	*s = *f
	return true
}

// quotedText are texts, names between quotes and comments.
var quotedText = regexp.MustCompile(`(?s)'[^']*'|"[^"]*"|--[^\n]*|/\*.*?\*/`)

// faultIn runs f and gives the fault in the input that it found.
func faultIn(f func()) (fault *ir.Error) {
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
func (l *Schema) parseSent(s *sent, src *syntax.Source) {
	names := map[string]bool{}
	for _, a := range s.q.Named {
		names[a.Name] = true
	}
	read := func(questions bool) (*syntax.Session, *syntax.Scanner) {
		ses := syntax.NewSession(l.FileSet)
		ses.Sent = &syntax.SentParams{Questions: questions, Unknown: s.q.Open, Named: names}
		sc := &syntax.Scanner{S: ses, Src: src, In: src.Text}
		sc.Run()
		return ses, sc
	}
	ses, sc := read(false)
	if len(s.q.Args) > 0 && len(ses.Vars) == 0 || s.q.Open {
		ses, sc = read(true)
	}
	in := syntax.NewSource(src.Name, string(sc.Out))
	in.All = src.All
	s.text = in.Whole()
	stmts, err := s.text.Parse()
	if err != nil {
		panic(err)
	}
	l.bindSent(s, ses)
	if in.Toks, err = pg.Scan(in.Text); err != nil {
		l.fail(s.q.Pos, "%s", syntax.Clipped(err.Error()))
	}
	for _, raw := range stmts {
		n := &syntax.Node{Pos: s.q.Pos, Src: in, Raw: raw, Text: s.text, At: int(raw.StmtLocation)}
		l.takeLimit(pg.Inner(raw.Stmt))
		f := &function{refs: newRefs(), script: &script{does: map[*pg.DoStmt]*function{}}}
		l.scriptRefs(f, n)
		l.scriptRefs(&function{refs: s.refs, script: f.script}, n)
		s.list = append(s.list, sentStmt{tree: pg.Inner(raw.Stmt), node: raw.Stmt, refs: f.refs, does: f.script.does})
	}
}

// bindSent gives the parameters of a text their values.
func (l *Schema) bindSent(s *sent, ses *syntax.Session) {
	keys := make([]string, len(ses.Vars))
	for key, n := range ses.Index {
		keys[n-1] = key
	}
	named := map[string]client.Expr{}
	for _, a := range s.q.Named {
		named[a.Name] = a.Expr
	}
	s.params = make([]client.Expr, len(keys))
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
			if !known && !s.q.Open {
				l.fail(s.q.Pos, "there is no value for the parameter %s", key[1:])
			}
			s.params[i] = e
			continue
		}
		used = max(used, at)
		switch {
		case at >= 1 && at <= len(s.q.Args):
			s.params[i] = s.q.Args[at-1]
		case !s.q.Open:
			l.fail(s.q.Pos, "it has a parameter %d, but %d values are given", at, len(s.q.Args))
		}
	}
	if used < len(s.q.Args) && !s.q.Open && len(s.q.Args) > 0 {
		l.fail(s.q.Pos, "it has %d parameters, but %d values are given", used, len(s.q.Args))
	}
}
