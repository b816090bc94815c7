package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// programSchema takes over what the program itself declares, as far as no file
// does: CREATE TABLE, CREATE TYPE … AS ENUM and unique indexes on such tables.
// Transactions that only declare things are taken to run before all others, as
// migrations do.
func (l *Schema) programSchema() {
	own := map[*Table]bool{}
	each := func(do func(s *Sent, tree any)) {
		for _, f := range l.programs {
			EachQuery(f.Program.Txn.Body, func(q *client.Query) {
				s := f.Program.Sent[q]
				for _, st := range s.List {
					do(s, st.Tree)
				}
			})
		}
	}
	each(func(s *Sent, tree any) {
		if e, ok := tree.(*pg.CreateEnumStmt); ok && l.names().Typ(syntax.Qualified(syntax.Names(e.TypeName))) == nil {
			l.statement(&syntax.Node{Pos: s.Q.Pos, Text: s.Text, Raw: &pg.RawStmt{Stmt: nodeOf(s, tree)}})
		}
	})
	each(func(s *Sent, tree any) {
		c, ok := tree.(*pg.CreateStmt)
		if !ok || c.Relation.Relpersistence == "t" {
			return
		}
		name := syntax.RangeName(c.Relation)
		if l.Late.relation(name) != nil {
			return
		}
		if fault := FaultIn(func() { l.createTable(c, l.declaring(s.Text)) }); fault != nil {
			if o := l.Late.relation(name); o != nil {
				l.dropRelation(o)
			}
			l.Note(s.Q.Pos, "this CREATE TABLE is not read: %s", fault.Msg)
			return
		}
		own[l.Late.Table(name)] = true
		l.declaredByProgram(s, c)
		l.Note(s.Q.Pos, "table %s is the one that the program creates here: that no file declares it, and that nothing changes it later, is taken for granted", name)
	})
	each(func(s *Sent, tree any) {
		if i, ok := tree.(*pg.IndexStmt); ok && own[l.Late.Table(syntax.RangeName(i.Relation))] {
			if fault := FaultIn(func() { l.index(i, l.declaring(s.Text)) }); fault != nil {
				l.Note(s.Q.Pos, "this index is not read: %s", fault.Msg)
			} else {
				l.declaredByProgram(s, i)
			}
		}
	})
	for _, t := range l.Order {
		if own[t] {
			t.Foreign = Without(t.Foreign, func(f *foreignKey) bool {
				if f.Parent() == nil {
					l.LeaveOut(t, f.Pos, "foreign key "+f.Name, "table "+f.Ref+" is not in the schema", f.columns)
				}
				return f.Parent() == nil
			})
		}
	}
	l.programs = Without(l.programs, func(f *Function) bool { return f.Program.aside })
	l.leaveDeclarations()
}

// leaveDeclarations leaves out the transactions that only declare things, with a
// note for each function of the program that has some.
func (l *Schema) leaveDeclarations() {
	count := map[string]int{}
	var first []*Function
	l.programs = Without(l.programs, func(f *Function) bool {
		if !f.Program.declares() {
			return false
		}
		name := baseName(f.Name)
		if count[name]++; count[name] == 1 {
			first = append(first, f)
		}
		return true
	})
	for _, f := range first {
		name := baseName(f.Name)
		switch n := count[name]; n {
		case 1:
			l.Note(f.Pos, "%s only declares things: it is taken to run before all other transactions, and left out", name)
		default:
			l.Note(f.Pos, "%s has %d transactions that only declare things: they are taken to run before all others, and left out", name, n)
		}
	}
}

// baseName is the name of a transaction without the number that those of one
// function have.
func baseName(name string) string {
	base, _, _ := strings.Cut(name, "#")
	return base
}

// nodeOf gives the tree of a statement as a node.
func nodeOf(s *Sent, tree any) *pg.Node {
	i := slices.IndexFunc(s.List, func(st SentStmt) bool { return st.Tree == tree })
	return s.List[i].Node
}

// declares reports whether a transaction consists of declarations.
func (body *ProgramBody) declares() bool {
	declares, other := false, false
	client.Walk(body.Txn.Body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Query:
			sent := body.Sent[s]
			declares = declares || sent.declares
			other = other || len(sent.List) == 0 && !sent.declares
			for _, st := range sent.List {
				switch tree := st.Tree.(type) {
				case *pg.CreateStmt:
					declares = declares || tree.Relation.Relpersistence != "t"
					other = other || tree.Relation.Relpersistence == "t"
				case *pg.TransactionStmt, *pg.VariableSetStmt, *pg.VariableShow:
				default:
					declares = declares || isDeclaration(tree)
					other = other || !isDeclaration(tree)
				}
			}
		case *client.ForRows, *client.Unknown:
			other = true
		}
	})
	return declares && !other
}

// reachable adds to the tables that the program names those of the functions and
// views that its statements use.
func (l *Schema) reachable(add func(pos ir.Pos, name string)) {
	for _, f := range l.programs {
		tr := l.Tracer()
		tr.Add(f.Refs)
		seen := map[*View]bool{}
		var see func(name string)
		see = func(name string) {
			o := l.Late.relation(name)
			if o == nil || o.View == nil || o.View.Refs == nil || seen[o.View] {
				return
			}
			seen[o.View] = true
			for _, r := range SortedNames(o.View.Refs.Tables) {
				add(o.View.Pos, r)
				see(r)
			}
		}
		for _, name := range SortedNames(f.Refs.Tables) {
			see(name)
		}
		for _, g := range l.Funcs {
			if tr.Called[g] {
				for _, name := range SortedNames(g.Refs.Tables) {
					add(g.Pos, name)
					see(name)
				}
			}
		}
	}
}
