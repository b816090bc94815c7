package sqlmodel

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
	own := map[*table]bool{}
	each := func(do func(s *sent, tree any)) {
		for _, f := range l.programs {
			eachQuery(f.program.txn.Body, func(q *client.Query) {
				s := f.program.sent[q]
				for _, st := range s.list {
					do(s, st.tree)
				}
			})
		}
	}
	each(func(s *sent, tree any) {
		if e, ok := tree.(*pg.CreateEnumStmt); ok && l.names().typ(syntax.Qualified(syntax.Names(e.TypeName))) == nil {
			l.statement(&syntax.Node{Pos: s.q.Pos, Text: s.text, Raw: &pg.RawStmt{Stmt: nodeOf(s, tree)}})
		}
	})
	each(func(s *sent, tree any) {
		c, ok := tree.(*pg.CreateStmt)
		if !ok || c.Relation.Relpersistence == "t" {
			return
		}
		name := syntax.RangeName(c.Relation)
		if l.late.relation(name) != nil {
			return
		}
		if fault := faultIn(func() { l.createTable(c, l.declaring(s.text)) }); fault != nil {
			if o := l.late.relation(name); o != nil {
				l.dropRelation(o)
			}
			l.note(s.q.Pos, "this CREATE TABLE is not read: %s", fault.Msg)
			return
		}
		own[l.late.table(name)] = true
		l.declaredByProgram(s, c)
		l.note(s.q.Pos, "table %s is the one that the program creates here: that no file declares it, and that nothing changes it later, is taken for granted", name)
	})
	each(func(s *sent, tree any) {
		if i, ok := tree.(*pg.IndexStmt); ok && own[l.late.table(syntax.RangeName(i.Relation))] {
			if fault := faultIn(func() { l.index(i, l.declaring(s.text)) }); fault != nil {
				l.note(s.q.Pos, "this index is not read: %s", fault.Msg)
			} else {
				l.declaredByProgram(s, i)
			}
		}
	})
	for _, t := range l.order {
		if own[t] {
			t.foreign = without(t.foreign, func(f *foreignKey) bool {
				if f.parent() == nil {
					l.leaveOut(t, f.pos, "foreign key "+f.name, "table "+f.ref+" is not in the schema", f.columns)
				}
				return f.parent() == nil
			})
		}
	}
	l.programs = without(l.programs, func(f *function) bool { return f.program.aside })
	l.leaveDeclarations()
}

// leaveDeclarations leaves out the transactions that only declare things, with a
// note for each function of the program that has some.
func (l *Schema) leaveDeclarations() {
	count := map[string]int{}
	var first []*function
	l.programs = without(l.programs, func(f *function) bool {
		if !f.program.declares() {
			return false
		}
		name := baseName(f.name)
		if count[name]++; count[name] == 1 {
			first = append(first, f)
		}
		return true
	})
	for _, f := range first {
		name := baseName(f.name)
		switch n := count[name]; n {
		case 1:
			l.note(f.pos, "%s only declares things: it is taken to run before all other transactions, and left out", name)
		default:
			l.note(f.pos, "%s has %d transactions that only declare things: they are taken to run before all others, and left out", name, n)
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
func nodeOf(s *sent, tree any) *pg.Node {
	i := slices.IndexFunc(s.list, func(st sentStmt) bool { return st.tree == tree })
	return s.list[i].node
}

// declares reports whether a transaction consists of declarations.
func (body *programBody) declares() bool {
	declares, other := false, false
	client.Walk(body.txn.Body, func(s client.Stmt) {
		switch s := s.(type) {
		case *client.Query:
			sent := body.sent[s]
			declares = declares || sent.declares
			other = other || len(sent.list) == 0 && !sent.declares
			for _, st := range sent.list {
				switch tree := st.tree.(type) {
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

// declaration translates statements of a transaction that declare something; it
// reports whether this is one.
func (p *caller) declaration(tree any) bool {
	switch s := tree.(type) {
	case *pg.CreateStmt:
		if s.Relation.Relpersistence == "t" || p.b.l.late.table(syntax.RangeName(s.Relation)) == nil {
			p.b.unmodelled("CREATE TABLE in a transaction")
		}
		return true
	case *pg.CreateEnumStmt:
		return true
	case *pg.CreateTableAsStmt:
		p.b.unmodelled("CREATE TABLE … AS in a transaction")
	}
	return false
}

// reachable adds to the tables that the program names those of the functions and
// views that its statements use.
func (l *Schema) reachable(add func(pos ir.Pos, name string)) {
	for _, f := range l.programs {
		tr := l.tracer()
		tr.add(f.refs)
		seen := map[*view]bool{}
		var see func(name string)
		see = func(name string) {
			o := l.late.relation(name)
			if o == nil || o.view == nil || o.view.refs == nil || seen[o.view] {
				return
			}
			seen[o.view] = true
			for _, r := range sortedNames(o.view.refs.tables) {
				add(o.view.pos, r)
				see(r)
			}
		}
		for _, name := range sortedNames(f.refs.tables) {
			see(name)
		}
		for _, g := range l.funcs {
			if tr.called[g] {
				for _, name := range sortedNames(g.refs.tables) {
					add(g.pos, name)
					see(name)
				}
			}
		}
	}
}

// onlySystem reports whether only tables of the system are named.
func onlySystem(r *refs) bool {
	for name := range r.tables {
		if !systemTable(name) {
			return false
		}
	}
	return len(r.tables) > 0 && !r.dynamic
}

func systemTables(r *refs) string {
	var out []string
	for _, name := range sortedNames(r.tables) {
		out = append(out, syntax.PlainName(name))
	}
	return strings.Join(out, ", ")
}
