package load

import (
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// leaveSetups leaves out, with a note, the transactions that set up the database, as migrations do.
// One kind changes the columns or constraints of tables. The other creates the tables that it
// writes: it can commit once only, and what uses these tables comes after it.
func (l *Loader) leaveSetups() {
	dropped, any := l.droppedByProgram()
	l.Programs = schema.Without(l.Programs, func(f *schema.Function) bool {
		switch {
		case l.alters(f):
			l.Note(f.Pos, "%s changes the columns or constraints of tables: it is taken to run before all other transactions, as a migration, and left out", f.Name)
		case !any && l.createsWhatItWrites(f, dropped):
			l.Note(f.Pos, "%s creates the tables that it writes, and so can commit once, before what uses them: it is left out", f.Name)
		default:
			return false
		}
		return true
	})
}

// droppedByProgram gives the tables that the transactions of the program drop, or give another name. any says
// that they may be any tables.
func (l *Loader) droppedByProgram() (names map[string]bool, any bool) {
	names = map[string]bool{}
	drop := func(name string) {
		if t := l.Late.Table(name); t != nil {
			names[t.Name] = true
		}
	}
	for _, f := range l.Programs {
		client.EachQuery(f.Program.Txn.Body, func(q *client.Query) {
			s := f.Program.Sent[q]
			any = any || s.Declares
			for _, st := range s.List {
				switch tree := st.Tree.(type) {
				case *pg.DropStmt:
					any = any || tree.RemoveType != pg.ObjectTable
					for _, o := range tree.Objects {
						if list, ok := pg.Inner(o).(*pg.List); ok {
							drop(syntax.Qualified(syntax.Names(list.Items)))
						}
					}
				case *pg.RenameStmt:
					if tree.Relation != nil {
						drop(syntax.RangeName(tree.Relation))
					}
				case *pg.DoStmt:
					any = true
				}
			}
		})
	}
	return names, any
}

// alters reports whether a transaction changes the columns or constraints of a table.
func (l *Loader) alters(f *schema.Function) bool {
	found := false
	client.EachQuery(f.Program.Txn.Body, func(q *client.Query) {
		for _, st := range f.Program.Sent[q].List {
			a, ok := st.Tree.(*pg.AlterTableStmt)
			if !ok || l.Late.Table(syntax.RangeName(a.Relation)) == nil {
				continue
			}
			for _, n := range a.Cmds {
				switch pg.Inner(n).(*pg.AlterTableCmd).Subtype {
				case pg.AlterAddColumn, pg.AlterDropColumn, pg.AlterColumnType, pg.AlterColumnDefault, pg.AlterSetNotNull, pg.AlterDropNotNull,
					pg.AlterAddConstraint, pg.AlterDropConstraint, pg.AlterAddIdentity, pg.AlterDropIdentity:
					found = true
				}
			}
		}
	})
	return found
}

// createsWhatItWrites reports whether a transaction creates, on each of its paths and without IF NOT
// EXISTS, all tables that it touches; none of them is dropped.
func (l *Loader) createsWhatItWrites(f *schema.Function, dropped map[string]bool) bool {
	own := map[string]bool{}
	for _, s := range f.Program.Txn.Body {
		q, ok := s.(*client.Query)
		if !ok {
			continue
		}
		for _, st := range f.Program.Sent[q].List {
			c, is := st.Tree.(*pg.CreateStmt)
			if is && !c.IfNotExists && c.Relation.Relpersistence != "t" {
				if t := l.Late.Table(syntax.RangeName(c.Relation)); t != nil {
					own[t.Name] = true
				}
			}
		}
	}
	all := len(own) > 0
	for name := range own {
		all = all && !dropped[name]
	}
	client.Walk(f.Program.Txn.Body, func(s client.Stmt) {
		if _, unknown := s.(*client.Unknown); unknown {
			all = false
		}
		if q := client.QueryOf(s); q != nil {
			e := l.EffectOf(f.Program.Sent[q].Refs)
			all = all && !e.All
			for name := range e.Tables {
				all = all && own[name]
			}
		}
	})
	return all
}
