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
	leave := func(setsUp func(f *schema.Function) bool, why string) {
		l.Programs = schema.Without(l.Programs, func(f *schema.Function) bool {
			if !setsUp(f) {
				return false
			}
			l.Note(f.Pos, "%s %s", f.Name, why)
			return true
		})
	}
	leave(l.alters, "changes the columns or constraints of tables: it is taken to run before all other transactions, as a migration, and left out")
	dropped, any := l.droppedByProgram()
	if !any {
		leave(func(f *schema.Function) bool { return l.createsWhatItWrites(f, dropped) }, "creates the tables that it writes, and so can commit once, before what uses them: it is left out")
	}
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
			if do, is := st.Tree.(*pg.DoStmt); is {
				found = found || altersInside(do)
			}
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

// altersInside reports whether a DO block changes the columns or constraints of a table, which its text names.
func altersInside(do *pg.DoStmt) bool {
	for _, a := range do.Args {
		d, ok := pg.Inner(a).(*pg.DefElem)
		if !ok || d.Defname != "as" {
			continue
		}
		text, ok := pg.Inner(d.Arg).(*pg.String)
		if !ok {
			continue
		}
		toks, err := pg.Scan(text.Sval)
		if err != nil {
			continue
		}
		t := tokenReader{toks: toks}
		for i := range toks {
			if t.word(i, "alter") && t.word(i+1, "table") {
				for k := i + 2; k < len(toks) && !t.punct(k, ";"); k++ {
					if t.word(k, "add", "drop", "alter") && t.word(k+1, "column", "constraint") {
						return true
					}
				}
			}
		}
	}
	return false
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
