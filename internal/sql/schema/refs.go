package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Refs is what a piece of SQL names. What the names mean depends on the search path where it runs.
type Refs struct {
	Tables map[string]bool
	Calls  map[string]bool
	// attributes are the names of what is taken of rows: columns, or functions (Schema.Calls).
	attributes map[string]bool
	// Names, if not nil, says what the names mean: it is part of a declaration.
	Names *Resolver
	// known are tables that it touches by whatever names.
	known []*Table
	// Paths are the search paths that it may set, lasting those of them that outlast a function whose declaration
	// sets one.
	Paths, lasting syntax.PathSet
	// Made are the tables that it creates.
	Made map[string]Making
	// emptied are the tables that it may empty for older snapshots, too.
	emptied map[string]bool
	Writes  bool
	// Frees says that it may delete or update rows, not only add some.
	Frees bool
	// Dynamic says that it runs SQL that is not in the text, defers that it
	// changes when constraints are checked.
	Dynamic bool
	Defers  bool
	// Locks says that it locks rows or tables, LocksTables that it may lock tables
	// apart from reading and writing them.
	Locks       bool
	LocksTables bool
	// Sets says that it changes settings of the session.
	Sets bool
	// Gets says that it calls current_setting.
	Gets bool
	// operators are the names of the operators that it uses, types those of its types.
	operators, types map[string]bool
}

// Making says which kind of table is created: the lasting ones have greater values.
type Making uint8

const (
	untilCommit Making = iota + 1 // TEMP with ON COMMIT DROP
	forSession                    // TEMP
	ForAll
)

// NewRefs names nothing.
func NewRefs() *Refs {
	return &Refs{Tables: map[string]bool{}, Calls: map[string]bool{}, attributes: map[string]bool{}, Made: map[string]Making{}, emptied: map[string]bool{}, operators: map[string]bool{}, types: map[string]bool{}}
}

// realIn finds the tables in the queries of WITH that a query of the same name,
// which is the same or a later one, does not hide.
func realIn(w *pg.WithClause, real map[*pg.RangeVar]bool) {
	if w.Recursive {
		return
	}
	hidden := map[string]bool{} // by the queries before
	for _, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		inner := map[string]bool{}
		pg.Walk(c.Ctequery, func(x any) bool {
			if d, ok := x.(*pg.CommonTableExpr); ok {
				inner[d.Ctename] = true
			}
			return true
		})
		pg.Walk(c.Ctequery, func(x any) bool {
			if v, ok := x.(*pg.RangeVar); ok && !hidden[v.Relname] && !inner[v.Relname] {
				real[v] = true
			}
			return true
		})
		hidden[c.Ctename] = true
	}
}

// Add collects what a tree names.
func (r *Refs) Add(root pg.Message) {
	ctes := map[string]bool{}
	real := map[*pg.RangeVar]bool{} // those that are no WITH query, although one has the name
	pg.Walk(root, func(x any) bool {
		switch x := x.(type) {
		case *pg.CommonTableExpr:
			ctes[x.Ctename] = true
		case *pg.WithClause:
			realIn(x, real)
		case *pg.InsertStmt:
			real[x.Relation] = true
		case *pg.UpdateStmt:
			real[x.Relation] = true
		case *pg.DeleteStmt:
			real[x.Relation] = true
		case *pg.MergeStmt:
			real[x.Relation] = true
		}
		return true
	})
	pg.Walk(root, func(x any) bool {
		r.empties(x)
		switch x := x.(type) {
		case *pg.CreateStmt:
			r.make(x.Relation, x.Oncommit)
		case *pg.CreateTableAsStmt:
			r.make(x.Into.Rel, x.Into.OnCommit)
		case *pg.ConstraintsSet:
			r.Defers = true
		case *pg.VariableSetStmt:
			r.Sets = true
			if c, ok := syntax.PathSetting(x, syntax.OnePath(syntax.SearchPath{standardMark}), syntax.PathSet{Any: true}); ok {
				r.setsPath(c)
			}
		case *pg.LockingClause:
			r.Locks = true
			return false // it names aliases
		case *pg.LockStmt:
			r.Locks, r.LocksTables = true, true
		case *pg.TruncateStmt, *pg.AlterTableStmt, *pg.DropStmt, *pg.IndexStmt, *pg.CreateTrigStmt, *pg.VacuumStmt, *pg.ClusterStmt, *pg.ReindexStmt:
			r.LocksTables = true
		case *pg.TypeName:
			r.types[syntax.Qualified(syntax.Names(x.Names))] = true
		case *pg.A_Expr:
			r.operators[syntax.OperatorName(x.Name)] = true
		case *pg.SubLink:
			r.operators[syntax.OperatorName(x.OperName)] = true
		}
		switch x := x.(type) {
		case *pg.RangeVar:
			if x.Schemaname != "" || !ctes[x.Relname] || real[x] {
				r.Tables[syntax.RangeName(x)] = true
			}
		case *pg.ColumnRef:
			r.attribute(x.Fields[1:])
		case *pg.A_Indirection:
			r.attribute(x.Indirection)
		case *pg.FuncCall:
			name := syntax.Qualified(syntax.Names(x.Funcname))
			r.Calls[name] = true
			r.Gets = r.Gets || syntax.PlainName(name) == "current_setting"
			if syntax.PlainName(name) == "set_config" {
				r.Sets = true
				if c, ok := syntax.ConfigSetting(x); ok {
					r.setsPath(c)
				}
			}
		case *pg.InsertStmt:
			r.Writes = true
			r.Frees = r.Frees || x.OnConflictClause != nil && x.OnConflictClause.Action == pg.ConflictUpdate
		case *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt, *pg.TruncateStmt, *pg.CopyStmt,
			*pg.CreateStmt, *pg.AlterTableStmt, *pg.DropStmt, *pg.DoStmt, *pg.CallStmt, *pg.CreateTableAsStmt, *pg.IndexStmt:
			r.Writes, r.Frees = true, true
			if _, isDo := x.(*pg.DoStmt); isDo {
				r.Dynamic = true
			}
		}
		return true
	})
}

// SetsPath adds a change of the search path.
func (r *Refs) setsPath(c syntax.PathChange) {
	r.Paths = r.Paths.Or(c.To)
	if !c.Local {
		r.lasting = r.lasting.Or(c.To)
	}
}

// make adds a table that is created.
func (r *Refs) make(v *pg.RangeVar, end pg.OnCommit) {
	lasts := ForAll
	switch {
	case v.Relpersistence == "t" && end == pg.OnCommitDrop:
		lasts = untilCommit
	case v.Relpersistence == "t" || v.Schemaname == syntax.TempSchema:
		lasts = forSession
	}
	name := syntax.RangeName(v)
	r.Made[name] = max(r.Made[name], lasts)
}

// RefsIn gives what a tree names.
func (l *Schema) RefsIn(root pg.Message) *Refs {
	r := NewRefs()
	r.Add(root)
	return r
}

// DeclaredRefs is RefsIn for a part of a declaration, whose text is t.
func (l *Schema) DeclaredRefs(root pg.Message, t *syntax.Text) *Refs {
	r := l.RefsIn(root)
	r.Names = DeclaredNames(t)
	return r
}

// DefaultRefs gives what the default of a parameter names.
func (l *Schema) DefaultRefs(f *Function, p Param) *Refs {
	if p.Def == nil {
		return NewRefs()
	}
	return l.DeclaredRefs(p.Def, f.Text)
}

// FunctionRefs gives what the body of f names. A syntax error in an SQL
// statement of the body is an error of the input.
func (l *Schema) FunctionRefs(f *Function) *Refs {
	r := NewRefs()
	for _, p := range f.Params {
		if p.Def != nil {
			r.Add(p.Def)
		}
		if p.T != nil {
			r.Add(p.T)
		}
	}
	if f.Ret != nil {
		r.Add(f.Ret)
	}
	for _, raw := range f.SQL {
		r.Add(raw)
	}
	for _, n := range f.Atomic {
		r.Add(n)
	}
	if f.Body != nil {
		l.PlRefs(f, []plpgsql.Stmt{f.Body.Block}, r)
	}
	return r
}

// PlRefs adds what PL/pgSQL statements name.
func (l *Schema) PlRefs(f *Function, list []plpgsql.Stmt, r *Refs) {
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		switch s := s.(type) {
		case *plpgsql.Block:
			for _, d := range s.Decls {
				r.types[declaredName(d.Type.Text(f.BodyText.SQL))] = true
			}
		case *plpgsql.Execute:
			dynamicRefs(f.BodyText, s.Query, r)
		case *plpgsql.ReturnQuery:
			if s.Dynamic {
				dynamicRefs(f.BodyText, s.Query, r)
			}
		case *plpgsql.ForQuery:
			if s.Kind == plpgsql.Dynamic {
				dynamicRefs(f.BodyText, s.Query, r)
			}
			if s.Kind == plpgsql.OfCursor {
				l.cursorRefs(f, r)
			}
		case *plpgsql.Cursor:
			l.cursorRefs(f, r)
		case *plpgsql.EndTxn:
			r.Dynamic, r.Writes, r.Frees = true, true, true
		}
		plpgsql.Spans(s, func(span plpgsql.Span, kind plpgsql.SpanKind) {
			for _, raw := range l.ParseSpan(f.BodyText, span, kind) {
				r.Add(raw)
			}
		})
	})
}

// declaredName gives the name in the type of a variable: without % or [ and what follows.
func declaredName(typ string) string {
	name, _, _ := strings.Cut(typ, "%")
	name, _, _ = strings.Cut(name, "[")
	return strings.ToLower(strings.TrimSpace(name))
}

// cursorRefs adds what reading some cursor of f may name: the queries of all
// of them, or anything where a cursor may come from elsewhere.
func (l *Schema) cursorRefs(f *Function, r *Refs) {
	add := func(span plpgsql.Span) {
		for _, raw := range l.ParseSpan(f.BodyText, span, plpgsql.CommandSpan) {
			r.Add(raw)
		}
	}
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
		switch s := s.(type) {
		case *plpgsql.Block:
			for _, d := range s.Decls {
				if !d.Query.Empty() {
					add(d.Query)
				}
				r.Dynamic = r.Dynamic || strings.EqualFold(strings.TrimSpace(d.Type.Text(f.BodyText.SQL)), "refcursor")
			}
		case *plpgsql.Cursor:
			if !s.Query.Empty() {
				add(s.Query)
			}
		}
	})
	for _, p := range f.Params {
		r.Dynamic = r.Dynamic || syntax.TypeSpelling(p.T) == "refcursor"
	}
}

// spanText gives the text of a span as a statement.
func spanText(t *syntax.Text, span plpgsql.Span, kind plpgsql.SpanKind) *syntax.Text {
	if kind == plpgsql.ExprSpan {
		return t.Part("SELECT ", span)
	}
	return t.Part("", span)
}

// ParseSpan parses a span of the body of a function. A fault stops the reading.
func (l *Schema) ParseSpan(t *syntax.Text, span plpgsql.Span, kind plpgsql.SpanKind) []*pg.RawStmt {
	stmts, err := spanText(t, span, kind).Parse()
	if err != nil {
		panic(err)
	}
	return stmts
}

// Callees gives the functions of the program that f calls.
func (l *Schema) Callees(f *Function) []*Function {
	r := l.InsideOf(f, l.Standard)
	var out []*Function
	for _, name := range slices.Sorted(maps.Keys(l.Calls(f.Refs))) {
		fns, _ := r.Functions(name)
		out = append(out, fns...)
	}
	return Distinct(out)
}

// Everything says that it may touch anything.
func (r *Refs) Everything() { r.Dynamic, r.Writes, r.Frees = true, true, true }

// Callings gives the names by which -txn may mean f.
func (f *Function) Callings() []string {
	if len(f.Names) == 0 { // of a script
		return []string{f.Name}
	}
	return []string{f.Name, f.Signature(), f.Own(), syntax.Qualified([]string{f.Schema(), f.Own()})}
}

// ConstantCommand gives the text of a command that EXECUTE runs, if it is a
// string literal, or several that are joined by ||.
func ConstantCommand(t *syntax.Text, span plpgsql.Span) (*syntax.Text, bool) {
	s := span.Text(t.SQL)
	toks, err := pg.Scan(s)
	if err != nil {
		return nil, false
	}
	out := &syntax.Text{Src: t.Src, Offs: []int{}}
	wantText := true
	for _, tok := range toks {
		switch {
		case tok.Kind == pg.Comment:
			continue
		case wantText && tok.Kind == pg.Text:
			content := unquoted(s[tok.Start:tok.End])
			if content == nil {
				return nil, false
			}
			for _, c := range content {
				out.SQL += string(s[tok.Start+c])
				out.Offs = append(out.Offs, t.Offset(span.Start+tok.Start+c))
			}
		case !wantText && tok.Text == "||":
		default:
			return nil, false
		}
		wantText = !wantText
	}
	out.Offs = append(out.Offs, t.Offset(span.End-1))
	return out, !wantText
}

// unquoted gives the offsets of the bytes that a string literal stands for; nil
// for one with escapes other than doubled quotes.
func unquoted(raw string) []int {
	out := []int{}
	if raw[0] == '$' {
		open := strings.IndexByte(raw[1:], '$') + 2
		for i := open; i < len(raw)-open; i++ {
			out = append(out, i)
		}
		return out
	}
	if raw[0] != '\'' {
		return nil
	}
	for i := 1; i < len(raw)-1; i++ {
		out = append(out, i)
		if raw[i] == '\'' {
			i++
		}
	}
	return out
}

// dynamicRefs adds what EXECUTE runs.
func dynamicRefs(t *syntax.Text, query plpgsql.Span, r *Refs) {
	c, ok := ConstantCommand(t, query)
	if ok {
		if stmts, err := c.Parse(); err == nil {
			for _, raw := range stmts {
				r.Add(raw)
			}
			return
		}
	}
	r.Dynamic, r.Writes, r.Frees = true, true, true
	if strings.Contains(strings.ToLower(t.SQL), "search_path") {
		r.setsPath(syntax.PathChange{To: syntax.PathSet{Any: true}})
	}
}

// empties notes the tables whose rows a command takes away from older snapshots,
// too: TRUNCATE and the forms of ALTER TABLE that rewrite a table do that, since
// they put new files in the place of the old ones.
func (r *Refs) empties(x any) {
	switch x := x.(type) {
	case *pg.TruncateStmt:
		for _, n := range x.Relations {
			if v, ok := pg.Inner(n).(*pg.RangeVar); ok {
				r.emptied[syntax.RangeName(v)] = true
			}
		}
	case *pg.AlterTableStmt:
		r.emptied[syntax.RangeName(x.Relation)] = true
	}
}
