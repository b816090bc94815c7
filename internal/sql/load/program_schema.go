package load

import (
	"strings"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// programSchema takes over what the program itself declares, as far as no file
// does: CREATE TABLE, CREATE TYPE … AS ENUM and unique indexes on such tables.
// Transactions that only declare things are taken to run before all others, as
// migrations do.
func (l *Loader) programSchema() {
	own := map[*schema.Table]bool{}
	each := func(do func(s *schema.Sent, tree any)) {
		for _, f := range l.Programs {
			client.EachQuery(f.Program.Txn.Body, func(q *client.Query) {
				s := f.Program.Sent[q]
				for _, st := range s.List {
					do(s, st.Tree)
				}
			})
		}
	}
	each(func(s *schema.Sent, tree any) {
		if e, ok := tree.(*pg.CreateEnumStmt); ok && l.Names().Typ(syntax.Qualified(syntax.Names(e.TypeName))) == nil {
			l.Statement(&syntax.Node{Pos: s.Q.Pos, Text: s.Text, Raw: &pg.RawStmt{Stmt: schema.NodeOf(s, tree)}})
		}
	})
	each(func(s *schema.Sent, tree any) {
		c, ok := tree.(*pg.CreateStmt)
		if !ok || c.Relation.Relpersistence == "t" {
			return
		}
		name := syntax.RangeName(c.Relation)
		if l.Late.Relation(name) != nil {
			return
		}
		if fault := FaultIn(func() { l.CreateTable(c, l.Declaring(s.Text)) }); fault != nil {
			if o := l.Late.Relation(name); o != nil {
				l.DropRelation(o)
			}
			l.Note(s.Q.Pos, "this CREATE TABLE is not read: %s", fault.Msg)
			return
		}
		own[l.Late.Table(name)] = true
		l.DeclaredByProgram(s, c)
		l.Note(s.Q.Pos, "table %s is the one that the program creates here: that no file declares it, and that nothing changes it later, is taken for granted", name)
	})
	each(func(s *schema.Sent, tree any) {
		if i, ok := tree.(*pg.IndexStmt); ok && own[l.Late.Table(syntax.RangeName(i.Relation))] {
			if fault := FaultIn(func() { l.Index(i, l.Declaring(s.Text)) }); fault != nil {
				l.Note(s.Q.Pos, "this index is not read: %s", fault.Msg)
			} else {
				l.DeclaredByProgram(s, i)
			}
		}
	})
	for _, t := range l.Order {
		if own[t] {
			t.Foreign = schema.Without(t.Foreign, func(f *schema.ForeignKey) bool {
				if f.Parent() == nil {
					l.LeaveOut(t, f.Pos, "foreign key "+f.Name, "table "+f.Ref+" is not in the schema", f.Columns)
				}
				return f.Parent() == nil
			})
		}
	}
	l.Programs = schema.Without(l.Programs, func(f *schema.Function) bool { return f.Program.Aside })
	l.leaveDeclarations()
	l.leaveSetups()
}

// leaveDeclarations leaves out the transactions that only declare things, with a
// note for each function of the program that has some.
func (l *Loader) leaveDeclarations() {
	count := map[string]int{}
	var first []*schema.Function
	l.Programs = schema.Without(l.Programs, func(f *schema.Function) bool {
		if !f.Program.Declares() {
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

// reachable adds to the tables that the program names those of the functions and
// views that its statements use.
func (l *Loader) reachable(add func(pos ir.Pos, name string)) {
	for _, f := range l.Programs {
		tr := l.Tracer()
		tr.Add(f.Refs)
		seen := map[*schema.View]bool{}
		var see func(name string)
		see = func(name string) {
			o := l.Late.Relation(name)
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
