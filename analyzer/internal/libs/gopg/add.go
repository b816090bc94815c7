package gopg

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
	"github.com/txrobust/robust/analyzer/internal/sqltext"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// addCall is a method of *orm.Query that adds to it, in place.
func (in *run) addCall(inv *session.Invocation, q *query, name string, args []memory.Value) memory.Value {
	switch name {
	case "Clone", "New", "DB":
		h, d := q.h, draftOf(in.Memory, q)
		switch {
		case name == "New":
			d = &draft{model: d.model}
		case name == "DB":
			var ok bool
			if h, ok = memory.Unbox(args[0]).(*memory.Handle); !ok {
				return in.Fresh(inv.T, "query", memory.Unknown)
			}
			return &query{h: h, c: q.c}
		}
		return newQuery(in.Memory, h, d)
	case "Apply":
		return in.applyCall(inv, q, args[0])
	case "Context":
		return &query{h: q.h.Within(args[0]), c: q.c}
	case "TableModel", "AppendQuery", "TableAlias":
		return in.Quiet(inv.T)
	}
	d := *draftOf(in.Memory, q)
	if !in.add(&d, name, args) {
		for _, a := range args {
			in.EmitValue(a)
		}
		d = *d.without(name + " of go-pg")
		d.further = true
	}
	in.replace(q, &d)
	return q
}

// applyCall runs a function that adds to a query.
func (in *run) applyCall(inv *session.Invocation, q *query, fn memory.Value) memory.Value {
	c, ok := memory.Unbox(fn).(*memory.Closure)
	if ok && c.Fn != nil {
		inner := &session.Invocation{C: inv.C, Fn: c, Args: []memory.Value{q}, At: inv.At, T: c.Fn.Signature.Results()}
		out := in.Control.CallFunction(inner, c)
		if !in.Reached() {
			return in.QuietDead(inv.T)
		}
		if t, ok := out.(memory.Tuple); ok && len(t) == 2 {
			if r, ok := memory.Unbox(t[0]).(*query); ok {
				return r
			}
		}
	}
	in.UnknownCall("a function that adds to a query", []memory.Value{fn}, nil)
	d := *draftOf(in.Memory, q).without("Apply of go-pg")
	d.further = true
	in.replace(q, &d)
	return q
}

// with appends to a list that other drafts may share.
func with[T any](list []T, more ...T) []T { return append(slices.Clip(list), more...) }

// add adds a call to a draft. It reports whether the method is modelled.
func (in *run) add(d *draft, name string, args []memory.Value) bool {
	switch name {
	case "Model":
		*d = *in.about(args[0])
		return true
	case "WherePK":
		s := in.statement(d)
		d.byKey = true
		return s.t != nil && !s.many && len(s.t.keys()) > 0
	case "Distinct":
		d.distinct = true
		return true
	case "AllWithDeleted":
		d.withDeleted, d.onlyDeleted = true, false
		return true
	case "Deleted":
		d.withDeleted, d.onlyDeleted = false, true
		return true
	case "Limit", "Offset":
		v := memory.Unbox(args[0])
		if c, ok := memory.ConstOf(v); ok && c.Kind == ir.KindInt && c.I == 0 {
			v = nil
		}
		if name == "Limit" {
			d.limit = v
		} else {
			d.offset = v
		}
		return true
	case "Table", "Column", "ExcludeColumn", "Group", "Order":
		return in.addNames(d, name, args)
	}
	return in.addTexts(d, name, args)
}

// addNames adds what has names of columns or tables.
func (in *run) addNames(d *draft, name string, args []memory.Value) bool {
	names, known := in.TextArgs(args)
	if !known {
		return false
	}
	for _, n := range names {
		switch name {
		case "Table":
			d.tables = with(d.tables, sqltext.Frag(columnRef(n)))
		case "Column":
			if n == "_" {
				return false
			}
			d.columns = with(d.columns, column{name: n})
		case "ExcludeColumn":
			if !in.exclude(d, n) {
				return false
			}
		case "Group":
			d.group = with(d.group, sqltext.Frag(columnRef(n)))
		case "Order":
			if n != "" {
				d.order = with(d.order, sqltext.Frag(orderText(n)))
			}
		}
	}
	return true
}

// exclude takes a column out of those that a query names.
func (in *run) exclude(d *draft, name string) bool {
	s := in.statement(d)
	if s.t == nil {
		return false
	}
	if len(d.columns) == 0 {
		for _, f := range s.t.fields {
			d.columns = append(d.columns, column{name: f.name})
		}
	}
	at := slices.IndexFunc(d.columns, func(c column) bool { return c.name == name })
	if at < 0 {
		return false
	}
	d.columns = slices.Delete(slices.Clone(d.columns), at, at+1)
	return true
}

// orderText gives a column with its direction as Order writes it.
func orderText(text string) string {
	name, sort, ok := strings.Cut(text, " ")
	switch strings.ToUpper(sort) {
	case "ASC", "DESC", "ASC NULLS FIRST", "DESC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS LAST":
		if ok {
			return columnRef(name) + " " + sort
		}
	}
	return columnRef(text)
}

// addTexts adds what has a text with parameters.
func (in *run) addTexts(d *draft, name string, args []memory.Value) bool {
	if len(args) < 2 {
		return false
	}
	params, ok := in.ListOf(args[len(args)-1])
	if !ok && name != "WhereIn" {
		return false
	}
	text := args[0]
	if name == "Value" {
		column, known := memory.ConstText(text)
		if !known || len(args) < 3 || in.statement(d).t == nil || in.statement(d).t.field(column) == nil {
			return false
		}
		f := in.formatted(in.statement(d).t, args[1], params)
		d.values = with(d.values, sqltext.Setting{Name: column, Value: &sqltext.Raw{F: f}})
		return true
	}
	if name == "WhereIn" {
		params = []memory.Value{&wrapped{v: args[1], in: true}}
	}
	f := in.formatted(in.statement(d).t, text, params)
	switch name {
	case "Where", "WhereIn", "WhereOr":
		in.addCondition(d, f, name == "WhereOr")
	case "Having":
		c := sqltext.NewCond(f)
		c.Raw = true
		d.having = with(d.having, c)
	case "TableExpr":
		d.tables = with(d.tables, f)
	case "ColumnExpr":
		d.columns = with(d.columns, column{expr: &f})
	case "Join":
		d.joins = with(d.joins, f)
	case "JoinOn":
		if len(d.joins) == 0 {
			return false
		}
		last := len(d.joins) - 1
		word := " ON ("
		if strings.Contains(strings.ToUpper(d.joins[last].Text), " ON ") {
			word = " AND ("
		}
		d.joins = slices.Clone(d.joins)
		d.joins[last] = d.joins[last].Plus(sqltext.Frag(word), f, sqltext.Frag(")"))
	case "GroupExpr":
		d.group = with(d.group, f)
	case "OrderExpr":
		d.order = with(d.order, f)
	case "Set":
		d.set = with(d.set, f)
	case "Returning":
		d.returning = with(d.returning, f)
	case "For":
		d.lock = &f
	case "OnConflict":
		d.conflict = &f
	default:
		return false
	}
	return true
}

// addCondition adds a condition: behind ON CONFLICT … DO UPDATE it is one of that.
func (in *run) addCondition(d *draft, f sqltext.Fragment, or bool) {
	if f.Text == "" {
		f = sqltext.Frag(client.Hole)
	}
	c := sqltext.NewCond(f)
	c.Raw = true
	if d.updatesOnConflict() {
		c.Or = or && len(d.updateWhere) > 0
		d.updateWhere = with(d.updateWhere, c)
		return
	}
	c.Or = or && (len(d.where) > 0 || d.byKey)
	d.where = with(d.where, c)
}
