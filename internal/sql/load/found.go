package load

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// found reads a file of the schema that was found: what declares something.
func (l *Loader) found(f input.File) {
	nodes, srcs := l.foundNodes(f)
	var open []*syntax.Node // since BEGIN
	l.Path = l.NewSessionPath(nil)
	eachStatement(nodes, func(n *syntax.Node) {
		s, ok := pg.Inner(n.Raw.Stmt).(*pg.TransactionStmt)
		switch {
		case !ok:
			open = append(open, n)
			l.declare(n)
		case s.Kind == pg.TransBegin || s.Kind == pg.TransStart:
			open = nil
			l.Path.Begin()
		case s.Kind == pg.TransRollback || s.Kind == pg.TransBackTo:
			l.Note(n.Pos, "this takes back what stands before it: nothing of that is known")
			for _, m := range open {
				l.forget(m.Raw, m.Pos, m.SQLText())
			}
		default:
			open = nil
			l.Path.End(false)
		}
	})
	for _, src := range srcs {
		l.Comments(src)
	}
}

// foundNodes gives the statements of a file, without those that are no SQL.
func (l *Loader) foundNodes(f input.File) (nodes []*syntax.Node, srcs []*syntax.Source) {
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
	l.NoteError(ir.Pos{File: f.Name, Line: 1, Col: 1}, err, "this file is left out")
	l.forget(nil, ir.Pos{File: f.Name, Line: 1, Col: 1}, whole)
	return nil, nil
}

// readable blanks the statements of a file that the parser does not read. ok is
// false where it cannot be split into statements.
func (l *Loader) readable(f input.File) (text string, ok bool) {
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
	for _, span := range syntax.StatementSpans(toks, len(src.Text)) {
		text := src.Whole().Slice("", span[0], span[1])
		_, err := text.Parse()
		if err == nil {
			continue
		}
		if filled, ok := roleHoles(text); ok {
			copy(out[span[0]:span[1]], filled)
			continue
		}
		pos := src.Pos(span[2])
		l.NoteError(pos, err, "this statement is left out")
		l.forget(nil, pos, src.Text[span[0]:span[1]])
		for i := span[0]; i < span[1]; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	return string(out), true
}

// declare runs a statement of the schema. What changes rows, or only reads them,
// is passed over: the rows of a schema that was found are no initial rows.
func (l *Loader) declare(n *syntax.Node) {
	leave := func(format string, args ...any) {
		l.Note(n.Pos, format, args...)
		l.forget(n.Raw, n.Pos, n.SQLText())
	}
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt, *pg.TruncateStmt, *pg.CopyStmt, *pg.LockStmt:
		return
	case *pg.SelectStmt:
		l.Declared(n)
		if r := l.RefsIn(s); slices.ContainsFunc(slices.Collect(maps.Keys(l.Calls(r))), func(name string) bool { return !l.Builtin(name).Known || len(l.LateFunctions(name)) > 0 }) {
			leave("this SELECT calls a function, which may change the schema: nothing is known of what it names")
		}
		l.SetPath(s)
		return
	case *pg.DoStmt:
		l.Declared(n)
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
		if err != nil && l.addsAgain(n) {
			l.Note(n.Pos, "the columns that this statement adds are there already")
		} else if err != nil {
			l.NoteError(n.Pos, err, "this statement is left out")
			l.forget(n.Raw, n.Pos, n.SQLText())
		}
	}
	run(func() error {
		if l.TryStatement(n) != nil {
			l.Postpone(func() { run(func() error { l.Statement(n); return nil }) })
		}
		return nil
	})
}

// name matches the names in SQL, also within strings.
var anyName = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")+"`)

// forget notes what a statement names that was not read. What cannot be found by
// its name, an operator, gives an error.
func (l *Loader) forget(raw *pg.RawStmt, pos ir.Pos, text string) {
	for _, w := range anyName.FindAllString(text, -1) {
		w = strings.ToLower(strings.ReplaceAll(strings.Trim(w, `"`), `""`, `"`))
		if _, known := l.Unread.Words[w]; !known {
			l.Unread.Words[w] = pos
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
			l.UnknownTable(l.Names(), syntax.Qualified(parts), pos)
		}
		return
	}
	switch s := pg.Inner(raw.Stmt).(type) {
	case *pg.CreateStmt:
		l.UnknownTable(l.Names(), syntax.RangeName(s.Relation), pos)
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
func (l *Loader) UnknownTable(in *schema.Resolver, raw string, pos ir.Pos) {
	if in.Relation(raw) != nil {
		return
	}
	t := &schema.Table{Pos: pos}
	t.Obscure()
	schema, name := syntax.SplitName(raw)
	if schema == "" {
		schema = syntax.PublicSchema
		if p := in.Paths.All; len(p) > 0 {
			schema = l.NewIn(p[0])
		}
	}
	l.AddTable(t, schema, name)
}

// obscureNamed gives up on what unread statements name.
func (l *Loader) obscureNamed() {
	if len(l.Unread.Words) == 0 {
		return
	}
	named := func(name string) bool {
		_, ok := l.Unread.Words[strings.ToLower(name)]
		return ok
	}
	for _, t := range l.Order {
		word := t.Rel.Own()
		for _, u := range t.Uniques {
			if !named(word) && u.Name != "" {
				word = u.Name
			}
		}
		if named(word) && !t.OddAll {
			l.Note(t.Pos, "no statement on %s is modelled: what %s says of it was not read", t.Name, l.Unread.Words[strings.ToLower(word)])
			t.Obscure()
		}
	}
	for _, v := range l.Views {
		if named(v.Rel.Own()) {
			v.Query, v.What, v.All = nil, "a view of which the schema was not read", true
		}
	}
	for _, f := range slices.Clone(l.Funcs) {
		if l.Unread.Files[f.Pos.File] && named(f.Own()) {
			l.DropFunction(f)
		}
	}
}

// unknownTables declares the tables that some SQL names and no file declares, if
// the schema was found: another part of it may not have been.
func (l *Loader) unknownTables(in *schema.Resolver, r *schema.Refs, pos ir.Pos) {
	if len(l.In.Found) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		if in.Relation(name) != nil || in.WasDropped(name) || r.Made[name] == schema.ForAll || SystemTable(name) {
			continue
		}
		l.Note(pos, "the schema that was found has no table %s: statements on it may do anything", syntax.PlainName(name))
		l.UnknownTable(in, name, pos)
	}
}
