package load

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// doBlock is a DO block of a schema that was found. Migrations use it to change
// what is not as they want it: a condition looks in the catalogs for an object, and
// a statement under it makes or changes that object.
type doBlock struct {
	l *Loader
	n *syntax.Node
	f *schema.Function
	// ran says that a statement under a condition was taken to run.
	ran bool
}

// foundDo reads a DO block. ok is false if its effect on the schema is not known.
func (l *Loader) foundDo(s *pg.DoStmt, n *syntax.Node) (ok bool) {
	l.InDo = true
	defer func() { l.InDo = false }()
	d := &doBlock{l: l, n: n}
	if FaultIn(func() { d.f = l.doFunction(s, n) }) != nil {
		return false
	}
	for name := range l.Calls(d.f.Refs) {
		if len(l.LateFunctions(name)) > 0 {
			return false
		}
	}
	if !d.readable([]plpgsql.Stmt{d.f.Body.Block}) {
		return false
	}
	d.run([]plpgsql.Stmt{d.f.Body.Block}, "")
	if d.ran {
		l.Note(n.Pos, "statements of this DO block stand under conditions on the catalogs: they are taken to run where they apply")
	}
	return true
}

// readable reports whether all that may change the schema in list stands as
// statements of SQL outside of loops.
func (d *doBlock) readable(list []plpgsql.Stmt) bool {
	ok, changes, returns := true, false, false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		switch s := s.(type) {
		case *plpgsql.Return:
			returns = true
		case *plpgsql.Block:
			for _, h := range s.Handlers {
				plpgsql.Walk(h.Body, func(s plpgsql.Stmt) {
					if q, isSQL := s.(*plpgsql.SQL); isSQL {
						ok = ok && !changesTables.MatchString(q.Query.Text(d.f.BodyText.SQL))
					}
				})
			}
		case *plpgsql.Execute: // the text may be computed, but its verb rarely is
			text := s.Query.Text(d.f.BodyText.SQL)
			ok = ok && (rowVerb.MatchString(text) && !changesTables.MatchString(text) || addsExtension.MatchString(text) || d.checksOf(s) != nil)
		case *plpgsql.SQL:
			if !s.Perform && changesTables.MatchString(s.Query.Text(d.f.BodyText.SQL)) {
				_, err := d.parse(s)
				ok, changes = ok && err == nil, true
			}
		case *plpgsql.Loop, *plpgsql.ForRange, *plpgsql.ForQuery, *plpgsql.Foreach, *plpgsql.Case:
			text := d.f.BodyText.SQL[s.Place():]
			ok = ok && !changesTables.MatchString(text)
		}
	})
	return ok && !(changes && returns) // it may end before the changes
}

var (
	changesTables = regexp.MustCompile(`(?i)\b(alter|create|drop|truncate|comment)\b`)
	rowVerb       = regexp.MustCompile(`(?i)^[^']*'\s*(update|insert|delete)\b`)
	addsExtension = regexp.MustCompile(`(?i)^\s*'\s*create\s+extension\b[^']*'\s*$`)
	constant      = regexp.MustCompile(`'([^']*)'`)
)

func (d *doBlock) parse(s *plpgsql.SQL) ([]*syntax.Node, error) {
	t := d.f.BodyText.Part("", s.Query)
	list, err := t.Parse()
	if err != nil {
		return nil, err
	}
	var out []*syntax.Node
	for _, raw := range list {
		at := t.Offset(int(raw.StmtLocation))
		out = append(out, &syntax.Node{Pos: t.Src.Pos(at), Src: t.Src, Raw: raw, Text: t, At: at})
	}
	return out, nil
}

// run runs the statements that change the schema; cond is the text of the
// conditions around them.
func (d *doBlock) run(list []plpgsql.Stmt, cond string) {
	for _, s := range list {
		switch s := s.(type) {
		case *plpgsql.Block:
			if len(s.Handlers) > 0 && cond == "" {
				cond = " " // the statement may fail
			}
			d.run(s.Body, cond)
		case *plpgsql.If:
			for _, b := range s.Branches {
				d.run(b.Body, cond+" "+b.Cond.Text(d.f.BodyText.SQL))
			}
			d.run(s.Else, cond+" ELSE")
		case *plpgsql.Execute:
			if tab := d.checksOf(s); tab != nil {
				for _, k := range tab.Checks {
					d.l.LeaveOut(tab, k.Pos, "check "+k.Name, "a check of "+tab.Name+" whose name is computed is dropped later", syntax.ColumnsNamed(k.Expr.Node))
				}
				tab.Checks = nil
			}
		case *plpgsql.SQL:
			if s.Perform || !changesTables.MatchString(s.Query.Text(d.f.BodyText.SQL)) {
				continue
			}
			nodes, err := d.parse(s)
			if err != nil {
				panic(err) // readable has parsed it
			}
			for _, n := range nodes {
				d.statement(n, cond)
			}
		}
	}
}

// statement runs a statement that changes the schema.
func (d *doBlock) statement(n *syntax.Node, cond string) {
	if cond == "" {
		d.l.declare(n)
		return
	}
	if d.changesNothing(n) {
		return
	}
	if strings.TrimSpace(cond) != "" && !d.looksFor(n, cond) {
		d.l.Note(n.Pos, "whether this statement runs is not known: nothing is known of what it names")
		d.l.forget(n.Raw, n.Pos, n.SQLText())
		return
	}
	d.ran = true
	if s, ok := pg.Inner(n.Raw.Stmt).(*pg.CreateTrigStmt); ok {
		tab := d.l.Names().Table(syntax.RangeName(s.Relation))
		if tab != nil && slices.ContainsFunc(tab.Triggers, func(g *schema.Trigger) bool { return g.Name == s.Trigname }) {
			return
		}
	}
	if s, ok := pg.Inner(n.Raw.Stmt).(*pg.AlterTableStmt); ok {
		for _, c := range s.Cmds { // the condition asks whether it is there
			pg.Inner(c).(*pg.AlterTableCmd).MissingOk = true
		}
	}
	fault := FaultIn(func() { d.l.Statement(n) })
	if fault == nil || already.MatchString(fault.Msg) {
		return
	}
	d.l.NoteError(n.Pos, fault, "this statement is left out")
	d.l.forget(n.Raw, n.Pos, n.SQLText())
}

var (
	dropsConstraint = regexp.MustCompile(`(?is)^\s*(?:format\s*\(\s*)?'\s*alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?([a-z_][\w.]*)\s+drop\s+constraint\s+(?:if\s+exists\s+)?"?(?:%[IsL])?"?'\s*(?:\|\||,)[^']*$`)
	constraintKind  = regexp.MustCompile(`(?i)\b(?:contype|constraint_type)\s*=\s*'(\w[\w ]*)'`)
)

// checksOf gives the table of which a computed command drops a check, nil for
// another command. All that the block looks for in the catalogs must be checks, and
// those of the table be about its row alone: such a check may be left out.
func (d *doBlock) checksOf(s *plpgsql.Execute) *schema.Table {
	m := dropsConstraint.FindStringSubmatch(s.Query.Text(d.f.BodyText.SQL))
	if m == nil {
		return nil
	}
	tab := d.l.Names().Table(syntax.Qualified(strings.Split(strings.ToLower(m[1]), ".")))
	if tab == nil {
		return nil
	}
	kinds := constraintKind.FindAllStringSubmatch(d.f.BodyText.SQL, -1)
	for _, k := range kinds {
		if !strings.EqualFold(k[1], "c") && !strings.EqualFold(k[1], "check") {
			return nil
		}
	}
	for _, c := range tab.Checks {
		for name := range d.l.Calls(d.l.RefsIn(c.Expr.Node)) {
			if !d.l.Builtin(name).Known {
				return nil
			}
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	return tab
}

// changesNothing reports whether a statement changes types of columns to what is the
// same here: how long a text may be does not matter.
func (d *doBlock) changesNothing(n *syntax.Node) bool {
	s, ok := pg.Inner(n.Raw.Stmt).(*pg.AlterTableStmt)
	if !ok {
		return false
	}
	tab := d.l.Names().Table(syntax.RangeName(s.Relation))
	for _, x := range s.Cmds {
		c := pg.Inner(x).(*pg.AlterTableCmd)
		if tab == nil || c.Subtype != pg.AlterColumnType || tab.Column(c.Name) == nil {
			return false
		}
		def := pg.Inner(c.Def).(*pg.ColumnDef)
		old, same := tab.Column(c.Name).T, false
		fault := FaultIn(func() {
			t := d.l.TypeOf(def.TypeName, n.Text)
			same = old.Name == schema.NText && t.Name == schema.NText && old.IR == t.IR
		})
		if fault != nil || !same || def.RawDefault != nil {
			return false
		}
	}
	return true
}

// already finds the faults of a statement that has nothing to do: what it makes is
// there, or what it drops is not.
var already = regexp.MustCompile(`already declared|has two columns|has no column`)

// looksFor reports whether a condition asks the catalogs for what a statement is
// about: each of the objects that it makes or changes, or its table.
func (d *doBlock) looksFor(n *syntax.Node, cond string) bool {
	named := map[string]bool{}
	for _, m := range constant.FindAllStringSubmatch(cond, -1) {
		named[strings.ToLower(syntax.LastPart(m[1]))] = true
	}
	lower := strings.ToLower(cond)
	if !strings.Contains(lower, "exists") || !strings.Contains(lower, "pg_") && !strings.Contains(lower, "information_schema") && !strings.Contains(lower, "to_regclass") {
		return false
	}
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.AlterTableStmt:
		all := len(s.Cmds) > 0
		for _, x := range s.Cmds {
			all = all && named[strings.ToLower(objectOf(pg.Inner(x).(*pg.AlterTableCmd)))]
		}
		return all || named[strings.ToLower(s.Relation.Relname)]
	case *pg.CreateStmt:
		return named[strings.ToLower(s.Relation.Relname)]
	case *pg.IndexStmt:
		return named[strings.ToLower(s.Idxname)]
	case *pg.CreateTrigStmt:
		return named[strings.ToLower(s.Trigname)]
	case *pg.CreateEnumStmt:
		return named[strings.ToLower(syntax.LastPart(syntax.Qualified(syntax.Names(s.TypeName))))]
	case *pg.CreateRangeStmt:
		return named[strings.ToLower(syntax.LastPart(syntax.Qualified(syntax.Names(s.TypeName))))]
	case *pg.AlterEnumStmt:
		return named[strings.ToLower(s.NewVal)]
	case *pg.CompositeTypeStmt:
		return named[strings.ToLower(s.Typevar.Relname)]
	case *pg.CreateDomainStmt:
		return named[strings.ToLower(syntax.LastPart(syntax.Qualified(syntax.Names(s.Domainname))))]
	case *pg.CreateSeqStmt:
		return named[strings.ToLower(s.Sequence.Relname)]
	case *pg.ViewStmt:
		return named[strings.ToLower(s.View.Relname)]
	case *pg.CreatePolicyStmt:
		return named[strings.ToLower(s.PolicyName)]
	case *pg.RenameStmt:
		return named[strings.ToLower(s.Subname)] || named[strings.ToLower(s.Newname)]
	}
	return false
}

// objectOf gives the column or constraint that a part of ALTER TABLE is about.
func objectOf(c *pg.AlterTableCmd) string {
	switch x := pg.Inner(c.Def).(type) {
	case *pg.ColumnDef:
		if x.Colname != "" {
			return x.Colname
		}
	case *pg.Constraint:
		return x.Conname
	}
	return c.Name
}
