package load

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/ddl"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// unitReader finds the transactions in the nodes of a file.
type unitReader struct {
	l    *Loader
	s    *syntax.Session
	file string
	// before are the nodes since the start of the file.
	before []*syntax.Node
	// txn is the transaction that is open.
	txn     *openTxn
	ordinal int
	// last is where the unit before ended: comments after it belong to the next.
	last map[*syntax.Source]int
	// settings are those of the session.
	settings syntax.Settings
	// lock is the function by which a transaction before took an advisory lock that the
	// session still holds, "" if there is none.
	lock string
	// session are the statements of all transactions, and the commands between them, if sessions are asked for; steps tell them apart.
	session []*syntax.Node
	steps   []sessionStep
	// held says that the session has held an advisory lock beside some of them.
	held bool
}

// openTxn is a transaction between its BEGIN and its COMMIT.
type openTxn struct {
	begin *syntax.Node
	level string
	nodes []*syntax.Node
	// pipeline says that no BEGIN was seen: the transaction of a pipeline.
	pipeline bool
}

// whole reads a file.
func (u *unitReader) whole(nodes []*syntax.Node) {
	u.last = map[*syntax.Source]int{}
	u.list(nodes)
	for _, c := range u.s.Computes {
		if !u.s.Pgbench {
			u.l.Note(c.Pos, "this \\set computes a value, as pgbench does; psql would put the text of the expression in the place of the variable")
		}
	}
	if u.txn != nil {
		if u.txn.pipeline {
			u.l.Fail(u.txn.begin.Pos, "this pipeline has no \\endpipeline")
		}
		if !u.schema(u.txn) {
			u.l.Fail(u.txn.begin.Pos, "this transaction has no COMMIT; write one where it ends")
		}
		u.statements(u.txn.nodes)
	}
	if u.l.In.Sessions != nil {
		u.script()
	}
}

func (u *unitReader) list(nodes []*syntax.Node) {
	for _, n := range nodes {
		switch {
		case n.Raw != nil:
			u.statement(n)
		case n.Branches != nil:
			u.branches(n)
		default:
			u.command(n)
		}
	}
}

// done takes note that what follows n belongs to the next unit.
func (u *unitReader) done(n *syntax.Node) { u.last[n.Src] = max(u.last[n.Src], n.At+1) }

// statement is an SQL statement.
func (u *unitReader) statement(n *syntax.Node) {
	s, ok := pg.Inner(n.Raw.Stmt).(*pg.TransactionStmt)
	if !ok {
		if u.txn != nil {
			u.txn.nodes = append(u.txn.nodes, n)
		} else {
			u.single(n)
		}
		return
	}
	switch s.Kind {
	case pg.TransBegin, pg.TransStart:
		switch {
		case u.txn == nil:
			u.begin(n, s)
		case u.txn.pipeline:
			u.txn.pipeline, u.txn.level = false, syntax.NameOr(syntax.Isolation(s.Options), u.settings.Level)
		default:
			u.l.Note(n.Pos, "this BEGIN does nothing: the transaction of %s is still open", u.txn.begin.Pos)
		}
	case pg.TransCommit, pg.TransRollback:
		if u.txn == nil {
			u.done(n)
			return
		}
		u.end(n, s.Kind == pg.TransRollback)
		if s.Chain {
			u.begin(n, s)
		}
	case pg.TransSavepoint, pg.TransRelease, pg.TransBackTo:
		if u.txn == nil {
			u.l.Fail(n.Pos, "a savepoint needs a transaction; write BEGIN before it")
		}
		u.txn.nodes = append(u.txn.nodes, n)
	default:
		u.l.Fail(n.Pos, "transactions in two phases (PREPARE TRANSACTION) are not analysed; write COMMIT")
	}
}

func (u *unitReader) begin(n *syntax.Node, s *pg.TransactionStmt) {
	u.txn = &openTxn{begin: n, level: syntax.NameOr(syntax.Isolation(s.Options), u.settings.Level)}
}

// end closes the open transaction at n.
func (u *unitReader) end(n *syntax.Node, rollback bool) {
	t := u.txn
	u.txn = nil
	defer u.done(n)
	defer func() { u.before = append(u.before, t.nodes...) }()
	statements := slices.ContainsFunc(t.nodes, HasStatement)
	switch {
	case !statements:
	case rollback:
		u.l.Note(t.begin.Pos, "this transaction never commits: it has no outcome, and is left out")
	case u.schema(t):
		u.l.Path.Begin()
		u.statements(t.nodes)
		u.l.Path.End(false)
	default:
		u.add(t.begin, t.level, t.nodes)
		u.follow(t.nodes)
	}
}

// follow takes over what a transaction does to the search path and the settings of the session.
func (u *unitReader) follow(nodes []*syntax.Node) {
	l := u.l
	l.Path.Begin()
	for _, n := range nodes {
		if n.Raw != nil {
			l.SetPath(pg.Inner(n.Raw.Stmt))
			u.settings.Take(pg.Inner(n.Raw.Stmt))
			continue
		}
		before, settings := l.Path.Paths, u.settings
		eachStatement([]*syntax.Node{n}, func(n *syntax.Node) {
			l.SetPath(pg.Inner(n.Raw.Stmt))
			before = before.Or(l.Path.Paths)
			u.settings.Take(pg.Inner(n.Raw.Stmt))
			settings = settings.Or(u.settings)
		})
		l.Path.Paths, u.settings = before, settings
	}
	l.Path.End(false)
}

// HasStatement reports whether a node holds a statement.
func HasStatement(n *syntax.Node) bool {
	found := n.Raw != nil
	for _, b := range n.Branches {
		found = found || slices.ContainsFunc(b.Nodes, HasStatement)
	}
	return found
}

// eachStatement calls f for the statements in nodes.
func eachStatement(nodes []*syntax.Node, f func(n *syntax.Node)) {
	for _, n := range nodes {
		if n.Raw != nil {
			f(n)
		}
		for _, b := range n.Branches {
			eachStatement(b.Nodes, f)
		}
	}
}

// schema reports whether a transaction is no template: it declares something,
// as migrations do, or only inserts constants, as scripts with data do. A name
// or parameters make it a template.
func (u *unitReader) schema(t *openTxn) bool {
	if name, _ := u.title(t.begin, false); name != "" {
		return false
	}
	declares, inserts, other, branches := false, false, false, false
	eachStatement(t.nodes, func(n *syntax.Node) {
		other = other || len(Parameters(n)) > 0 || n.Cmd != nil
		switch s := pg.Inner(n.Raw.Stmt).(type) {
		case *pg.InsertStmt:
			sel, ok := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
			inserts = inserts || ok && len(sel.ValuesLists) > 0
			other = other || !ok || len(sel.ValuesLists) == 0 || s.ReturningClause != nil
		case *pg.SelectStmt:
			other = other || u.l.Matters(u.l.RefsIn(s))
		case *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt, *pg.LockStmt, *pg.CallStmt, *pg.DoStmt:
			other = true
		case *pg.CreateStmt:
			declares = declares || s.Relation.Relpersistence != "t"
			other = other || s.Relation.Relpersistence == "t"
		case *pg.TruncateStmt, *pg.CreateTableAsStmt:
			other = true
		default:
			declares = declares || schema.IsDeclaration(s)
		}
	})
	for _, n := range t.nodes {
		branches = branches || n.Branches != nil
	}
	switch {
	case declares && !branches:
		return true
	case inserts && !other && !branches:
		u.l.Note(t.begin.Pos, "this transaction only inserts constants: its rows are initial rows; write a comment -- name: … before it if clients run it")
		return true
	}
	return false
}

// statements handles statements that make the schema and its rows.
func (u *unitReader) statements(nodes []*syntax.Node) {
	eachStatement(nodes, func(n *syntax.Node) {
		u.done(n)
		if err := u.l.TryStatement(n); err != nil {
			u.l.Postpone(func() { u.l.later(n) })
		}
	})
}

// single is a statement outside of transactions: one by itself if it has
// a name or parameters.
func (u *unitReader) single(n *syntax.Node) {
	defer u.done(n)
	name, _ := u.title(n, false)
	alone := false
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.SelectStmt:
		alone = name != "" || len(Parameters(n)) > 0 || n.Cmd != nil && n.Cmd.Name == "gset" && u.l.Matters(u.l.RefsIn(s))
	case *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt, *pg.CallStmt, *pg.DoStmt, *pg.TruncateStmt:
		alone = name != "" || len(Parameters(n)) > 0 || n.Cmd != nil && n.Cmd.Name == "gset"
	}
	if n.Cmd != nil && n.Cmd.Name == ";" {
		u.l.Fail(n.Cmd.Pos, `statements that are sent together (\;) are not read outside of a transaction; write BEGIN … COMMIT around them`)
	}
	defer u.settings.Take(pg.Inner(n.Raw.Stmt))
	if alone {
		u.add(n, u.settings.Level, []*syntax.Node{n})
		u.before = append(u.before, n)
		u.l.SetPath(pg.Inner(n.Raw.Stmt))
		return
	}
	u.locks(u.l.RefsIn(n.Raw))
	u.statements([]*syntax.Node{n})
}

// command is a command of psql or pgbench.
func (u *unitReader) command(n *syntax.Node) {
	switch n.Cmd.Name {
	case "startpipeline":
		if u.txn == nil {
			u.txn = &openTxn{begin: n, pipeline: true, level: u.settings.Level}
		}
		return
	case "endpipeline", "syncpipeline":
		if u.txn != nil && u.txn.pipeline {
			u.end(n, false)
		}
		return
	}
	if u.txn != nil {
		u.txn.nodes = append(u.txn.nodes, n)
		return
	}
	u.before = append(u.before, n)
	u.session = append(u.session, n)
}

// branches is an \if: in a transaction, around whole ones, or around the end of
// one in each of its branches.
func (u *unitReader) branches(n *syntax.Node) {
	if u.txn == nil {
		before := u.before
		defer func() { u.before = append(before, n) }()
		if !HasStatement(n) {
			u.session = append(u.session, n)
			return
		}
		paths, settings := u.l.Path.Paths, u.settings
		after, set := paths, settings
		for _, b := range n.Branches {
			u.before, u.l.Path.Paths, u.settings = slices.Clone(before), paths, settings
			u.list(b.Nodes)
			if u.txn != nil {
				u.l.Fail(u.txn.begin.Pos, "this transaction goes on behind the branch of the \\if at %s; end it in the branch, or begin it before", n.Pos)
			}
			after, set = after.Or(u.l.Path.Paths), set.Or(u.settings)
		}
		u.l.Path.Paths, u.settings = after, set
		return
	}
	u.txn.nodes = append(u.txn.nodes, n)
	some, all := u.ends(n)
	switch {
	case some && !all:
		u.l.Fail(n.Pos, "some branches of this \\if end the transaction and others do not; end it in each of them (with \\else), or behind \\endif")
	case all:
		u.end(n, false)
	}
}

// ends reports whether some branch of n ends the transaction, and whether all
// do, with nothing behind.
func (u *unitReader) ends(n *syntax.Node) (some, all bool) {
	all = true
	hasElse := false
	for _, b := range n.Branches {
		hasElse = hasElse || b.Cond == nil
		ended := false
		for _, m := range b.Nodes {
			if ended && HasStatement(m) {
				u.l.Fail(m.Pos, "statements behind the end of a transaction in a branch of \\if are not read; move them behind \\endif")
			}
			if m.Branches != nil {
				s, a := u.ends(m)
				some, ended = some || s, ended || a
				continue
			}
			if m.Raw == nil {
				ended = ended || m.Cmd.Name == "q" || m.Cmd.Name == "quit"
				continue
			}
			t, ok := pg.Inner(m.Raw.Stmt).(*pg.TransactionStmt)
			switch {
			case !ok:
			case t.Kind == pg.TransBegin || t.Kind == pg.TransStart:
				u.l.Fail(m.Pos, "this BEGIN stands in a transaction, under an \\if; begin transactions outside")
			case t.Kind == pg.TransCommit || t.Kind == pg.TransRollback:
				if t.Chain {
					u.l.Fail(m.Pos, "AND CHAIN is not read under an \\if; write BEGIN behind \\endif")
				}
				ended = true
			}
		}
		some, all = some || ended, all && ended
	}
	return some, all && hasElse
}

// Parameters gives the numbers of the variables in a statement, in order.
func Parameters(n *syntax.Node) []int {
	var out []int
	pg.Walk(n.Raw, func(tree any) bool {
		switch tree := tree.(type) {
		case *pg.CreateFunctionStmt:
			return false
		case *pg.ParamRef:
			if k := int(tree.Number); k > 0 && !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
		return true
	})
	return out
}

// title gives the name that a comment before n gives it, and what sqlc's form of
// the comment says about the result. claim says that the unit is a template, to
// which all comments there belong.
func (u *unitReader) title(n *syntax.Node, claim bool) (name, result string) {
	src := n.Src
	for i, tok := range src.Toks {
		if tok.Kind != pg.Comment || tok.Start < u.last[src] || tok.Start >= n.At {
			continue
		}
		rest, _, ok := src.Directive(tok, "name")
		if words := strings.Fields(rest); ok && len(words) > 0 {
			name, result = words[0], ""
			if len(words) > 1 {
				result = strings.TrimPrefix(words[len(words)-1], ":")
			}
		}
		if claim {
			src.Claim(i)
		}
	}
	return name, result
}

// add makes a template.
func (u *unitReader) add(at *syntax.Node, level string, nodes []*syntax.Node) {
	l := u.l
	if l.In.Sessions != nil {
		u.step(at, nodes)
		return
	}
	for _, n := range nodes {
		l.refuseInside(n)
	}
	u.ordinal++
	f := &schema.Function{Pos: at.Pos, Language: "sql", SetOf: true, Text: at.Text, Refs: schema.NewRefs()}
	f.Script = &schema.Script{S: u.s, Before: slices.Clone(u.before), Nodes: nodes, Does: map[*pg.DoStmt]*schema.Function{}, Open: map[int]bool{}, Paths: l.Path.Now(), Lock: u.lock}
	f.Name, f.Script.Result = u.title(at, true)
	if f.Name == "" {
		base := filepath.Base(u.file)
		f.Name = strings.TrimSuffix(base, filepath.Ext(base)) + "-" + strconv.Itoa(u.ordinal)
	}
	f.Level, f.Unchecked = level, u.settings.Unchecked
	if f.Text == nil {
		f.Text = &syntax.Text{Src: at.Src}
	}
	u.directives(f, at, nodes)
	eachStatement(nodes, func(n *syntax.Node) { l.ScriptRefs(f, n) })
	u.locks(f.Refs)
	if !f.Helper {
		l.Scripts = append(l.Scripts, f)
	}
}

// step records a statement of the script of which u reads the transactions.
func (u *unitReader) step(at *syntax.Node, nodes []*syntax.Node) {
	u.session, u.held = append(u.session, nodes...), u.held || u.lock != ""
	eachStatement(nodes, func(n *syntax.Node) {
		u.steps = append(u.steps, sessionStep{n.Pos, lastPos([]*syntax.Node{n}, n.Pos), []string{at.Pos.String()}})
	})
}

// sessionStep is a statement, and the transactions one of which it belongs to.
type sessionStep struct {
	from, to ir.Pos
	units    []string
}

// script adds the session of a script, if it has several transactions.
func (u *unitReader) script() {
	gset := func(n *syntax.Node) bool { return n.Cmd != nil && n.Cmd.Name == "gset" }
	if !slices.ContainsFunc(u.session, gset) || !slices.ContainsFunc(u.steps, func(s sessionStep) bool { return s.units[0] != u.steps[0].units[0] }) {
		return
	}
	l := u.l
	at := u.session[0]
	f := &schema.Function{Pos: at.Pos, Name: filepath.Base(u.file), Language: "sql", SetOf: true, Text: &syntax.Text{Src: at.Src}, Refs: schema.NewRefs()}
	f.Script = &schema.Script{S: u.s, Nodes: u.session, Does: map[*pg.DoStmt]*schema.Function{}, Open: map[int]bool{}, Paths: l.Path.Now()}
	eachStatement(u.session, func(n *syntax.Node) { l.ScriptRefs(f, n) })
	if u.held || locksSession(f.Refs) {
		return
	}
	same := func(o *schema.Function) bool { return o.Name == f.Name }
	for n := 2; slices.ContainsFunc(l.Scripts, same); n++ {
		f.Name = filepath.Base(u.file) + "#" + strconv.Itoa(n)
	}
	l.Scripts = append(l.Scripts, f)
	for _, s := range u.steps {
		l.In.Sessions(f.Name, s.from, s.to, s.units)
	}
}

// locks sees which advisory lock the session holds after what names r.
func (u *unitReader) locks(r *schema.Refs) {
	for _, name := range slices.Sorted(maps.Keys(r.Calls)) {
		switch name := syntax.PlainName(name); {
		case strings.HasPrefix(name, "pg_advisory_unlock"):
			u.lock = ""
		case syntax.TakesAdvisoryLock(name) && !strings.Contains(name, "_xact_"):
			u.lock = name
		}
	}
}

// refuseInside refuses commands that change rows or end the transaction.
func (l *Loader) refuseInside(n *syntax.Node) {
	for _, b := range n.Branches {
		for _, m := range b.Nodes {
			l.refuseInside(m)
		}
	}
	if n.Raw != nil || n.Cmd == nil {
		return
	}
	switch n.Cmd.Name {
	case "copy", "c", "connect":
		l.Fail(n.Pos, "\\%s in a transaction is not read; move it out of the transaction, or write SQL", n.Cmd.Name)
	}
}

// lastPos is where the last of the nodes in a file stands, from on.
func lastPos(nodes []*syntax.Node, from ir.Pos) ir.Pos {
	last := from
	eachStatement(nodes, func(n *syntax.Node) {
		if n.Pos.File == last.File && n.Pos.Line >= last.Line {
			last = n.Src.Pos(n.Text.Offset(int(n.Raw.StmtLocation + n.Raw.StmtLen)))
			if n.Raw.StmtLen == 0 {
				last = n.Src.Pos(len(n.Src.Text))
			}
		}
	})
	return last
}

// directives reads the comments about a template.
func (u *unitReader) directives(f *schema.Function, at *syntax.Node, nodes []*syntax.Node) {
	src := at.Src
	for _, tok := range src.Toks {
		if tok.Kind != pg.Comment || tok.Start < u.last[src] || tok.Start >= at.At {
			continue
		}
		if rest, off, ok := src.Directive(tok, "robust"); ok {
			switch {
			case rest == "helper":
				f.Helper = true
			case ddl.IsIgnore("robust", rest):
				u.l.Ignore(src.Pos(off), rest, at.Pos, lastPos(nodes, at.Pos))
			default:
				u.l.Note(src.Pos(off), "the comment \"robust: %s\" is not understood; there are \"robust: helper\" and \"robust: ignore\"", rest)
			}
		}
		rest, off, ok := src.Directive(tok, "fresh")
		if !ok {
			continue
		}
		for k, name := range syntax.SplitNames(rest) {
			name = strings.TrimLeft(name, ":@$")
			if !slices.Contains(u.s.Vars, name) {
				u.l.Fail(src.Pos(off+k), "%s has no parameter %s to be fresh", f.Name, name)
			}
			f.Fresh = append(f.Fresh, name)
		}
	}
	slices.Sort(f.Fresh)
}

// ScriptRefs adds what a statement of a script names. What is no query and no
// change of rows may run any statement (EXECUTE, FETCH).
func (l *Loader) ScriptRefs(f *schema.Function, n *syntax.Node) {
	r := f.Refs
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.DoStmt:
		do := l.doFunction(s, n)
		f.Script.Does[s] = do
		l.PlRefs(do, []plpgsql.Stmt{do.Body.Block}, r)
	case *pg.SelectStmt, *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt, *pg.LockStmt, *pg.CallStmt,
		*pg.TransactionStmt, *pg.VariableSetStmt, *pg.VariableShow, *pg.ConstraintsSet, *pg.TruncateStmt, *pg.CopyStmt,
		*pg.ExplainStmt, *pg.NotifyStmt, *pg.ListenStmt, *pg.CreateStmt, *pg.CreateTableAsStmt, *pg.IndexStmt, *pg.CommentStmt,
		*pg.CheckPointStmt:
		r.Add(n.Raw)
	default:
		r.Add(n.Raw)
		r.Dynamic, r.Writes, r.Frees = true, true, true
	}
}

// doFunction makes a procedure of a DO block.
func (l *Loader) doFunction(s *pg.DoStmt, n *syntax.Node) *schema.Function {
	f := &schema.Function{Pos: n.Pos, Name: "do", Procedure: true, Language: "plpgsql", Text: n.Text}
	var as *pg.DefElem
	for _, a := range s.Args {
		d := pg.Inner(a).(*pg.DefElem)
		switch d.Defname {
		case "language":
			f.Language = strings.ToLower(d.GetArg().GetString_().GetSval())
		case "as":
			as = d
		}
	}
	if as == nil || f.Language != "plpgsql" {
		l.Fail(n.Pos, "a DO block in %s is not read; write it in plpgsql", f.Language)
	}
	l.FunctionBody(f, n.Src, n.At)
	f.Refs = l.FunctionRefs(f)
	return f
}
