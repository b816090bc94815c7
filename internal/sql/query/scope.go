package query

import (
	"strconv"

	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
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
	// reach are the row variables that a lock of the source reaches, where it is a query,
	// and apart the queries in it that lock their rows before they are joined.
	// unlockable says what it is if it cannot be locked.
	reach      []string
	apart      []any
	unlockable string
}

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
	used    bool
}

// TableSource makes the source of a table.
func TableSource(t *schema.Table, alias, row string) *RowSource {
	s := &RowSource{Alias: alias, Row: row, Table: t}
	for _, c := range t.Columns {
		s.Cols = append(s.Cols, Column{Name: c.Name, Expr: &ir.Col{Row: row, Col: c.Name}, Type: c.T, NotNull: c.NotNull, Of: c})
	}
	return s
}

func (s *RowSource) IrSource() ir.Source { return ir.Source{Table: s.Table.IR, Row: s.Row} }

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
