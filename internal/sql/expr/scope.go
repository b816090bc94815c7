package expr

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Variable is a variable or parameter: a local, or (fields) a record with one
// local per field.
type Variable struct {
	Name  string
	Local string
	// Bound, if not nil, is the expression that a parameter stands for.
	Bound ir.Expr
	Type  schema.Type
	// NotNull says that it is never NULL, given that it is a value of a client program.
	NotNull, Given bool
	// fields is the record's shape; a row variable (fixed) has that of a table
	// or composite type, any other that of what was assigned last.
	IsRecord bool
	// Domain is that of its type, nil if it is none.
	Domain *schema.UserType
	Fixed  bool
	Fields []Field
	// All are the fields that a variable of type record ever held; lost says
	// that it may hold others.
	All  []Field
	Lost bool
	// Cursor, if not nil, is what the variable is bound to.
	Cursor *Cursor
}

// Field is a field of a record variable.
type Field struct {
	Name  string
	Local string
	Type  schema.Type
	// Domain is that of its type, nil if it is none; within are all in it.
	Domain *schema.UserType
	Within []*schema.UserType
	// bound, if not nil, is the expression that the field of a parameter stands for, which nn
	// says is never NULL.
	bound   ir.Expr
	NotNull bool
}

// col is the field as a column.
func (f *Field) col() Column {
	if f.bound != nil {
		return Column{Name: f.Name, Expr: f.bound, Type: f.Type, NotNull: f.NotNull}
	}
	return Column{Name: f.Name, Expr: ir.V(f.Local), Type: f.Type}
}

// Field finds a field of a record, nil if there is none.
func (v *Variable) Field(name string) *Field {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i]
		}
	}
	return v.Held(name)
}

// Held finds a field that a record held before.
func (v *Variable) Held(name string) *Field {
	for i := range v.All {
		if v.All[i].Name == name {
			return &v.All[i]
		}
	}
	return nil
}

// Scope is the variables of a block.
type Scope struct {
	Label  string
	Vars   map[string]*Variable
	Parent *Scope
}

// Find resolves a name of one to three parts to a variable, and its field if
// the name goes that far.
func (s *Scope) Find(parts []string) (*Variable, *Field) {
	for ; s != nil; s = s.Parent {
		if v := s.Vars[parts[0]]; v != nil {
			switch {
			case len(parts) == 1:
				return v, nil
			case len(parts) == 2 && v.IsRecord:
				return v, v.Field(parts[1])
			}
		}
		if len(parts) > 1 && s.Label == parts[0] && s.Label != "" {
			if v := s.Vars[parts[1]]; v != nil {
				switch {
				case len(parts) == 2:
					return v, nil
				case len(parts) == 3 && v.IsRecord:
					return v, v.Field(parts[2])
				}
			}
		}
	}
	return nil, nil
}

// known reports whether a variable of that name is in scope.
func (s *Scope) known(name string) bool {
	v, _ := s.Find([]string{name})
	return v != nil
}

// Column is a column that a query can name: the expression that it stands for.
type Column struct {
	Name    string
	Expr    ir.Expr
	Type    schema.Type
	NotNull bool // never NULL
	// Of is the column that the value is stored in, nil if it is computed.
	Of *schema.Column
}

// Val is the column as a value.
func (c Column) Val() Val { return Val{Expr: c.Expr, Type: c.Type, NotNull: c.NotNull} }

// RowSource is an item of a FROM list: a table under its alias, or values
// that are known already.
type RowSource struct {
	Alias string
	Row   string // the IR's row variable, or ""
	Table *schema.Table
	Cols  []Column
	// Hidden columns are found by their qualified name only (the right-hand
	// copies of JOIN … USING).
	Hidden map[string]bool
	// Reach are the row variables that a lock of the source reaches, where it is a query,
	// and apart the queries in it that lock their rows before they are joined.
	// unlockable says what it is if it cannot be locked.
	Reach      []string
	Apart      []any
	Unlockable string
	// Through is the view through which a statement writes the row, nil if there is none.
	Through *Through
}

// Through is a view of the rows of one table: its name in a statement, its columns over the
// row of the table, and its condition.
type Through struct {
	Alias string
	Cols  []Column
	Where ir.Expr
}

// Column gives the name that a column of the view has in the table, "" if it is none of it.
func (t *Through) Column(name string) string {
	for _, c := range t.Cols {
		if col, ok := c.Expr.(*ir.Col); ok && c.Name == name {
			return col.Col
		}
	}
	return ""
}

// Seen gives the row as the statement sees it: that of the view, if there is one.
func (r *RowSource) Seen() *RowSource {
	if r.Through == nil {
		return r
	}
	out := &RowSource{Alias: r.Through.Alias}
	for _, c := range r.Through.Cols {
		c.Expr = ir.MapExpr(c.Expr, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok {
				if now := r.Col(col.Col); now != nil {
					return now.Expr
				}
			}
			return e
		})
		if now := r.Col(r.Through.Column(c.Name)); now != nil {
			c.NotNull = now.NotNull
		}
		out.Cols = append(out.Cols, c)
	}
	return out
}

// Col finds a column, nil if there is none.
func (r *RowSource) Col(name string) *Column {
	for i := range r.Cols {
		if r.Cols[i].Name == name {
			return &r.Cols[i]
		}
	}
	return nil
}

// Level is the sources of one query. used says that a query inside of it
// refers to them.
type Level struct {
	Sources []*RowSource
	Used    bool
}

// TableSource makes the source of a table.
func TableSource(t *schema.Table, alias, row string) *RowSource {
	s := &RowSource{Alias: alias, Row: row, Table: t}
	for _, c := range t.Columns {
		s.Cols = append(s.Cols, Column{Name: c.Name, Expr: &ir.Col{Row: row, Col: c.Name}, Type: c.T, NotNull: c.NotNull, Of: c})
	}
	return s
}

// IRSource is the row as a source of a query of the IR.
func (s *RowSource) IRSource() ir.Source { return ir.Source{Table: s.Table.IR, Row: s.Row} }

// Numbered gives the parameter $n.
func (f *Frame) Numbered(dollar string) *Variable {
	for i, v := range f.Inputs {
		if dollar == "$"+strconv.Itoa(i+1) {
			return v
		}
	}
	return nil
}

// Value is what the call of an inlined function gives.
func (r *Result) Value(f *Frame) Val {
	cols := r.Values
	if len(f.Func.Outputs()) > 0 {
		cols = nil
		for i, o := range f.Outs {
			cols = append(cols, o.Columns(i)...)
		}
	}
	switch {
	case len(cols) == 0:
		return Val{Expr: ir.C(ir.Null), Type: schema.TVoid}
	case len(cols) == 1 && (f.Func.Ret == nil || len(r.Values) == 1):
		return cols[0].Val()
	}
	return Val{Type: schema.TRecord, Record: true, Fields: cols}
}

// Columns gives an OUT parameter as columns.
func (v *Variable) Columns(i int) []Column {
	if v.IsRecord {
		return v.Value().Fields
	}
	return []Column{{Name: syntax.NameOr(v.Name, "column"+strconv.Itoa(i+1)), Expr: v.Expr(), Type: v.Type}}
}

// Dests gives the locals of a variable.
func (v *Variable) Dests() []Dest {
	if !v.IsRecord {
		return []Dest{{v.Local, v.Type}}
	}
	var out []Dest
	for _, f := range v.Fields {
		out = append(out, Dest{f.Local, f.Type})
	}
	return out
}

// Enter opens a scope for a loop's own variable.
func (f *Frame) Enter() (leave func()) {
	outer := f.Scope
	f.Scope = &Scope{Vars: map[string]*Variable{}, Parent: outer}
	return func() { f.Scope = outer }
}

// Changes reports whether statements may set the variable with a local.
func (f *Frame) Changes(list []plpgsql.Stmt, local string) bool {
	found := false
	plpgsql.Walk(list, func(s plpgsql.Stmt) {
		for _, n := range schema.Assigned(s) {
			v, fd := f.Scope.Find(n.Parts)
			if n.Parts[0][0] == '$' {
				v = f.Numbered(n.Parts[0])
			}
			found = found || v != nil && v.Local == local || fd != nil && fd.Local == local
		}
	})
	return found
}

// Cursor is a query that a cursor variable is bound to. It gives the rows as they
// were when it was opened.
type Cursor struct {
	Query plpgsql.Span
	Scope *Scope // what its query sees
	// At is the row that the loop over the cursor is at, by table.
	At map[*ir.Table]*Position
}

// Position is the key of a row: the locals with each column, of which the first
// is the loop's own.
type Position struct{ Key [][]string }

// Copy gives a scope as it is now.
func (s *Scope) Copy() *Scope {
	out := *s
	out.Vars = maps.Clone(s.Vars)
	return &out
}

// Is reports whether a condition fixes the row at p; changed are locals that
// have other values by then.
func (p *Position) Is(t *ir.Table, row string, where ir.Expr, changed map[string]bool) bool {
	if p == nil {
		return false
	}
	conds := ir.Conjuncts(where)
	for i, k := range t.Key {
		fixed := func(c ir.Expr) bool {
			eq, ok := c.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				return false
			}
			col, ok1 := eq.X.(*ir.Col)
			v, ok2 := eq.Y.(*ir.Var)
			return ok1 && ok2 && col.Row == row && col.Col == t.Columns[k].Name && slices.Contains(p.Key[i], v.Name) && !changed[v.Name]
		}
		if !slices.ContainsFunc(conds, fixed) {
			return false
		}
	}
	return true
}

// RowSink takes the rows of RETURNING as one value.
type RowSink struct {
	Local string
	Cols  []Column
}

// Shape gives the columns of the rows.
func (r *RowSink) Shape() []ir.Column {
	var out []ir.Column
	for _, i := range ItemsOf(r.Cols) {
		out = append(out, ir.Column{Name: i.Name, Type: i.Type})
	}
	return out
}

// Take notes the columns, and gives the row value of them.
func (r *RowSink) Take(x *Spot, cols []Column) *ir.Call {
	row := &ir.Call{Name: irnames.RowFn, Type: ir.OpaqueType}
	r.Cols = nil
	for _, c := range cols {
		v := x.DefaultType(c.Val())
		row.Args = append(row.Args, v.Expr)
		r.Cols = append(r.Cols, Column{Name: c.Name, Type: v.Type, NotNull: v.NotNull})
	}
	return row
}

// Dest is a local that takes a value.
type Dest struct {
	Local string
	T     schema.Type
}

// Sink says where the rows of a statement go.
type Sink struct {
	Kind SinkKind
	// Dests gives the locals for the columns of a row, one per column; a
	// column whose local is "" is dropped. rest are set to NULL. It may be called several
	// times, and gives the same locals then.
	Dests func(cols []Column) (list []Dest, rest []Dest)
	// Strict says that there must be a row, One that several are an error, as they are where it is Strict, and Whole that
	// all rows are fetched where one is taken: a client gets all that the server sends.
	Strict, One, Whole bool
	// Only says that the statement is not modelled where there may be several rows.
	Only bool
	// Rows takes the rows of IntoRows.
	Rows *RowSink
}

// SinkKind says what becomes of rows.
type SinkKind uint8

// Where rows go.
const (
	// Discard drops the rows.
	Discard SinkKind = iota
	// IntoLocals takes one row, or NULLs.
	IntoLocals
	// ToClient returns all rows.
	ToClient
	// IntoRows puts all rows in one value.
	IntoRows
)

// SQLSTATEs of queries that must have one row.
const (
	NoData      = "P0002"
	TooManyRows = "P0003"
	Cardinality = "21000"
)

// SingleRow reports whether a query over one table fixes a whole key.
func (b *Draft) SingleRow(q ir.Query) bool {
	return len(q.From) == 1 && FixesKey(q.From[0].Table, q.From[0].Row, q.Where, nil)
}

// FixesKey reports whether where says that the columns of the primary key, or
// of a total unique key, equal values that depend on no row but those of others.
func FixesKey(t *ir.Table, row string, where ir.Expr, others map[string]bool) bool {
	fixed := FixedColumns(row, where, others)
	all := func(cols []int) bool {
		for _, c := range cols {
			if !fixed[t.Columns[c].Name] {
				return false
			}
		}
		return len(cols) > 0
	}
	if all(t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && all(u.Columns) {
			return true
		}
	}
	return false
}

// FixedColumns are the columns of a row that where says to equal values which
// depend on no row but those of others.
func FixedColumns(row string, where ir.Expr, others map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, c := range ir.Conjuncts(where) {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if col, ok := side[0].(*ir.Col); ok && col.Row == row && RowFree(side[1], others) {
				out[col.Col] = true
			}
		}
	}
	return out
}

// HiddenAlias begins names that no SQL can spell.
const HiddenAlias = "\x00"

// KeysOf gives the key columns of the rows of some sources.
func KeysOf(from []ir.Source) []ir.Expr {
	var out []ir.Expr
	for _, src := range from {
		for _, k := range src.Table.Key {
			out = append(out, &ir.Col{Row: src.Row, Col: src.Table.Columns[k].Name})
		}
	}
	return out
}

// Lockable gives the row variables that a clause about a source reaches.
func (s *RowSource) Lockable() []string {
	switch {
	case strings.HasPrefix(s.Alias, HiddenAlias): // reached through another one
		return nil
	case s.Table != nil && s.Row != "":
		return []string{s.Row}
	}
	return s.Reach
}
