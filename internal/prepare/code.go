package prepare

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
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

	info    map[*ir.Txn]*TxnInfo
	Classes *classes
	// Sources are those of the FRESH values of a class.
	Sources    map[any]map[string]bool
	References map[*ir.Table][]Reference // by the table referred to
	TableLocks bool                      // some template locks a table
	Types      map[ir.Expr]ir.Type       // of expressions, as they are met
	Nullable   map[*ir.Table]bool        // see findNullable
}

// Of examines a program, whose transactions must be structured.
func Of(p *ir.Program) *Code {
	c := &Code{Program: p, Deleted: map[*ir.Table]bool{}, Inserted: map[*ir.Table]bool{},
		Updated: map[*ir.Table][]bool{}, freed: map[*ir.ForeignKey]bool{}, info: map[*ir.Txn]*TxnInfo{}, Classes: newClasses(),
		References: map[*ir.Table][]Reference{}, Types: map[ir.Expr]ir.Type{}}
	for _, t := range p.Tables {
		c.Updated[t] = make([]bool, len(t.Columns))
		for i := range t.ForeignKeys {
			fk := &t.ForeignKeys[i]
			c.References[fk.Ref] = append(c.References[fk.Ref], Reference{t, fk})
		}
	}
	for _, t := range p.Txns {
		if t.Labelled != nil {
			panic("prepare: transaction " + t.Name + " is labelled: run wellformed.Structure first")
		}
		ir.Walk(t.Body, func(s ir.Stmt) {
			c.noteWrites(s)
			if _, ok := s.(*ir.LockTable); ok {
				c.TableLocks = true
			}
		})
	}
	c.unifyClasses()
	c.findNullable()
	return c
}

// InfoOf is what is known of a template, which is found out where it is executed.
func (c *Code) InfoOf(t *ir.Txn) *TxnInfo {
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

// Column is a column of a table.
type Column struct {
	Table *ir.Table
	Col   int
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

// Find gives the representative of the class of x.
func (c *classes) Find(x any) any {
	p, ok := c.parent[x]
	if !ok {
		c.parent[x] = x
		return x
	}
	if p == x {
		return x
	}
	r := c.Find(p)
	c.parent[x] = r
	return r
}

func (c *classes) union(x, y any) {
	if x != nil && y != nil {
		c.parent[c.Find(x)] = c.Find(y)
	}
}

func (c *Code) unifyClasses() {
	for _, t := range c.Program.Tables {
		for _, fk := range t.ForeignKeys {
			for i := range fk.Columns {
				c.Classes.union(Column{t, fk.Columns[i]}, Column{fk.Ref, fk.RefColumns[i]})
			}
		}
	}
	for _, t := range c.Program.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) { c.unifyStmt(t, s) })
	}
	c.Sources = map[any]map[string]bool{}
	for _, t := range c.Program.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			if h, ok := s.(*ir.Havoc); ok && h.Fresh {
				class := c.LocalClass(t, h.Var)
				if c.Sources[class] == nil {
					c.Sources[class] = map[string]bool{}
				}
				c.Sources[class][h.Source()] = true
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
				return Column{t, t.Column(e.Col)}
			}
		}
		return nil
	}
	into := func(names []string, cols []ir.Expr) {
		for i, n := range names {
			if i < len(cols) {
				c.Classes.union(local{txn, n}, node(cols[i]))
			}
		}
	}
	sets := func(t *ir.Table, list []ir.Set) {
		for _, set := range list {
			c.Classes.union(Column{t, set.Col}, node(set.Expr))
		}
	}
	switch s := s.(type) {
	case *ir.Assign:
		c.Classes.union(local{txn, s.Var}, node(s.Expr))
	case *ir.Select:
		into(s.Into, s.Cols)
		for i, a := range s.Aggs {
			if a.Fn == "min" || a.Fn == "max" {
				c.Classes.union(local{txn, s.Into[i]}, node(a.Arg))
			}
		}
	case *ir.Foreach:
		into(s.Into, s.Cols)
	case *ir.Insert:
		for i, col := range s.Cols {
			c.Classes.union(Column{s.Table, col}, node(s.Values[i]))
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
				c.Classes.union(node(b.X), node(b.Y))
			}
		})
	}
}

// Reference is a foreign key seen from the table it refers to.
type Reference struct {
	Child *ir.Table
	Fk    *ir.ForeignKey
}

// Released reports whether two rows may stop excluding each other: the table
// loses rows, or a column that the exclusion looks at changes.
func (c *Code) Released(t *ir.Table, x *ir.Exclusion) bool {
	return c.Deleted[t] || Touches(ir.ExclusionColumns(x, t), c.Updated[t])
}

// ReferenceFreed reports whether a child row may stop referring to its parent
// while the parent is there.
func (c *Code) ReferenceFreed(r Reference) bool { return c.freed[r.Fk] }

// Firm reports whether the action of a foreign key of t is carried out on every
// child that the snapshot shows: no child leaves its parent otherwise, and what
// deletes the parents is firm.
func (c *Code) Firm(t *ir.Table, fk *ir.ForeignKey) bool {
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

// RowLoop reports whether a template has a loop over rows.
func (c *Code) RowLoop(t *ir.Txn) bool {
	found := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		if _, ok := s.(*ir.Foreach); ok {
			found = true
		}
	})
	return found
}

// ColumnClass and LocalClass identify the sort of values that a column or a
// local holds, such as numbers of customers: equal for two when a value is
// copied between them or they are compared.
func (c *Code) ColumnClass(t *ir.Table, col int) any { return c.Classes.Find(Column{t, col}) }

// LocalClass is ColumnClass for a parameter or local.
func (c *Code) LocalClass(t *ir.Txn, name string) any { return c.Classes.Find(local{t, name}) }

// Touches reports whether one of the columns in list is among cols.
func Touches(list []int, cols []bool) bool {
	for _, c := range list {
		if cols[c] {
			return true
		}
	}
	return false
}
