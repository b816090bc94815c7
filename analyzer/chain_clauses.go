package analyzer

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

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
	sets []setting
	// excluded are columns that are updated with the new values.
	excluded []string
	lost     bool
}

// clausesCall adds clauses to a statement.
func (in *interp) clausesCall(c *chain, args []value) value {
	list, ok := in.listOf(args[len(args)-1])
	if !ok {
		in.emitValue(args[len(args)-1])
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
func (in *interp) clause(d *draft, v value) {
	x := unbox(v)
	if p, ok := x.(*pointer); ok {
		x = in.load(p.to)
	}
	a, ok := x.(*aggregate)
	if !ok {
		if raw, isRaw := x.(*rawSQL); isRaw {
			w := newCond(raw.f)
			w.raw = true
			d.where = append(d.where[:len(d.where):len(d.where)], w)
			return
		}
		in.emitValue(v)
		d.lost = "a clause that is not known"
		return
	}
	switch typeName(a.t) {
	case "gorm.io/gorm/clause.Locking":
		strength, ok := constText(field(a, "Strength"))
		options, also := constText(field(a, "Options"))
		if !ok || !also {
			d.lost = "a lock that is not known"
			return
		}
		d.locks = "FOR " + strength
		if t, isTable := unbox(field(a, "Table")).(*aggregate); isTable {
			name, known := constText(field(t, "Name"))
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
		list, ok := in.listOf(field(a, "Columns"))
		d.all = ok && len(list) == 0
		d.returning = !d.all
	case "gorm.io/gorm/clause.OnConflict":
		d.conflict = in.conflictOf(a)
	case "gorm.io/gorm/clause.OrderBy", "gorm.io/gorm/clause.OrderByColumn":
		d.order = append(d.order[:len(d.order):len(d.order)], in.orderClause(a))
	default:
		if w, isCond := in.clauseCond(a); isCond && !w.f.holed() {
			d.where = append(d.where[:len(d.where):len(d.where)], w)
			return
		}
		in.emitValue(v)
		d.lost = "the clause " + typeName(a.t)
	}
}

// conflictOf reads clause.OnConflict.
func (in *interp) conflictOf(a *aggregate) *conflict {
	c := &conflict{}
	list, ok := in.listOf(field(a, "Columns"))
	c.lost = !ok
	for _, v := range list {
		col, isColumn := unbox(v).(*aggregate)
		if !isColumn {
			c.lost = true
			continue
		}
		name, known := constText(field(col, "Name"))
		if !known {
			c.lost = true
		}
		c.columns = append(c.columns, name)
	}
	var known bool
	if c.constraint, known = constText(field(a, "OnConstraint")); !known {
		c.lost = true
	}
	flag := func(name string) bool {
		t, known := constOf(field(a, name))
		c.lost = c.lost || !known
		return known && t.IsTrue()
	}
	c.nothing, c.all = flag("DoNothing"), flag("UpdateAll")
	for _, name := range []string{"Where", "TargetWhere"} {
		if w, isWhere := unbox(field(a, name)).(*aggregate); isWhere {
			if l, ok := in.listOf(field(w, "Exprs")); !ok || len(l) > 0 {
				c.lost = true
			}
		}
	}
	switch u := unbox(field(a, "DoUpdates")).(type) {
	case *assignments:
		c.excluded, c.sets = u.excluded, u.sets
		c.lost = c.lost || u.lost
	default:
		sets, ok := in.listOf(u)
		c.lost = c.lost || !ok
		for _, v := range sets {
			s, isSet := unbox(v).(*aggregate)
			if !isSet {
				c.lost = true
				continue
			}
			col, isColumn := unbox(field(s, "Column")).(*aggregate)
			if !isColumn {
				c.lost = true
				continue
			}
			name, known := constText(field(col, "Name"))
			c.lost = c.lost || !known
			c.sets = append(c.sets, setting{name: name, v: field(s, "Value")})
		}
	}
	return c
}

// assignments is what clause.AssignmentColumns or clause.Assignments gives.
type assignments struct {
	excluded []string
	sets     []setting
	lost     bool
}

// conflictText gives ON CONFLICT; names are the columns that are inserted.
func (in *interp) conflictText(s *subject, names []string) fragment {
	c := s.d.conflict
	if c == nil {
		return fragment{}
	}
	f := frag(" ON CONFLICT")
	target := c.columns
	var sets []fragment
	for _, name := range c.excluded {
		q := gormmodel.Quote(name)
		sets = append(sets, frag(q+" = excluded."+q))
	}
	for _, x := range c.sets {
		sets = append(sets, frag(gormmodel.Quote(x.name)+" = ").plus(in.paramOf(x.v)))
	}
	if c.all && s.m != nil {
		for _, m := range s.m.Fields {
			q := gormmodel.Quote(m.Column)
			chosen, known := s.d.chosen(m)
			if !slices.Contains(names, q) || m.Key || m.HasDefault && !m.Constant && !strings.EqualFold(m.Default, "null") || m.AutoCreate || known && !chosen {
				continue
			}
			if m.AutoUpdate {
				sets = append(sets, frag(q+" = ").plus(in.paramOf(in.now(m.Type))))
				continue
			}
			sets = append(sets, frag(q+" = excluded."+q))
		}
		if len(target) == 0 {
			for _, k := range s.m.Keys {
				target = append(target, k.Column)
			}
		}
	}
	switch {
	case c.constraint != "":
		f.text += " ON CONSTRAINT " + gormmodel.Quote(c.constraint)
	case len(target) > 0:
		var list []string
		for _, name := range target {
			list = append(list, gormmodel.Quote(name))
		}
		f.text += " (" + strings.Join(list, ", ") + ")"
	}
	if c.nothing || len(sets) == 0 {
		f.text += " DO NOTHING"
		return f
	}
	return f.plus(frag(" DO UPDATE SET "), joinFragments(sets, ", "))
}

// gormFunctions are functions of GORM that make parts of statements.
var gormFunctions = map[string]func(in *interp, args []value, t types.Type) (value, bool){
	"gorm.io/gorm.Expr": func(in *interp, args []value, t types.Type) (value, bool) {
		return &rawSQL{in.rawText(args)}, true
	},
	"gorm.io/gorm/clause.AssignmentColumns": func(in *interp, args []value, t types.Type) (value, bool) {
		names, known := in.textArgs(args)
		return &assignments{excluded: names, lost: !known}, true
	},
	"gorm.io/gorm/clause.Assignments": func(in *interp, args []value, t types.Type) (value, bool) {
		list, known := in.entriesOf(args[0])
		a := &assignments{lost: !known}
		for _, e := range list {
			a.lost = a.lost || e.when != nil
			a.sets = append(a.sets, setting{name: e.key, v: e.v})
		}
		return a, true
	},
	"database/sql.Named": func(in *interp, args []value, t types.Type) (value, bool) {
		a, ok := in.zero(t).(*aggregate)
		if !ok {
			return nil, false
		}
		_, names := parts(t)
		for i, n := range names {
			switch n {
			case "Name":
				a.parts[i] = args[0]
			case "Value":
				a.parts[i] = args[1]
			}
		}
		return a, true
	},
}

func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 0, 64)
	return n, err == nil
}
