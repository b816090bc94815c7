package load

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// later runs a statement for which a table was missing, once all files are read. What it says of a table outside is
// left out: no statement on that table is modelled anyway.
func (l *Loader) later(n *syntax.Node) {
	if l.TryStatement(n) == nil {
		return
	}
	var of *pg.RangeVar
	switch s := pg.Inner(n.Raw.Stmt).(type) {
	case *pg.AlterTableStmt:
		of = s.Relation
	case *pg.IndexStmt:
		of = s.Relation
	case *pg.InsertStmt:
		of = s.Relation
	case *pg.CreateTrigStmt:
		of = s.Relation
	case *pg.RenameStmt:
		of = s.Relation
	}
	if of == nil || !l.Outside(syntax.RangeName(of)) {
		l.Statement(n)
		return
	}
	name := syntax.PlainName(syntax.RangeName(of))
	if s, ok := pg.Inner(n.Raw.Stmt).(*pg.CreateTrigStmt); ok {
		l.Note(n.Pos, "no file declares %s: trigger %s is left out, and so is what it does when others write %s", name, s.Trigname, name)
		return
	}
	l.Note(n.Pos, "no file declares %s: this statement is left out", name)
}

// lateTables declares the tables that functions, scripts, views and policies name and no file declares, where the
// server may know them: tables outside, and what a body in PL/pgSQL names, which is looked up when it runs. A
// statement on one may do anything.
func (l *Loader) lateTables() {
	if len(l.In.Found) > 0 || l.In.MySQL || l.In.IsProgram && !l.In.Scripts {
		return
	}
	all, made := slices.Concat(l.Funcs, l.Scripts, l.Programs), map[string]schema.Making{}
	for _, f := range all {
		maps.Copy(made, f.Refs.Made)
	}
	for _, f := range all {
		l.lateNames(l.InsideOf(f, l.Standard), f.Refs, f.Pos, func(name string) bool { return l.Outside(name) || f.Language == "plpgsql" && made[name] == 0 })
	}
	for _, v := range l.Views {
		l.lateNames(nil, v.Refs, v.Pos, l.Outside)
	}
	for _, t := range slices.Clone(l.Order) {
		for _, p := range t.Policies {
			l.lateNames(nil, p.Refs, t.Pos, l.Outside)
		}
	}
}

// lateNames declares tables that r names, no file declares, and the server may know.
func (l *Loader) lateNames(in *schema.Resolver, r *schema.Refs, pos ir.Pos, may func(name string) bool) {
	if in == nil && r != nil {
		in = r.Names
	}
	if in == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		if SystemTable(name) || in.Relation(name) != nil || in.WasDropped(name) || !may(name) {
			continue
		}
		l.notDeclared(in, name, pos, "statements on it may do anything")
	}
}

// notDeclared declares a table that no file declares, and tells what follows from that.
func (l *Loader) notDeclared(in *schema.Resolver, name string, pos ir.Pos, what string) {
	shown := syntax.PlainName(name)
	l.Note(pos, "no file declares the table %s, which this names: %s; if it is there, name the file that declares it, or declare in a file of its own what is used of it", shown, what)
	l.UnknownTable(in, name, pos)
	if o := in.Relation(name); o != nil && o.Table != nil {
		o.Table.Odd = "the table " + shown + ", which no file declares"
	}
}

// lateParents declares the tables to which foreign keys refer and which no file declares: there is a row or none for each value, and
// only statements that may do anything write it.
func (l *Loader) lateParents() {
	if len(l.In.Found) > 0 || l.In.MySQL {
		return
	}
	before := len(l.Order)
	for _, named := range []bool{true, false} { // a key that names no columns refers to those of the others
		for _, t := range slices.Clone(l.Order) {
			for _, f := range t.Foreign {
				if (len(f.RefColumns) > 0) == named && (l.Outside(f.Ref) || l.elsewhere(f, l.Order[before:])) {
					l.lateParent(t, f)
				}
			}
		}
	}
	var made []ir.Declaration
	for _, t := range l.Order[before:] {
		made = append(made, declarationOf(t)...)
	}
	l.Prog.Schema = append(made, l.Prog.Schema...)
}

// elsewhere reports whether a foreign key refers to a table that no file declares, in no schema: that is one of a file
// which was not given, and what was dropped is not. Those were found before.
func (l *Loader) elsewhere(f *schema.ForeignKey, those []*schema.Table) bool {
	if to := f.Parent(); to != nil {
		return slices.Contains(those, to)
	}
	_, name := syntax.SplitName(f.Ref)
	return len(l.Declarations.Relations[name]) == 0 && !f.Names.WasDropped(f.Ref)
}

// lateParent declares the table to which a foreign key of t refers, with the columns of the key.
func (l *Loader) lateParent(t *schema.Table, f *schema.ForeignKey) {
	if f.Parent() == nil {
		l.notDeclared(f.Names, f.Ref, f.Pos, "it is taken to be a table with this key")
	}
	to := f.Parent()
	if to == nil || !to.OddAll || slices.ContainsFunc(f.Columns, func(c string) bool { return t.Column(c) == nil }) {
		return
	}
	keys := to.Uniques
	if to.Key != nil {
		keys = append([]*schema.UniqueKey{to.Key}, keys...)
	}
	if len(f.RefColumns) == 0 {
		f.RefColumns = f.Columns
		for _, k := range slices.Backward(keys) {
			if slices.EqualFunc(k.Columns, f.Columns, func(a, b string) bool { return to.Column(a).T.Same(t.Column(b).T) }) {
				f.RefColumns = k.Columns
			}
		}
	}
	for i, name := range f.RefColumns {
		from := t.Column(f.Columns[min(i, len(f.Columns)-1)])
		if to.Column(name) == nil {
			to.Columns = append(to.Columns, &schema.Column{Pos: f.Pos, Name: name, T: from.T, NotNull: true})
		}
	}
	if slices.ContainsFunc(keys, func(k *schema.UniqueKey) bool { return slices.Equal(k.Columns, f.RefColumns) }) {
		return
	}
	key := &schema.UniqueKey{Pos: f.Pos, Columns: f.RefColumns}
	if to.Key == nil {
		to.Key = key
	} else {
		to.Uniques = append(to.Uniques, key)
	}
}

// declarationOf gives the statements that make such a table in a database that is to have the same schema.
func declarationOf(t *schema.Table) []ir.Declaration {
	var parts []string
	for _, c := range t.Columns {
		parts = append(parts, quote.Ident(c.Name)+" "+c.T.PgName()+" NOT NULL")
	}
	key := func(word string, u *schema.UniqueKey) {
		names := make([]string, len(u.Columns))
		for i, c := range u.Columns {
			names[i] = quote.Ident(c)
		}
		parts = append(parts, word+" ("+strings.Join(names, ", ")+")")
	}
	if t.Key != nil {
		key("PRIMARY KEY", t.Key)
	}
	for _, u := range t.Uniques {
		key("UNIQUE", u)
	}
	of := quote.Ident(t.Rel.Schema())
	return []ir.Declaration{
		{Pos: t.Pos, Text: "CREATE SCHEMA IF NOT EXISTS " + of, Optional: true},
		{Pos: t.Pos, Text: "CREATE TABLE IF NOT EXISTS " + of + "." + quote.Ident(t.Rel.Own()) + " (" + strings.Join(parts, ", ") + ")", Optional: true},
	}
}
