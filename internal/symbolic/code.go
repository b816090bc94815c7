package symbolic

import (
	"slices"

	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/ir"
)

// Code is a program prepared for symbolic execution, with what can be told of
// it without a solver. It is not safe for concurrent use.
type Code struct {
	Program *ir.Program
	// Deleted, Inserted and Updated say which tables lose rows, which gain
	// rows and which columns of existing rows change, by any template.
	Deleted, Inserted map[*ir.Table]bool
	Updated           map[*ir.Table][]bool

	// freed are the foreign keys whose children may leave their parents by other
	// means than their own action.
	freed map[*ir.ForeignKey]bool
	// Acts says that some template has an action of a foreign key.
	Acts bool

	info    map[*ir.Txn]*txnInfo
	classes *classes
	// sources are those of the FRESH values of a class.
	sources    map[any]map[string]bool
	references map[*ir.Table][]reference // by the table referred to
	tableLocks bool                      // some template locks a table
	types      map[ir.Expr]ir.Type       // of expressions, as they are met
	nullable   map[*ir.Table]bool        // see findNullable
}

// Prepare examines a program, whose transactions must be structured.
func Prepare(p *ir.Program) *Code {
	c := &Code{Program: p, Deleted: map[*ir.Table]bool{}, Inserted: map[*ir.Table]bool{},
		Updated: map[*ir.Table][]bool{}, freed: map[*ir.ForeignKey]bool{}, info: map[*ir.Txn]*txnInfo{}, classes: newClasses(),
		references: map[*ir.Table][]reference{}, types: map[ir.Expr]ir.Type{}}
	for _, t := range p.Tables {
		c.Updated[t] = make([]bool, len(t.Columns))
		for i := range t.ForeignKeys {
			fk := &t.ForeignKeys[i]
			c.references[fk.Ref] = append(c.references[fk.Ref], reference{t, fk})
		}
	}
	for _, t := range p.Txns {
		if t.Labelled != nil {
			panic("symbolic: transaction " + t.Name + " is labelled: run ir.Structure first")
		}
		ir.Walk(t.Body, func(s ir.Stmt) {
			c.noteWrites(s)
			if _, ok := s.(*ir.LockTable); ok {
				c.tableLocks = true
			}
		})
	}
	c.unifyClasses()
	c.findNullable()
	return c
}

// infoOf is what is known of a template, which is found out where it is executed.
func (c *Code) infoOf(t *ir.Txn) *txnInfo {
	if c.info[t] == nil {
		c.info[t] = newInfo(t)
	}
	return c.info[t]
}

func (c *Code) noteWrites(s ir.Stmt) {
	// frees says that rows lose the values of some columns (nil: all).
	frees := func(t *ir.Table, cols []int, but *ir.ForeignKey) {
		for i := range t.ForeignKeys {
			fk := &t.ForeignKeys[i]
			if fk != but && (cols == nil || slices.ContainsFunc(cols, func(k int) bool { return slices.Contains(fk.Columns, k) })) {
				c.freed[fk] = true
			}
		}
	}
	sets := func(t *ir.Table, list []ir.Set) {
		for _, set := range list {
			c.Updated[t][set.Col] = true
			frees(t, []int{set.Col}, nil)
		}
	}
	everything := func(t *ir.Table) {
		frees(t, nil, nil)
		c.Deleted[t], c.Inserted[t] = !t.Var, !t.Var
		for i := range t.Columns {
			c.Updated[t][i] = true
		}
	}
	switch s := s.(type) {
	case *ir.Insert:
		c.Inserted[s.Table] = true
		if s.Conflict != nil {
			sets(s.Table, s.Conflict.Sets)
		}
	case *ir.Update:
		sets(s.Table, s.Sets)
	case *ir.Delete:
		c.Deleted[s.Table] = true
		frees(s.Table, nil, nil)
	case *ir.Cascade:
		c.Acts = true
		fk := s.ForeignKey()
		if s.Deletes() {
			c.Deleted[s.Table] = true
			frees(s.Table, nil, fk)
			return
		}
		for _, k := range fk.Columns {
			c.Updated[s.Table][k] = true
		}
		frees(s.Table, fk.Columns, fk)
	case *ir.CopyTable:
		everything(s.Dst)
	case *ir.Unmodelled:
		if s.ReadOnly {
			return
		}
		tables := s.Tables
		if tables == nil {
			tables = c.Program.Tables
		}
		for _, t := range tables {
			everything(t)
		}
	}
}

// column is a column of a table.
type column struct {
	table *ir.Table
	col   int
}

// local is a local or parameter of a template.
type local struct {
	txn  *ir.Txn
	name string
}

// classes partitions columns and locals: two are in one class when a value is
// copied between them or they are compared for equality, so that they hold
// values of one kind, such as the numbers of customers.
type classes struct{ parent map[any]any }

func newClasses() *classes { return &classes{map[any]any{}} }

func (c *classes) find(x any) any {
	p, ok := c.parent[x]
	if !ok {
		c.parent[x] = x
		return x
	}
	if p == x {
		return x
	}
	r := c.find(p)
	c.parent[x] = r
	return r
}

func (c *classes) union(x, y any) {
	if x != nil && y != nil {
		c.parent[c.find(x)] = c.find(y)
	}
}

// of gives the representative of a class.
func (c *Code) localClass(t *ir.Txn, name string) any { return c.classes.find(local{t, name}) }

func (c *Code) unifyClasses() {
	for _, t := range c.Program.Tables {
		for _, fk := range t.ForeignKeys {
			for i := range fk.Columns {
				c.classes.union(column{t, fk.Columns[i]}, column{fk.Ref, fk.RefColumns[i]})
			}
		}
	}
	for _, t := range c.Program.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) { c.unifyStmt(t, s) })
	}
	c.sources = map[any]map[string]bool{}
	for _, t := range c.Program.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			if h, ok := s.(*ir.Havoc); ok && h.Fresh {
				class := c.localClass(t, h.Var)
				if c.sources[class] == nil {
					c.sources[class] = map[string]bool{}
				}
				c.sources[class][h.Source()] = true
			}
		})
	}
}

// unifyStmt joins the classes that a statement connects.
func (c *Code) unifyStmt(txn *ir.Txn, s ir.Stmt) {
	rows := map[string]*ir.Table{}
	for _, src := range ir.Reads(s) {
		rows[src.Row] = src.Table
	}
	node := func(e ir.Expr) any {
		switch e := e.(type) {
		case *ir.Var:
			return local{txn, e.Name}
		case *ir.Col:
			if t := rows[e.Row]; t != nil && t.Column(e.Col) >= 0 {
				return column{t, t.Column(e.Col)}
			}
		}
		return nil
	}
	into := func(names []string, cols []ir.Expr) {
		for i, n := range names {
			if i < len(cols) {
				c.classes.union(local{txn, n}, node(cols[i]))
			}
		}
	}
	sets := func(t *ir.Table, list []ir.Set) {
		for _, set := range list {
			c.classes.union(column{t, set.Col}, node(set.Expr))
		}
	}
	switch s := s.(type) {
	case *ir.Assign:
		c.classes.union(local{txn, s.Var}, node(s.Expr))
	case *ir.Select:
		into(s.Into, s.Cols)
		for i, a := range s.Aggs {
			if a.Fn == "min" || a.Fn == "max" {
				c.classes.union(local{txn, s.Into[i]}, node(a.Arg))
			}
		}
	case *ir.Foreach:
		into(s.Into, s.Cols)
	case *ir.Insert:
		for i, col := range s.Cols {
			c.classes.union(column{s.Table, col}, node(s.Values[i]))
		}
		if s.Conflict != nil {
			rows[ir.Excluded] = s.Table
			sets(s.Table, s.Conflict.Sets)
		}
	case *ir.Update:
		sets(s.Table, s.Sets)
	}
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if b, ok := e.(*ir.Binary); ok && b.Op >= ir.Eq && b.Op <= ir.Is {
				c.classes.union(node(b.X), node(b.Y))
			}
		})
	}
}

// draw records a FRESH value of the instance; it belongs to a class. A place
// that runs again draws the same value.
func (in *Instance) draw(v Val, class any, source string) {
	for _, f := range in.fresh {
		if f.val.T == v.T {
			return
		}
	}
	in.fresh = append(in.fresh, freshValue{v, class, source})
}

// Unused says that the instance does not run before the base state, so that
// its FRESH values do not occur there in any column of their class.
func (w *World) Unused(base *State, in *Instance) {
	w.unused = append(w.unused, unused{base: base, inst: in})
}

// freshFacts asserts that FRESH values are different from each other and from
// what base states hold, unless they come from different sequences.
func (w *World) freshFacts() {
	defer w.about(w.Topic)
	w.about(TopicFresh)
	var all []freshValue
	for _, in := range w.instances {
		for _, f := range in.fresh {
			for _, g := range all {
				apart := f.source == g.source || f.source == "" || g.source == ""
				if apart && f.val.T.Sort() == g.val.T.Sort() {
					w.Define(w.B.Not(w.B.Eq(f.val.T, g.val.T)))
				}
			}
			all = append(all, f)
		}
	}
	for i := range w.unused {
		u := &w.unused[i]
		for ; u.done < len(u.inst.fresh); u.done++ {
			w.neverHeld(u.base, u.inst.fresh[u.done])
		}
	}
}

func (w *World) neverHeld(s *State, f freshValue) {
	if len(w.code.sources[f.class]) > 1 {
		return // another sequence may have given the value
	}
	for i, t := range w.Program.Tables {
		for c := range t.Columns {
			if w.code.classes.find(column{t, c}) != f.class || sortOf(t.Columns[c].Type) != f.val.T.Sort() {
				continue
			}
			w.always([]domain{tableDomain(i)}, func(tuple []Key) *smt.Term {
				return w.B.Or(w.B.Not(s.Alive(i, tuple[0])), w.B.Not(w.same(s.Col(i, c, tuple[0]), f.val)))
			})
		}
	}
}

// reference is a foreign key seen from the table it refers to.
type reference struct {
	child *ir.Table
	fk    *ir.ForeignKey
}

// KeyFreed reports whether a key of a row may become free: the table loses
// rows or a column of a key changes.
func (c *Code) KeyFreed(t *ir.Table) bool {
	freed := c.Deleted[t]
	for _, u := range t.Uniques {
		freed = freed || touches(u.Columns, c.Updated[t])
	}
	return freed
}

// Released reports whether two rows may stop excluding each other: the table
// loses rows, or a column that the exclusion looks at changes.
func (c *Code) Released(t *ir.Table, x *ir.Exclusion) bool {
	return c.Deleted[t] || touches(x.Columns(t), c.Updated[t])
}

// referenceFreed reports whether a child row may stop referring to its parent
// while the parent is there.
func (c *Code) referenceFreed(r reference) bool { return c.freed[r.fk] }

// firm reports whether the action of a foreign key of t is carried out on every
// child that the snapshot shows: no child leaves its parent otherwise, and what
// deletes the parents is firm.
func (c *Code) firm(t *ir.Table, fk *ir.ForeignKey) bool {
	seen := map[*ir.Table]bool{t: true}
	for !c.freed[fk] {
		t = fk.Ref
		if seen[t] {
			return false
		}
		seen[t] = true
		var up []*ir.ForeignKey
		for i := range t.ForeignKeys {
			if f := &t.ForeignKeys[i]; f.OnDelete == ir.CascadeDelete {
				up = append(up, f)
			}
		}
		switch len(up) {
		case 0:
			return true
		case 1:
			fk = up[0]
		default:
			return false
		}
	}
	return false
}
