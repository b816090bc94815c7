package gorm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/gormmodel"
)

// conflict is ON CONFLICT of an INSERT.
type conflict struct {
	// columns are the target, constraint its name instead.
	columns    []string
	constraint string
	nothing    bool
	// all says that all columns are updated with the new values; sets are those that
	// are, else.
	all  bool
	sets []sqltext.Setting
	// excluded are columns that are updated with the new values.
	excluded []string
	lost     bool
}

// clausesCall adds clauses to a statement.
func (in *run) clausesCall(c *chain, args []memory.Value) memory.Value {
	list, ok := in.ListOf(args[len(args)-1])
	if !ok {
		in.EmitValue(args[len(args)-1])
		return in.change(c, func(d *draft, _ client.Expr) { d.lost = "clauses that are not known" })
	}
	return in.change(c, func(d *draft, when client.Expr) {
		if when != nil {
			d.lost = "a statement that several parts of the program change"
			return
		}
		for _, v := range list {
			in.clause(d, v)
		}
	})
}

// clause adds one clause to a statement.
func (in *run) clause(d *draft, v memory.Value) {
	x := memory.Unbox(v)
	if p, ok := x.(*memory.Pointer); ok {
		x = in.Load(p.To)
	}
	a, ok := x.(*memory.Aggregate)
	if !ok {
		if raw, isRaw := x.(*sqltext.Raw); isRaw {
			w := sqltext.NewCond(raw.F)
			w.Raw = true
			d.where = append(d.where[:len(d.where):len(d.where)], w)
			return
		}
		in.EmitValue(v)
		d.lost = "a clause that is not known"
		return
	}
	switch gotypes.TypeName(a.T) {
	case "gorm.io/gorm/clause.Locking":
		strength, ok := memory.ConstText(memory.Field(a, "Strength"))
		options, also := memory.ConstText(memory.Field(a, "Options"))
		if !ok || !also {
			d.lost = "a lock that is not known"
			return
		}
		d.locks = "FOR " + strength
		if t, isTable := memory.Unbox(memory.Field(a, "Table")).(*memory.Aggregate); isTable {
			name, known := memory.ConstText(memory.Field(t, "Name"))
			switch {
			case !known:
				d.lost = "a lock that is not known"
			case name == currentTable:
				d.locks += " OF " + client.Hole
			case name != "":
				d.locks += " OF " + gormmodel.Quote(name)
			}
		}
		if options != "" {
			d.locks += " " + options
		}
	case "gorm.io/gorm/clause.Returning":
		list, ok := in.ListOf(memory.Field(a, "Columns"))
		d.all = ok && len(list) == 0
		d.returning = !d.all
	case "gorm.io/gorm/clause.OnConflict":
		d.conflict = in.conflictOf(a)
	case "gorm.io/gorm/clause.OrderBy", "gorm.io/gorm/clause.OrderByColumn":
		d.order = append(d.order[:len(d.order):len(d.order)], in.orderClause(a))
	default:
		if w, isCond := in.clauseCond(a); isCond && !w.F.Holed() {
			d.where = append(d.where[:len(d.where):len(d.where)], w)
			return
		}
		in.EmitValue(v)
		d.lost = "the clause " + gotypes.TypeName(a.T)
	}
}

// conflictOf reads clause.OnConflict.
func (in *run) conflictOf(a *memory.Aggregate) *conflict {
	c := &conflict{}
	list, ok := in.ListOf(memory.Field(a, "Columns"))
	c.lost = !ok
	for _, v := range list {
		col, isColumn := memory.Unbox(v).(*memory.Aggregate)
		if !isColumn {
			c.lost = true
			continue
		}
		name, known := memory.ConstText(memory.Field(col, "Name"))
		if !known {
			c.lost = true
		}
		c.columns = append(c.columns, name)
	}
	var known bool
	if c.constraint, known = memory.ConstText(memory.Field(a, "OnConstraint")); !known {
		c.lost = true
	}
	flag := func(name string) bool {
		t, known := memory.ConstOf(memory.Field(a, name))
		c.lost = c.lost || !known
		return known && t.IsTrue()
	}
	c.nothing, c.all = flag("DoNothing"), flag("UpdateAll")
	for _, name := range []string{"Where", "TargetWhere"} {
		if w, isWhere := memory.Unbox(memory.Field(a, name)).(*memory.Aggregate); isWhere {
			if l, ok := in.ListOf(memory.Field(w, "Exprs")); !ok || len(l) > 0 {
				c.lost = true
			}
		}
	}
	switch u := memory.Unbox(memory.Field(a, "DoUpdates")).(type) {
	case *assignments:
		c.excluded, c.sets = u.excluded, u.sets
		c.lost = c.lost || u.lost
	default:
		sets, ok := in.ListOf(u)
		c.lost = c.lost || !ok
		for _, v := range sets {
			s, isSet := memory.Unbox(v).(*memory.Aggregate)
			if !isSet {
				c.lost = true
				continue
			}
			col, isColumn := memory.Unbox(memory.Field(s, "Column")).(*memory.Aggregate)
			if !isColumn {
				c.lost = true
				continue
			}
			name, known := memory.ConstText(memory.Field(col, "Name"))
			c.lost = c.lost || !known
			c.sets = append(c.sets, sqltext.Setting{Name: name, Value: memory.Field(s, "Value")})
		}
	}
	return c
}

// assignments is what clause.AssignmentColumns or clause.Assignments gives.
type assignments struct {
	excluded []string
	sets     []sqltext.Setting
	lost     bool
}

// conflictText gives ON CONFLICT; names are the columns that are inserted.
func (in *run) conflictText(s *subject, names []string) sqltext.Fragment {
	c := s.d.conflict
	if c == nil {
		return sqltext.Fragment{}
	}
	f := sqltext.Frag(" ON CONFLICT")
	target := c.columns
	var sets []sqltext.Fragment
	for _, name := range c.excluded {
		q := gormmodel.Quote(name)
		sets = append(sets, sqltext.Frag(q+" = excluded."+q))
	}
	for _, x := range c.sets {
		sets = append(sets, sqltext.Frag(gormmodel.Quote(x.Name)+" = ").Plus(in.ParamOf(x.Value)))
	}
	if c.all && s.m != nil {
		for _, m := range s.m.Fields {
			q := gormmodel.Quote(m.Column)
			chosen, known := s.d.chosen(m)
			if !slices.Contains(names, q) || m.Key || m.HasDefault && !m.Constant && !strings.EqualFold(m.Default, "null") || m.AutoCreate || known && !chosen {
				continue
			}
			if m.AutoUpdate {
				sets = append(sets, sqltext.Frag(q+" = ").Plus(in.ParamOf(in.now(m.Type))))
				continue
			}
			sets = append(sets, sqltext.Frag(q+" = excluded."+q))
		}
		if len(target) == 0 {
			for _, k := range s.m.Keys {
				target = append(target, k.Column)
			}
		}
	}
	switch {
	case c.constraint != "":
		f.Text += " ON CONSTRAINT " + gormmodel.Quote(c.constraint)
	case len(target) > 0:
		var list []string
		for _, name := range target {
			list = append(list, gormmodel.Quote(name))
		}
		f.Text += " (" + strings.Join(list, ", ") + ")"
	}
	if c.nothing || len(sets) == 0 {
		f.Text += " DO NOTHING"
		return f
	}
	return f.Plus(sqltext.Frag(" DO UPDATE SET "), sqltext.Join(sets, ", "))
}

// functions are functions of GORM that make parts of statements, and Transaction.
func (l *usage) functions() map[string]session.CallModel {
	return map[string]session.CallModel{
		"gorm.io/gorm.Expr": func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			return &sqltext.Raw{F: l.run(s).RawText(inv.Args)}, true
		},
		"gorm.io/gorm/clause.AssignmentColumns": func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			names, known := s.TextArgs(inv.Args)
			return &assignments{excluded: names, lost: !known}, true
		},
		"gorm.io/gorm/clause.Assignments": func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			list, known := s.EntriesOf(inv.Args[0])
			a := &assignments{lost: !known}
			for _, e := range list {
				a.lost = a.lost || e.When != nil
				a.sets = append(a.sets, sqltext.Setting{Name: e.Key, Value: e.V})
			}
			return a, true
		},
		"(*gorm.io/gorm.DB).Transaction": func(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
			c := asChain(memory.Unbox(inv.Args[0]))
			if c == nil {
				return nil, false
			}
			return s.InTransaction(inv, c.h, func(tx *memory.Handle) memory.Value { return l.run(s).with(c, tx) })
		},
		"gorm.io/gorm.Open": opened,
	}
}

// opened is the call that opens a database: what it gives is no transaction, unless it is made of a connection that may
// be one.
func opened(s *session.Session, inv *session.Invocation) (memory.Value, bool) {
	if slices.ContainsFunc(inv.Args, func(v memory.Value) bool { return s.Holds(v, memory.IsHandle) }) {
		return nil, false
	}
	v := s.UnknownCall("a call of Open", inv.Args, inv.T)
	if t, ok := v.(memory.Tuple); ok {
		if h := memory.HandleIn(t[0]); h != nil {
			t[0] = &memory.Handle{Kind: memory.Database, T: h.T}
		}
	}
	return v, true
}

func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 0, 64)
	return n, err == nil
}

// clauseExpr gives the text of a clause.Expr or clause.Column of GORM.
func (in *run) clauseExpr(a *memory.Aggregate) (sqltext.Fragment, bool) {
	switch gotypes.TypeName(a.T) {
	case "gorm.io/gorm/clause.Expr":
		text, ok := memory.ConstText(memory.Field(a, "SQL"))
		list, known := in.ListOf(memory.Field(a, "Vars"))
		if !ok || !known {
			in.EmitValue(a)
			return sqltext.Frag(client.Hole), true
		}
		return in.Filled(text, list), true
	case "gorm.io/gorm/clause.Column":
		return in.columnRef(memory.Field(a, "Table"), memory.Field(a, "Name"), memory.Field(a, "Raw")), true
	case "gorm.io/gorm/clause.Table":
		if name, ok := memory.ConstText(memory.Field(a, "Name")); ok {
			return sqltext.Frag(gormmodel.QuoteTable(name)), true
		}
		return sqltext.Frag(client.Hole), true
	}
	return sqltext.Fragment{}, false
}

// columnRef gives the text of a clause.Column.
func (in *run) columnRef(table, name, raw memory.Value) sqltext.Fragment {
	n, ok := memory.ConstText(name)
	if !ok {
		return sqltext.Frag(client.Hole)
	}
	if is, known := memory.ConstOf(raw); known && is.IsTrue() {
		return sqltext.Frag(n)
	}
	out := columnName(n)
	t, _ := memory.ConstText(table)
	switch t {
	case "":
		return sqltext.Frag(out)
	case currentTable:
		return sqltext.Frag(sqltext.PrefixMark + out)
	}
	return sqltext.Frag(gormmodel.QuoteTable(t) + "." + out)
}

// The names that GORM's constants clause.CurrentTable, clause.PrimaryKey and
// clause.Associations have.
const (
	currentTable = "~~~ct~~~"
	primaryKey   = "~~~py~~~"
	associations = "~~~as~~~"
)

// columnName gives a name of a column, perhaps with that of a table in front, as
// it stands in a statement.
func columnName(name string) string {
	if name == primaryKey {
		return sqltext.KeyMark
	}
	if strings.ContainsAny(name, "()*\" ,'") {
		return name
	}
	return gormmodel.QuoteTable(name)
}
