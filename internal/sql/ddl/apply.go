package ddl

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// Reorder puts the columns of tables of MySQL in their order, as FIRST and AFTER say.
func (l *Definer) Reorder() {
	for _, t := range l.Order {
		if order := l.Foreign.Order[t.Name]; order != nil {
			slices.SortStableFunc(t.Columns, func(a, b *schema.Column) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
		}
	}
}

// TryStatement runs a statement. One that needs a table that a later file may
// declare gives an error, and can run again; other faults are final.
func (l *Definer) TryStatement(n *syntax.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*ir.Error)
			if !ok || !strings.HasPrefix(e.Msg, schema.NoTable) {
				panic(r)
			}
			if _, creates := pg.Inner(n.Raw.Stmt).(*pg.CreateStmt); creates {
				panic(r)
			}
			err = e
		}
	}()
	l.Statement(n)
	return nil
}

// Statement handles a statement outside of functions and transactions, and keeps it.
func (l *Definer) Statement(n *syntax.Node) {
	l.apply(n)
	l.Declared(n)
}

func (l *Definer) apply(n *syntax.Node) {
	t, pos := l.Declaring(n.Text), n.Pos
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.CreateStmt, *pg.AlterTableStmt, *pg.IndexStmt, *pg.CreatePolicyStmt, *pg.CreateDomainStmt, *pg.ViewStmt, *pg.CreateTableAsStmt,
		*pg.RuleStmt, *pg.CreateTrigStmt, *pg.DefineStmt:
		l.callsOf(s.(pg.Message), t, pos)
	case pg.Message:
		l.rolesOf(s)
	}
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.CreateStmt:
		l.CreateTable(s, t)
	case *pg.AlterTableStmt:
		l.alterTable(s, t)
	case *pg.IndexStmt:
		l.Index(s, t)
	case *pg.DropStmt:
		l.drop(s, t)
	case *pg.RenameStmt:
		l.rename(s, t)
	case *pg.CreateFunctionStmt:
		l.createFunction(s, t, n.First)
	case *pg.CreateTrigStmt:
		l.createTrigger(s, t, pos)
	case *pg.CompositeTypeStmt:
		l.createComposite(s, t, pos)
	case *pg.CreateEnumStmt:
		l.createEnum(s, t, pos)
	case *pg.CreateDomainStmt:
		l.createDomain(s, t, pos)
	case *pg.AlterDomainStmt:
		l.alterDomain(s, t, pos)
	case *pg.ViewStmt:
		l.createView(s, t, pos)
	case *pg.CreateTableAsStmt:
		l.madeByQuery(s.Into.Rel, s.Query, t, pos)
	case *pg.CreateSeqStmt:
		l.createRelation(&schema.View{Pos: pos, What: schema.SequenceView}, s.Sequence, t)
	case *pg.CreateForeignTable:
		l.createRelation(&schema.View{Pos: pos, What: "a foreign table", Rows: true}, s.BaseStmt.Relation, t)
	case *pg.CreatePolicyStmt:
		if tab := l.tableNamed(s.Table, t); tab != nil {
			tab.Policies = append(tab.Policies, schema.Policy{Name: s.PolicyName, Refs: l.DeclaredRefs(s, t)})
		}
	case *pg.RuleStmt:
		l.createRule(s, t, pos)
	case *pg.InsertStmt:
		l.initialRows(s, t, pos)
	case *pg.TransactionStmt:
		// The end of a transaction that only makes the schema.
	case *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
		l.leaveOut(s.(pg.Message), pos)
	case *pg.SelectStmt:
		l.SetPath(s)
		l.topSelect(s, t, pos)
	case *pg.DoStmt:
		l.Runs.RunBlock(s, n)
	case *pg.CallStmt:
		l.Note(pos, "a CALL outside of a function runs once, when the schema is made: it is left out")
		l.Runs.RunCalls(l.RefsIn(s), pos)
	case *pg.CopyStmt:
		l.Note(pos, "COPY is not read: its rows are no initial rows")
	case *pg.TruncateStmt:
		for _, n := range s.Relations {
			if tab := l.tableNamed(pg.Inner(n).(*pg.RangeVar), t); tab != nil {
				tab.Inserts = nil
			}
		}
	case *pg.LockStmt:
		l.Fail(pos, "LOCK TABLE outside of a transaction is not analysed; write BEGIN … COMMIT around the transaction")
	case *pg.AlterEnumStmt:
		l.alterEnum(s, t)
	case *pg.AlterFunctionStmt:
		l.alterFunction(s, t)
	case *pg.DefineStmt:
		if s.Kind == pg.ObjectCollation {
			l.createCollation(s)
			break
		}
		l.createOperator(s, t)
		l.Note(pos, "an operator, aggregate, type or the like that is declared here is not modelled")
	case *pg.CreateCastStmt:
		l.Note(pos, "a cast that is declared here is not modelled: it is taken to read no tables")
		if s.Func != nil {
			l.CastsTo[syntax.Qualified(syntax.Names(s.Targettype.Names))] = true
		}
	case *pg.AlterObjectSchema:
		l.setSchema(s, t)
	case *pg.CreateSchemaStmt:
		l.createSchema(s, n, t)
	case *pg.CreateExtension:
		l.createExtension(s)
	case *pg.AlterRoleSetStmt:
		l.roleSetting(pos, s.Setstmt, s.Role.GetRolename(), s.Database)
	case *pg.AlterDatabaseSet:
		l.roleSetting(pos, s.Setstmt, "", s.Dbname)
	case *pg.CreateEventTrigStmt:
		l.Note(pos, "an event trigger is left out: it does not run in transactions that only change rows")
	case *pg.VariableSetStmt, *pg.DiscardStmt:
		l.session(pos, s)
	case *pg.GrantStmt:
		l.grant(s, t, pos)
	case *pg.AlterDefaultPriv:
		l.defaultPrivileges(s, pos)
	case *pg.VariableShow, *pg.CommentStmt, *pg.GrantRoleStmt, *pg.AlterExtensionStmt, *pg.AlterOwnerStmt, *pg.CreateRoleStmt,
		*pg.AlterRoleStmt, *pg.CreateStatsStmt, *pg.VacuumStmt,
		*pg.CreateDatabase, *pg.DropDatabase, *pg.CheckPointStmt,
		*pg.AlterSeqStmt, *pg.ReindexStmt, *pg.ClusterStmt, *pg.CreatePublication, *pg.SecLabelStmt,
		*pg.AlterObjectDepends, *pg.ExplainStmt, *pg.NotifyStmt, *pg.ListenStmt, *pg.ConstraintsSet:
		// They change no value and no constraint.
	default:
		l.Note(pos, "this statement is left out")
	}
}

// createView records a view, which is expanded where it is read.
func (l *Definer) createView(s *pg.ViewStmt, t *syntax.Text, pos ir.Pos) {
	v := &schema.View{Pos: pos, What: "a write of a view", Refs: l.DeclaredRefs(s.Query, t), Text: t, Cols: syntax.Names(s.Aliases)}
	v.Query, _ = pg.Inner(s.Query).(*pg.SelectStmt)
	if s.WithCheckOption != 0 && s.WithCheckOption != pg.NoCheckOption || slices.ContainsFunc(s.Options, func(n *pg.Node) bool { return pg.Inner(n).(*pg.DefElem).Defname == "check_option" }) {
		v.Guarded = "CHECK OPTION"
	}
	l.createRelation(v, s.View, t)
}

// madeByQuery is a table that CREATE TABLE AS or SELECT INTO makes.
func (l *Definer) madeByQuery(r *pg.RangeVar, query pg.Message, t *syntax.Text, pos ir.Pos) {
	v := &schema.View{Pos: pos, What: "a table made by a query", Refs: l.DeclaredRefs(query, t), Rows: true}
	l.createRelation(v, r, t)
	l.Note(pos, "%s is made by a query: statements on it are not modelled", v.Name)
}

// leaveOut leaves out a statement that changes rows outside of transactions.
func (l *Definer) leaveOut(s pg.Message, pos ir.Pos) {
	l.LeftOut = append(l.LeftOut, pos)
	l.Note(pos, "a statement that changes rows outside of a transaction runs once, when the schema is made: it is left out, and initial rows are those before it; write a comment -- name: … before it if clients run it")
	l.Runs.RunCalls(l.RefsIn(s), pos)
}

// topSelect is a SELECT outside of functions, such as pg_dump's set_config.
func (l *Definer) topSelect(s *pg.SelectStmt, t *syntax.Text, pos ir.Pos) {
	if s.IntoClause != nil {
		l.madeByQuery(s.IntoClause.Rel, s, t, pos)
		return
	}
	if l.Matters(l.RefsIn(s)) {
		l.Note(pos, "a SELECT outside of a transaction is left out; write a comment -- name: … before it if it is one")
		l.Runs.RunCalls(l.RefsIn(s), pos)
	}
}

func (l *Definer) createComposite(s *pg.CompositeTypeStmt, t *syntax.Text, pos ir.Pos) {
	u := &schema.UserType{Pos: pos, Fields: []schema.FieldDef{}}
	for _, n := range s.Coldeflist {
		d := pg.Inner(n).(*pg.ColumnDef)
		u.Fields = append(u.Fields, schema.FieldDef{Name: d.Colname, T: l.TypeOf(d.TypeName, t), Domain: l.DomainOf(d.TypeName, t), Within: l.DomainsOf(d.TypeName, t)})
	}
	l.createType(u, append(syntax.NonEmpty(s.Typevar.Schemaname), s.Typevar.Relname), t)
}

func (l *Definer) createEnum(s *pg.CreateEnumStmt, t *syntax.Text, pos ir.Pos) {
	u := &schema.UserType{Pos: pos, Enum: true}
	l.createType(u, syntax.Names(s.TypeName), t)
	u.Base = schema.TypeOfValues(&value.Type{Name: u.Key, Labels: append([]string{}, syntax.Names(s.Vals)...), Shown: typeIdentifier(u)})
}

// createOperator records CREATE OPERATOR: what it calls may do anything.
func (l *Definer) createOperator(s *pg.DefineStmt, t *syntax.Text) {
	if s.Kind != pg.ObjectOperator {
		return
	}
	fn := ""
	for _, n := range s.Definition {
		d := pg.Inner(n).(*pg.DefElem)
		if t, ok := pg.Inner(d.Arg).(*pg.TypeName); ok && (d.Defname == "function" || d.Defname == "procedure") {
			fn = syntax.Qualified(syntax.Names(t.Names))
		}
	}
	name := syntax.OperatorName(s.Defnames)
	l.Operators[name] = append(l.Operators[name], schema.DeclaredOperator{Fn: fn, Names: schema.DeclaredNames(t)})
}

// alterEnum adds or renames a label.
func (l *Definer) alterEnum(s *pg.AlterEnumStmt, t *syntax.Text) {
	u := l.Sees(t).Typ(syntax.Qualified(syntax.Names(s.TypeName)))
	if u == nil || !u.Enum {
		return
	}
	labels := u.Base.SQL.Labels
	switch at := slices.Index(labels, s.NewValNeighbor); {
	case s.OldVal != "":
		if i := slices.Index(labels, s.OldVal); i >= 0 {
			labels[i] = s.NewVal
		}
	case slices.Contains(labels, s.NewVal):
	case at < 0:
		labels = append(labels, s.NewVal)
	case s.NewValIsAfter:
		labels = slices.Insert(labels, at+1, s.NewVal)
	default:
		labels = slices.Insert(labels, at, s.NewVal)
	}
	u.Base.SQL.Labels = labels // columns of the type share it
}

// typeIdentifier writes the name of a type in SQL.
func typeIdentifier(u *schema.UserType) string {
	parts := []string{u.Schema(), u.Own()}
	if u.Schema() == syntax.PublicSchema {
		parts = parts[1:]
	}
	for i, p := range parts {
		parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
	}
	return strings.Join(parts, ".")
}

func (l *Definer) createRule(s *pg.RuleStmt, t *syntax.Text, pos ir.Pos) {
	if tab := l.tableNamed(s.Relation, t); tab != nil {
		tab.Odd = "a rule (CREATE RULE)"
		for _, a := range s.Actions {
			tab.OddRefs = append(tab.OddRefs, l.DeclaredRefs(a, t))
		}
		l.Note(pos, "rule %s is not modelled: nor is any statement on %s", s.Rulename, tab.Name)
	} else {
		for _, a := range s.Actions {
			l.guard(s.Relation, t, "a rule", l.DeclaredRefs(a, t))
		}
		l.guard(s.Relation, t, "a rule")
	}
}

// guard notes what happens to writes of a view besides that they are writes of the table
// below it.
func (l *Definer) guard(r *pg.RangeVar, t *syntax.Text, by string, caused ...*schema.Refs) {
	if o := l.Sees(t).Relation(syntax.RangeName(r)); o != nil && o.View != nil {
		o.View.Guarded, o.View.Caused = by, append(o.View.Caused, caused...)
	}
}

// Definer reads declarations into a Schema, statement by statement.
type Definer struct {
	*schema.Schema
	// LeftOut is where statements change rows outside of transactions.
	LeftOut []ir.Pos
}

// readFact reads what follows "-- invariant:", at offset at of the file:
//
//	[for table alias, …:] condition over rows
//
// The condition is kept as text until all tables are known.
func (l *Definer) readFact(src *syntax.Source, rest string, at int) {
	f := schema.Fact{Pos: src.Pos(at)}
	toks, err := pg.Scan(rest)
	if err != nil {
		e := err.(*pg.Error)
		l.Fail(src.Pos(at+e.Offset), "%s", e.Msg)
	}
	start := 0
	if len(toks) > 0 && toks[0].Text == "for" && toks[0].Kind == pg.Word {
		start = l.readSources(&f, src, toks, at)
	}
	if strings.TrimSpace(rest[start:]) == "" {
		l.Fail(src.Pos(at+len(rest)), "an invariant needs a condition over rows, such as: items.nbids >= 0")
	}
	f.Text = src.Whole().Slice("SELECT ", at+start, at+len(rest))
	l.Facts = append(l.Facts, f)
}

// readSources reads "for table alias, table alias:" and gives the offset of
// what follows.
func (l *Definer) readSources(f *schema.Fact, src *syntax.Source, toks []pg.Token, at int) int {
	i := 1
	word := func(what string) string {
		if i < len(toks) && (toks[i].Kind == pg.Word || toks[i].Kind == pg.Quoted) {
			i++
			return toks[i-1].Text
		}
		end := at + toks[len(toks)-1].End
		if i < len(toks) {
			end = at + toks[i].Start
		}
		l.Fail(src.Pos(end), "expected %s in the for part of an invariant: for table alias, table alias: condition", what)
		return ""
	}
	punct := func(s string) bool {
		if i < len(toks) && toks[i].Kind == pg.Punct && toks[i].Text == s {
			i++
			return true
		}
		return false
	}
	for {
		var parts []string
		pos := src.Pos(at + toks[min(i, len(toks)-1)].Start)
		parts = append(parts, word("a table"))
		for punct(".") {
			parts = append(parts, word("a table"))
		}
		s := schema.FactSource{Table: syntax.Qualified(parts), Alias: parts[len(parts)-1], Pos: pos}
		if i < len(toks) && (toks[i].Kind == pg.Word || toks[i].Kind == pg.Quoted) {
			s.Alias = word("an alias")
		}
		f.From = append(f.From, s)
		if punct(",") {
			continue
		}
		if !punct(":") {
			word("a comma or a colon")
			i--
			l.Fail(src.Pos(at+toks[i].Start), "expected a comma or a colon in the for part of an invariant")
		}
		return toks[i-1].End
	}
}

// callsOf notes the functions that a declaration calls: a default, CHECK, view, policy or the like.
func (l *Definer) callsOf(s pg.Message, t *syntax.Text, pos ir.Pos) {
	r := l.RefsIn(s)
	if d, ok := s.(*pg.DefineStmt); ok { // an operator or aggregate
		for _, n := range d.Definition {
			if t, ok := pg.Inner(pg.Inner(n).(*pg.DefElem).Arg).(*pg.TypeName); ok {
				r.Calls[syntax.Qualified(syntax.Names(t.Names))] = true
			}
		}
	}
	for name := range l.Calls(r) {
		fns, _ := schema.DeclaredNames(t).Functions(name)
		for _, f := range fns {
			if f.Declared.Line == 0 {
				f.Declared = pos
			}
		}
	}
}

// createCollation records CREATE COLLATION: one that is not deterministic makes values
// that differ equal.
func (l *Definer) createCollation(s *pg.DefineStmt) {
	for _, n := range s.Definition {
		d := pg.Inner(n).(*pg.DefElem)
		if d.Defname != "deterministic" {
			continue
		}
		word := ""
		switch v := pg.Inner(d.Arg).(type) {
		case *pg.TypeName: // FALSE may be read as a name
			word = strings.Join(syntax.Names(v.Names), ".")
		case *pg.String:
			word = v.Sval
		case *pg.Boolean:
			if v.Boolval {
				word = "true"
			}
		}
		if !strings.EqualFold(word, "true") && !strings.EqualFold(word, "on") && word != "1" {
			l.Collations[syntax.LastPart(syntax.Qualified(syntax.Names(s.Defnames)))] = true
		}
	}
}
