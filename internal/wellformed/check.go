package wellformed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
)

// Check is the sanity check: names are declared, types fit, statements stand
// where they may. It runs after parsing and after every pass. The error, if
// any, is an *Error with the first fault's position.
func Check(p *ir.Program) error {
	c := &checker{prog: p}
	return Catch(c.program)
}

// MustCheck panics if p is broken; pass names the pass that made it.
func MustCheck(pass string, p *ir.Program) *ir.Program {
	if err := Check(p); err != nil {
		panic("ir: after " + pass + ": " + err.Error() + "\n" + p.String())
	}
	return p
}

// enclosing is a loop or block around a statement.
type enclosing struct {
	label string
	loop  bool
}

type checker struct {
	prog *ir.Program
	txn  *ir.Txn
	// loops and blocks around the statement, innermost last
	around []enclosing
	// savepoints in scope
	points map[string]bool
}

func (c *checker) fail(pos ir.Pos, format string, args ...any) {
	panic(ParseFailure{ir.Errorf(pos, format, args...)})
}

func (c *checker) program() {
	seen := map[string]bool{}
	for _, t := range c.prog.Tables {
		if seen[t.Name] {
			c.fail(t.Pos, "table %s is declared twice", t.Name)
		}
		seen[t.Name] = true
		c.table(t)
	}
	for _, inv := range c.prog.Invariants {
		c.want(inv.Pos, Scope{Rows: inv.From}, inv.Expr, ir.BoolType, "an invariant")
	}
	txns := map[string]bool{}
	for _, t := range c.prog.Txns {
		if txns[t.Name] {
			c.fail(t.Pos, "transaction %s is declared twice", t.Name)
		}
		txns[t.Name] = true
		c.transaction(t)
	}
	for _, pr := range c.prog.Processes {
		for _, t := range pr.Txns {
			if c.prog.Txn(t.Name) != t {
				c.fail(pr.Pos, "process %s runs transaction %s, which the program does not list", pr.Name, t.Name)
			}
		}
	}
}

func (c *checker) table(t *ir.Table) {
	names := map[string]bool{}
	for _, col := range t.Columns {
		if names[col.Name] {
			c.fail(t.Pos, "table %s has two columns %s", t.Name, col.Name)
		}
		names[col.Name] = true
	}
	if t.Var {
		if len(t.Columns) != 1 || len(t.Rows) != 1 || len(t.Key) != 0 {
			c.fail(t.Pos, "shared variable %s must have one column, one row and no key", t.Name)
		}
	} else if len(t.Key) == 0 {
		c.fail(t.Pos, "table %s has no key", t.Name)
	}
	self := Scope{Rows: []ir.Source{{Table: t, Row: t.Name}}}
	for _, u := range t.Uniques {
		if u.Where != nil {
			c.want(u.Pos, self, u.Where, ir.BoolType, "the condition of "+u.Name)
		}
	}
	for i := range t.Exclusions {
		c.exclusion(t, &t.Exclusions[i])
	}
	for _, f := range t.ForeignKeys {
		if len(f.Columns) != len(f.RefColumns) || len(f.Columns) == 0 {
			c.fail(f.Pos, "foreign key %s has %d columns for %d", f.Name, len(f.Columns), len(f.RefColumns))
		}
		for i, col := range f.Columns {
			from, to := t.Columns[col].Type, f.Ref.Columns[f.RefColumns[i]].Type
			if !to.Accepts(from) {
				c.fail(f.Pos, "foreign key %s compares %s with %s", f.Name, from, to)
			}
		}
		if !isKeyOrUnique(f.Ref, f.RefColumns) {
			c.fail(f.Pos, "foreign key %s refers to columns of %s that are no key", f.Name, f.Ref.Name)
		}
		if (f.OnDelete != ir.NoAction || f.OnUpdate != ir.NoAction) && (f.Ref == t || !ir.SameColumns(f.RefColumns, f.Ref.Key)) {
			c.fail(f.Pos, "foreign key %s has an action, but does not refer to the primary key of another table", f.Name)
		}
		for _, col := range f.Columns {
			null := f.OnDelete == ir.SetNull || f.OnUpdate == ir.SetNull
			if null && (t.Columns[col].NotNull || t.IsKey(col)) {
				c.fail(f.Pos, "foreign key %s sets %s to NULL, which cannot be", f.Name, t.Columns[col].Name)
			}
			if (f.OnDelete == ir.SetDefault || f.OnUpdate != ir.NoAction) && t.IsKey(col) {
				c.fail(f.Pos, "foreign key %s sets the key column %s, which cannot be", f.Name, t.Columns[col].Name)
			}
		}
	}
	for _, col := range t.Columns {
		c.want(t.Pos, self, col.Generated, col.Type, "generated column "+col.Name)
	}
	for _, k := range t.Checks {
		c.want(k.Pos, self, k.Expr, ir.BoolType, "check "+k.Name)
	}
	for _, r := range t.Rows {
		for i, v := range r {
			col := t.Columns[i]
			if !v.IsNull() && v.Kind != col.Type.Kind {
				c.fail(t.Pos, "a row of %s has %s in column %s of type %s", t.Name, v, col.Name, col.Type)
			}
			if v.IsNull() && col.NotNull {
				c.fail(t.Pos, "a row of %s has null in column %s, which is not null", t.Name, col.Name)
			}
		}
	}
}

// isKeyOrUnique reports whether cols, as a set, are the primary key or a
// total unique key.
func isKeyOrUnique(t *ir.Table, cols []int) bool {
	if ir.SameColumns(cols, t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && ir.SameColumns(cols, u.Columns) {
			return true
		}
	}
	return false
}

func (c *checker) transaction(t *ir.Txn) {
	c.txn, c.around, c.points = t, nil, map[string]bool{}
	names := map[string]bool{}
	declare := func(n string) {
		if names[n] {
			c.fail(t.Pos, "%s is declared twice in transaction %s", n, t.Name)
		}
		names[n] = true
		if tab := c.prog.Table(n); tab != nil && tab.Var {
			c.fail(t.Pos, "%s is a shared variable and cannot be a local of %s", n, t.Name)
		}
	}
	for _, q := range t.Params {
		declare(q.Name)
	}
	for _, l := range t.Locals {
		declare(l.Name)
	}
	if t.Labelled != nil && t.Body != nil {
		c.fail(t.Pos, "transaction %s has both a labelled and a structured body", t.Name)
	}
	for _, in := range t.Labelled {
		if in.Stmt != nil {
			c.stmt(in.Stmt)
		}
	}
	c.stmts(t.Body)
}

func (c *checker) stmts(list []ir.Stmt) {
	for i, s := range list {
		c.stmt(s)
		c.cascades(s, list[i+1:])
		c.moves(list, i)
	}
}

// moves checks that the two halves of a change of key stand together.
func (c *checker) moves(list []ir.Stmt, i int) {
	switch s := list[i].(type) {
	case *ir.Delete:
		if !s.Moved {
			return
		}
		if i+1 < len(list) {
			if in, ok := list[i+1].(*ir.Insert); ok && in.Table == s.Table && len(in.Moved) > 0 {
				return
			}
		}
		c.fail(s.At.Pos, "a row of %s moves, and no \"insert … moved\" follows at once", s.Table.Name)
	case *ir.Insert:
		if len(s.Moved) == 0 {
			return
		}
		if i > 0 {
			if d, ok := list[i-1].(*ir.Delete); ok && d.Table == s.Table && d.Moved {
				return
			}
		}
		c.fail(s.At.Pos, "a row of %s moves here, and no \"delete … moved\" stands right before", s.Table.Name)
	}
}

// wholeKey reports whether a condition says of a row what each column of its
// key is.
func wholeKey(t *ir.Table, row string, where ir.Expr) bool {
	told := map[string]bool{}
	for _, e := range ir.Conjuncts(where) {
		eq, ok := e.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			col, isCol := side[0].(*ir.Col)
			free := true
			ir.WalkExpr(side[1], func(e ir.Expr) {
				switch e.(type) {
				case *ir.Col, *ir.Exists:
					free = false
				}
			})
			if isCol && free && col.Row == row {
				told[col.Col] = true
			}
		}
	}
	for _, k := range t.Key {
		if !told[t.Columns[k].Name] {
			return false
		}
	}
	return true
}

// cascades checks that the actions of foreign keys follow a deletion.
func (c *checker) cascades(s ir.Stmt, after []ir.Stmt) {
	from := ir.Written(s)
	action := func(f *ir.ForeignKey) ir.Action { return f.OnDelete }
	what := "are deleted"
	switch s := s.(type) {
	case *ir.Delete:
		if s.Moved {
			return
		}
	case *ir.Insert:
		action = func(f *ir.ForeignKey) ir.Action { return f.OnMove(s.Moved) }
		what = "get other keys"
	case *ir.Cascade:
		if !s.Deletes() {
			return
		}
	default:
		return
	}
	done := map[*ir.ForeignKey]bool{}
	for _, a := range after {
		if a, ok := a.(*ir.Cascade); ok && a.Key < len(a.Table.ForeignKeys) {
			done[a.ForeignKey()] = true
			continue
		}
		break
	}
	for _, t := range c.prog.Tables {
		for i := range t.ForeignKeys {
			if f := &t.ForeignKeys[i]; f.Ref == from && action(f) != ir.NoAction && !done[f] {
				c.fail(s.Position(), "rows of %s %s, and no \"cascade %s %s\" follows", from.Name, what, t.Name, f.Name)
			}
		}
	}
}

func (c *checker) local(pos ir.Pos, name string, t ir.Type) {
	have, ok := c.txn.LocalType(name)
	if !ok {
		c.fail(pos, "local %s is not declared in transaction %s", name, c.txn.Name)
	}
	if !have.Accepts(t) {
		c.fail(pos, "%s has type %s and cannot hold a value of type %s", name, have, t)
	}
}

func (c *checker) typeOf(pos ir.Pos, sc Scope, e ir.Expr) ir.Type {
	t, err := sc.TypeOf(e)
	if err != nil {
		c.fail(pos, "%s", err)
	}
	return t
}

func (c *checker) want(pos ir.Pos, sc Scope, e ir.Expr, t ir.Type, what string) {
	if e == nil {
		return
	}
	if have := c.typeOf(pos, sc, e); !t.Accepts(have) {
		c.fail(pos, "%s must have type %s, but %s has type %s", what, t, e.String(), have)
	}
}

func (c *checker) scope(rows ...ir.Source) Scope { return Scope{Txn: c.txn, Rows: rows} }

func (c *checker) query(pos ir.Pos, q ir.Query) Scope {
	if len(q.From) == 0 {
		c.fail(pos, "a query needs a table")
	}
	sc := c.scope(q.From...)
	c.want(pos, sc, q.Where, ir.BoolType, "a condition")
	return sc
}

func (c *checker) into(pos ir.Pos, sc Scope, into []string, cols []ir.Expr) {
	if len(into) != len(cols) {
		c.fail(pos, "%d locals for %d values", len(into), len(cols))
	}
	for i, e := range cols {
		c.local(pos, into[i], c.typeOf(pos, sc, e))
	}
}

func (c *checker) order(pos ir.Pos, sc Scope, os []ir.Order) {
	for _, o := range os {
		c.typeOf(pos, sc, o.Expr)
	}
}

func (c *checker) locks(pos ir.Pos, q ir.Query, locks ir.Locks) {
	for _, l := range locks {
		for _, r := range l.Of {
			if !slices.ContainsFunc(q.From, func(s ir.Source) bool { return s.Row == r }) {
				c.fail(pos, "there is no row variable %s to lock", r)
			}
		}
	}
}

func (c *checker) sets(pos ir.Pos, t *ir.Table, sc Scope, sets []ir.Set) {
	for _, s := range sets {
		if t.IsKey(s.Col) {
			c.fail(pos, "the key column %s of %s cannot be set", t.Columns[s.Col].Name, t.Name)
		}
		c.want(pos, sc, s.Expr, t.Columns[s.Col].Type, "column "+t.Columns[s.Col].Name)
	}
}

func (c *checker) stmt(s ir.Stmt) {
	pos := s.Position()
	switch s := s.(type) {
	case *ir.Assign:
		c.local(pos, s.Var, c.typeOf(pos, c.scope(), s.Expr))
	case *ir.Havoc:
		c.local(pos, s.Var, ir.NullType)
	case *ir.Select:
		sc := c.query(pos, s.Query)
		if len(s.Aggs) > 0 {
			if len(s.Cols) > 0 || len(s.Order) > 0 || len(s.Locks) > 0 || s.Found != "" {
				c.fail(pos, "aggregates do not go with columns, order, locks or found")
			}
			if len(s.Into) != len(s.Aggs) {
				c.fail(pos, "%d locals for %d values", len(s.Into), len(s.Aggs))
			}
			for i, a := range s.Aggs {
				if a.Arg != nil {
					c.typeOf(pos, sc, a.Arg)
				}
				c.local(pos, s.Into[i], a.Type)
			}
			return
		}
		c.into(pos, sc, s.Into, s.Cols)
		c.order(pos, sc, s.Order)
		c.locks(pos, s.Query, s.Locks)
		if s.Found != "" {
			c.local(pos, s.Found, ir.BoolType)
		}
	case *ir.Emit:
		for _, e := range s.Exprs {
			c.typeOf(pos, c.scope(), e)
		}
	case *ir.EmitRows:
		sc := c.query(pos, s.Query)
		for _, e := range s.Cols {
			c.typeOf(pos, sc, e)
		}
		c.order(pos, sc, s.Order)
		c.locks(pos, s.Query, s.Locks)
		c.want(pos, c.scope(), s.Limit, ir.IntType, "the limit")
	case *ir.Insert:
		if len(s.Cols) != len(s.Values) {
			c.fail(pos, "%d columns for %d values", len(s.Cols), len(s.Values))
		}
		set := map[int]bool{}
		for i, col := range s.Cols {
			if set[col] {
				c.fail(pos, "column %s is given twice", s.Table.Columns[col].Name)
			}
			set[col] = true
			c.want(pos, c.scope(), s.Values[i], s.Table.Columns[col].Type, "column "+s.Table.Columns[col].Name)
		}
		for _, k := range s.Table.Key {
			if !set[k] && !s.Table.Rowid {
				c.fail(pos, "the key column %s of %s has no value", s.Table.Columns[k].Name, s.Table.Name)
			}
		}
		if s.Table.Var {
			c.fail(pos, "%s is a shared variable: nothing can be inserted", s.Table.Name)
		}
		if f := s.Conflict; f != nil {
			if f.Target != nil && !isKeyOrUnique(s.Table, f.Target) && !isPartialUnique(s.Table, f.Target) {
				c.fail(pos, "no key of %s has the columns of ON CONFLICT (%s)", s.Table.Name, columnList(s.Table, f.Target))
			}
			sc := c.scope(ir.Source{Table: s.Table, Row: f.Row}, ir.Source{Table: s.Table, Row: ir.Excluded})
			c.sets(pos, s.Table, sc, f.Sets)
			c.want(pos, sc, f.Where, ir.BoolType, "a condition")
		}
		if s.Done != "" {
			c.local(pos, s.Done, ir.BoolType)
		}
		if len(s.Moved) > 0 {
			if s.Conflict != nil || s.Done != "" {
				c.fail(pos, "a row that moves goes with neither ON CONFLICT nor done")
			}
			if !slices.ContainsFunc(s.Moved, s.Table.IsKey) || s.Table.Rowid {
				c.fail(pos, "a row of %s moves, but no column of its key changes", s.Table.Name)
			}
		}
	case *ir.Update:
		sc := c.scope(ir.Source{Table: s.Table, Row: s.Row})
		c.sets(pos, s.Table, sc, s.Sets)
		c.want(pos, sc, s.Where, ir.BoolType, "a condition")
	case *ir.Delete:
		if s.Table.Var {
			c.fail(pos, "%s is a shared variable: it cannot be deleted", s.Table.Name)
		}
		c.want(pos, c.scope(ir.Source{Table: s.Table, Row: s.Row}), s.Where, ir.BoolType, "a condition")
		if s.Moved && (s.Where == nil || !wholeKey(s.Table, s.Row, s.Where)) {
			c.fail(pos, "the condition must say which row of %s moves: each column of its key = …", s.Table.Name)
		}
	case *ir.Cascade:
		if s.Key >= len(s.Table.ForeignKeys) {
			c.fail(pos, "%s has no foreign key of this number", s.Table.Name)
		}
		fk := s.ForeignKey()
		if len(s.Values) > 0 && len(s.Values) != len(fk.Columns) {
			c.fail(pos, "%d columns for %d values", len(fk.Columns), len(s.Values))
		}
		for i, e := range s.Values {
			c.want(pos, c.scope(), e, s.Table.Columns[fk.Columns[i]].Type, "column "+s.Table.Columns[fk.Columns[i]].Name)
		}
		if fk.OnDelete == ir.NoAction && fk.OnUpdate == ir.NoAction {
			c.fail(pos, "foreign key %s has no action", fk.Name)
		}
		if len(s.Values) == 0 && fk.OnDelete != ir.CascadeDelete && fk.OnDelete != ir.SetNull {
			c.fail(pos, "foreign key %s needs values: cascade … set (…)", fk.Name)
		}
	case *ir.LockRows:
		sc := c.query(pos, s.Query)
		c.order(pos, sc, s.Order)
		c.want(pos, c.scope(), s.Limit, ir.IntType, "the limit")
		if c.locks(pos, s.Query, s.Locks); len(s.Locks) == 0 {
			c.fail(pos, "a lock of rows must have a mode, such as for update")
		}
	case *ir.Dropped:
		if len(s.Query.From) > 0 {
			c.order(pos, c.query(pos, s.Query), s.Order)
			c.want(pos, c.scope(), s.Limit, ir.IntType, "the limit")
			c.locks(pos, s.Query, s.Locks)
		}
	case *ir.LockTable, *ir.Abort, *ir.Return, *ir.Fail, *ir.Unmodelled:
	case *ir.If:
		c.want(pos, c.scope(), s.Cond, ir.BoolType, "a condition")
		c.stmts(s.Then)
		c.stmts(s.Else)
	case *ir.While:
		c.want(pos, c.scope(), s.Cond, ir.BoolType, "a condition")
		c.inside(pos, enclosing{s.Label, true}, s.Body)
	case *ir.Block:
		c.inside(pos, enclosing{s.Label, false}, s.Body)
	case *ir.ForRange:
		c.local(pos, s.Var, ir.IntType)
		c.want(pos, c.scope(), s.From, ir.IntType, "a bound")
		c.want(pos, c.scope(), s.To, ir.IntType, "a bound")
		c.inside(pos, enclosing{s.Label, true}, s.Body)
	case *ir.Foreach:
		sc := c.query(pos, s.Query)
		c.into(pos, sc, s.Into, s.Cols)
		c.order(pos, sc, s.Order)
		c.locks(pos, s.Query, s.Locks)
		if s.Found != "" {
			c.local(pos, s.Found, ir.BoolType)
		}
		c.inside(pos, enclosing{s.Label, true}, s.Body)
	case *ir.Break:
		c.target(pos, s.Label, false)
	case *ir.Continue:
		c.target(pos, s.Label, true)
	case *ir.Assume:
		c.want(pos, c.scope(), s.Cond, ir.BoolType, "a condition")
	case *ir.Send:
		c.send(pos, s)
	case *ir.Savepoint:
		c.points[s.Name] = true
	case *ir.RollbackTo:
		if !c.points[s.Name] {
			c.fail(pos, "there is no savepoint %s", s.Name)
		}
	case *ir.CopyTable:
		if len(s.Dst.Columns) != len(s.Src.Columns) || s.Dst.Var != s.Src.Var {
			c.fail(pos, "%s and %s have different shapes", s.Dst.Name, s.Src.Name)
		}
	default:
		panic(fmt.Sprintf("ir: check: unknown statement %T", s))
	}
}

// send checks that what a command is told by is declared.
func (c *checker) send(pos ir.Pos, s *ir.Send) {
	if s.Unknown == "" && len(s.Text) != len(s.Args)+1 {
		c.fail(pos, "a command of %d parts for %d values", len(s.Text), len(s.Args))
	}
	names := slices.Concat(s.Into, []string{s.Found, s.Count})
	for _, a := range s.Args {
		if a.Expr != nil {
			c.typeOf(pos, c.scope(), a.Expr)
		}
		names = append(names, a.Set)
	}
	for _, name := range names {
		if _, known := c.txn.LocalType(name); name != "" && !known {
			c.fail(pos, "local %s is not declared", name)
		}
	}
}

func isPartialUnique(t *ir.Table, cols []int) bool {
	for _, u := range t.Uniques {
		if ir.SameColumns(cols, u.Columns) {
			return true
		}
	}
	return false
}

func (c *checker) inside(pos ir.Pos, e enclosing, body []ir.Stmt) {
	if e.label != "" {
		for _, o := range c.around {
			if o.label == e.label {
				c.fail(pos, "label %s is used again inside itself", e.label)
			}
		}
	}
	c.around = append(c.around, e)
	c.stmts(body)
	c.around = c.around[:len(c.around)-1]
}

// target checks that there is something to break or continue.
func (c *checker) target(pos ir.Pos, label string, loop bool) {
	for _, e := range c.around {
		if label == "" && e.loop || label != "" && e.label == label && (e.loop || !loop) {
			return
		}
	}
	if label == "" {
		c.fail(pos, "there is no loop to leave or continue")
	}
	c.fail(pos, "nothing here has the label %s", label)
}

// exclusion checks a constraint of t.
func (c *checker) exclusion(t *ir.Table, x *ir.Exclusion) {
	c.want(x.Pos, Scope{Rows: x.Sources(t)}, x.Expr, ir.BoolType, "the condition of "+x.Name)
	if why := ir.ExclusionFault(x); why != "" {
		c.fail(x.Pos, "exclusion %s: %s", x.Name, why)
	}
}

func columnList(t *ir.Table, cols []int) string {
	var names []string
	for _, c := range cols {
		names = append(names, irwords.Ident(t.Columns[c].Name))
	}
	return strings.Join(names, ", ")
}
