package schema

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// gaps collects what is not known of a schema that was found (Options.Schema).
// A statement that cannot be read may have done anything to what it names: a
// table that it names is one of which no statement is modelled, which may touch
// all tables, since there may be a trigger on it or it may be a view.
type gaps struct {
	// Files are the names of the files of the schema.
	Files map[string]bool
	// words are the names in statements that were not read, in lower case, with
	// the place of the first such statement.
	words map[string]ir.Pos
}

// notRead is what such a table is called.
const notRead = "a table of which the schema was not read"

// found reads a file of the schema that was found: what declares something.
func (l *Schema) found(f input.File) {
	nodes, srcs := l.foundNodes(f)
	var open []*syntax.Node // since BEGIN
	l.ddl = l.newSessionPath(nil)
	eachStatement(nodes, func(n *syntax.Node) {
		s, ok := pg.Inner(n.Raw.Stmt).(*pg.TransactionStmt)
		switch {
		case !ok:
			open = append(open, n)
			l.declare(n)
		case s.Kind == pg.TransBegin || s.Kind == pg.TransStart:
			open = nil
			l.ddl.begin()
		case s.Kind == pg.TransRollback || s.Kind == pg.TransBackTo:
			l.Note(n.Pos, "this takes back what stands before it: nothing of that is known")
			for _, m := range open {
				l.forget(m.Raw, m.Pos, m.SQLText())
			}
		default:
			open = nil
			l.ddl.end(false)
		}
	})
	for _, src := range srcs {
		l.comments(src)
	}
}

// foundNodes gives the statements of a file, without those that are no SQL.
func (l *Schema) foundNodes(f input.File) (nodes []*syntax.Node, srcs []*syntax.Source) {
	read := func() (err error) {
		s, before := syntax.NewSession(l.FileSet), l.Size
		defer func() {
			if err != nil {
				l.Size = before
			}
		}()
		defer l.Catch(&err)
		nodes = s.Read(f)
		srcs = s.Srcs
		return nil
	}
	err := read()
	if err == nil {
		return nodes, srcs
	}
	whole := f.Text
	if text, ok := l.readable(f); ok {
		f.Text = text
		if err = read(); err == nil {
			return nodes, srcs
		}
	}
	l.noteError(ir.Pos{File: f.Name, Line: 1, Col: 1}, err, "this file is left out")
	l.forget(nil, ir.Pos{File: f.Name, Line: 1, Col: 1}, whole)
	return nil, nil
}

// readable blanks the statements of a file that the parser does not read. ok is
// false where it cannot be split into statements.
func (l *Schema) readable(f input.File) (text string, ok bool) {
	src := syntax.NewSource(f.Name, strings.TrimPrefix(f.Text, "\ufeff"))
	if src.CheckText() != nil {
		return "", false
	}
	src = syntax.NewSource(f.Name, syntax.WithoutData(src.Text))
	toks, err := pg.Scan(src.Text)
	if err != nil {
		return "", false
	}
	out := []byte(src.Text)
	for _, span := range statementSpans(toks, len(src.Text)) {
		_, err := src.Whole().Slice("", span[0], span[1]).Parse()
		if err == nil {
			continue
		}
		pos := src.Pos(span[2])
		l.noteError(pos, err, "this statement is left out")
		l.forget(nil, pos, src.Text[span[0]:span[1]])
		for i := span[0]; i < span[1]; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	return string(out), true
}

// statementSpans splits a text at the semicolons that end statements: where each
// begins and ends, and where its first token is.
func statementSpans(toks []pg.Token, end int) [][3]int {
	var out [][3]int
	from, first, blocks := 0, -1, 0
	last := ""
	for _, t := range toks {
		if t.Kind == pg.Comment {
			continue
		}
		if first < 0 {
			first = t.Start
		}
		switch {
		case t.Kind == pg.Word && t.Text == "atomic" && last == "begin":
			blocks = 1
		case t.Kind == pg.Word && t.Text == "case" && blocks > 0:
			blocks++
		case t.Kind == pg.Word && t.Text == "end" && blocks > 0:
			blocks--
		case t.Kind == pg.Punct && t.Text == ";" && blocks == 0:
			out = append(out, [3]int{from, t.End, first})
			from, first = t.End, -1
		}
		last = t.Text
	}
	if first >= 0 {
		out = append(out, [3]int{from, end, first})
	}
	return out
}

// declare runs a statement of the schema. What changes rows, or only reads them,
// is passed over: the rows of a schema that was found are no initial rows.
func (l *Schema) declare(n *syntax.Node) {
	leave := func(format string, args ...any) {
		l.Note(n.Pos, format, args...)
		l.forget(n.Raw, n.Pos, n.SQLText())
	}
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt, *pg.TruncateStmt, *pg.CopyStmt, *pg.LockStmt:
		return
	case *pg.SelectStmt:
		l.declared(n)
		if r := l.RefsIn(s); slices.ContainsFunc(slices.Collect(maps.Keys(l.Calls(r))), func(name string) bool { return !l.Builtin(name).Known || len(l.LateFunctions(name)) > 0 }) {
			leave("this SELECT calls a function, which may change the schema: nothing is known of what it names")
		}
		l.setPath(s)
		return
	case *pg.DoStmt:
		l.declared(n)
		if changesSchema.MatchString(n.SQLText()) && !l.foundDo(s, n) {
			leave("a DO block is not run: nothing is known of what it names")
		}
		return
	case *pg.CallStmt:
		leave("a CALL is not run: nothing is known of what it names")
		return
	}
	run := func(f func() error) {
		var err error
		func() {
			defer l.Catch(&err)
			err = f()
		}()
		if err != nil {
			l.noteError(n.Pos, err, "this statement is left out")
			l.forget(n.Raw, n.Pos, n.SQLText())
		}
	}
	run(func() error {
		if l.tryStatement(n) != nil {
			l.postpone(func() { run(func() error { l.statement(n); return nil }) })
		}
		return nil
	})
}

// Catch turns the panic of a fault of the input into an error. It must be
// deferred.
func (l *Schema) Catch(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*ir.Error)
		if !ok {
			panic(r)
		}
		*err = e
	}
}

// noteError makes a note of a fault of the input, at its place if it has one.
func (l *Schema) noteError(pos ir.Pos, err error, what string) {
	msg := err.Error()
	if e, ok := errors.AsType[*ir.Error](err); ok {
		msg = e.Msg
		if e.Pos.IsValid() {
			pos = e.Pos
		}
	}
	l.Note(pos, "%s, and nothing is known of what it names: %s", what, msg)
}

// name matches the names in SQL, also within strings.
var anyName = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")+"`)

// forget notes what a statement names that was not read. What cannot be found by
// its name, an operator, gives an error.
func (l *Schema) forget(raw *pg.RawStmt, pos ir.Pos, text string) {
	for _, w := range anyName.FindAllString(text, -1) {
		w = strings.ToLower(strings.ReplaceAll(strings.Trim(w, `"`), `""`, `"`))
		if _, known := l.Unread.words[w]; !known {
			l.Unread.words[w] = pos
		}
	}
	if operatorDDL.MatchString(text) {
		l.Fail(pos, "this declares an operator, but cannot be read; name the schema without it (-schema)")
	}
	if raw == nil {
		for _, m := range tableDDL.FindAllStringSubmatch(text, -1) {
			parts := strings.Split(m[1], ".")
			for i, p := range parts {
				if p = strings.TrimSpace(p); strings.HasPrefix(p, `"`) {
					parts[i] = strings.Trim(p, `"`)
				} else {
					parts[i] = strings.ToLower(p)
				}
			}
			l.UnknownTable(l.names(), syntax.Qualified(parts), pos)
		}
		return
	}
	switch s := pg.Inner(raw.Stmt).(type) {
	case *pg.CreateStmt:
		l.UnknownTable(l.names(), syntax.RangeName(s.Relation), pos)
	}
}

var (
	// changesSchema finds the words without which a block only changes rows.
	changesSchema = regexp.MustCompile(`(?i)\b(alter|create|drop|execute|perform|call|select)\b`)
	operatorDDL   = regexp.MustCompile(`(?i)\bcreate\s+operator\b`)
	tableDDL      = regexp.MustCompile(`(?i)\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?((?:[\p{L}_][\p{L}\p{N}_$]*|"[^"]+")(?:\s*\.\s*(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"]+"))?)`)
)

// UnknownTable declares a table of which nothing is known, unless there is
// something of the name.
func (l *Schema) UnknownTable(in *Resolver, raw string, pos ir.Pos) {
	if in.relation(raw) != nil {
		return
	}
	t := &Table{Pos: pos}
	t.obscure()
	schema, name := syntax.SplitName(raw)
	if schema == "" {
		schema = syntax.PublicSchema
		if p := in.paths.All; len(p) > 0 {
			schema = l.newIn(p[0])
		}
	}
	l.addTable(t, schema, name)
}

// obscure makes no statement on a table modelled.
func (t *Table) obscure() { t.Odd, t.oddAll = notRead, true }

// obscureNamed gives up on what unread statements name.
func (l *Schema) obscureNamed() {
	if len(l.Unread.words) == 0 {
		return
	}
	named := func(name string) bool {
		_, ok := l.Unread.words[strings.ToLower(name)]
		return ok
	}
	for _, t := range l.Order {
		word := t.Rel.Own()
		for _, u := range t.Uniques {
			if !named(word) && u.Name != "" {
				word = u.Name
			}
		}
		if named(word) && !t.oddAll {
			l.Note(t.Pos, "no statement on %s is modelled: what %s says of it was not read", t.Name, l.Unread.words[strings.ToLower(word)])
			t.obscure()
		}
	}
	for _, v := range l.Views {
		if named(v.Rel.Own()) {
			v.Query, v.What, v.all = nil, "a view of which the schema was not read", true
		}
	}
	for _, f := range slices.Clone(l.Funcs) {
		if l.Unread.Files[f.Pos.File] && named(f.Own()) {
			l.dropFunction(f)
		}
	}
}

// unknownTables declares the tables that some SQL names and no file declares, if
// the schema was found: another part of it may not have been.
func (l *Schema) unknownTables(in *Resolver, r *Refs, pos ir.Pos) {
	if len(l.In.Found) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		if in.relation(name) != nil || in.WasDropped(name) || r.made[name] == forAll || SystemTable(name) {
			continue
		}
		l.Note(pos, "the schema that was found has no table %s: statements on it may do anything", syntax.PlainName(name))
		l.UnknownTable(in, name, pos)
	}
}

// Tolerate runs f, which completes a table. A fault gives up on the table, and on
// others, if it is one of a schema that was found.
func (l *Schema) Tolerate(t *Table, f func(), others ...*Table) (ok bool) {
	if !l.Unread.Files[t.Pos.File] {
		f()
		return true
	}
	var err error
	func() {
		defer l.Catch(&err)
		f()
	}()
	if err == nil {
		return true
	}
	l.noteError(t.Pos, err, "no statement on "+t.Name+" is modelled")
	for _, o := range append(others, t) {
		o.obscure()
	}
	return false
}
