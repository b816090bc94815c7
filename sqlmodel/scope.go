package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// variable is a variable or parameter: a local, or (fields) a record with one
// local per field.
type variable struct {
	name  string
	local string
	// bound, if not nil, is the expression that a parameter stands for.
	bound ir.Expr
	t     schema.Type
	// nn says that it is never NULL, given that it is a value of a client program.
	nn, given bool
	// fields is the record's shape; a row variable (fixed) has that of a table
	// or composite type, any other that of what was assigned last.
	isRecord bool
	// domain is that of its type, nil if it is none.
	domain *schema.UserType
	fixed  bool
	fields []field
	// all are the fields that a variable of type record ever held; lost says
	// that it may hold others.
	all  []field
	lost bool
	// cursor, if not nil, is what the variable is bound to.
	cursor *cursor
}

// field is a field of a record variable.
type field struct {
	name  string
	local string
	t     schema.Type
	// domain is that of its type, nil if it is none; within are all in it.
	domain *schema.UserType
	within []*schema.UserType
	// bound, if not nil, is the expression that the field of a parameter stands for, which nn
	// says is never NULL.
	bound ir.Expr
	nn    bool
}

// col is the field as a column.
func (f *field) col() colDef {
	if f.bound != nil {
		return colDef{name: f.name, e: f.bound, t: f.t, nn: f.nn}
	}
	return colDef{name: f.name, e: ir.V(f.local), t: f.t}
}

func (v *variable) field(name string) *field {
	for i := range v.fields {
		if v.fields[i].name == name {
			return &v.fields[i]
		}
	}
	return v.held(name)
}

// held finds a field that a record held before.
func (v *variable) held(name string) *field {
	for i := range v.all {
		if v.all[i].name == name {
			return &v.all[i]
		}
	}
	return nil
}

// scope is the variables of a block.
type scope struct {
	label  string
	vars   map[string]*variable
	parent *scope
}

// find resolves a name of one to three parts to a variable, and its field if
// the name goes that far.
func (s *scope) find(parts []string) (*variable, *field) {
	for ; s != nil; s = s.parent {
		if v := s.vars[parts[0]]; v != nil {
			switch {
			case len(parts) == 1:
				return v, nil
			case len(parts) == 2 && v.isRecord:
				return v, v.field(parts[1])
			}
		}
		if len(parts) > 1 && s.label == parts[0] && s.label != "" {
			if v := s.vars[parts[1]]; v != nil {
				switch {
				case len(parts) == 2:
					return v, nil
				case len(parts) == 3 && v.isRecord:
					return v, v.field(parts[2])
				}
			}
		}
	}
	return nil, nil
}

// known reports whether a variable of that name is in scope.
func (s *scope) known(name string) bool {
	v, _ := s.find([]string{name})
	return v != nil
}

// colDef is a column that a query can name: the expression that it stands for.
type colDef struct {
	name string
	e    ir.Expr
	t    schema.Type
	nn   bool // never NULL
	// of is the column that the value is stored in, nil if it is computed.
	of *schema.Column
}

func (c colDef) val() val { return val{e: c.e, t: c.t, nn: c.nn} }

// rowSource is an item of a FROM list: a table under its alias, or values
// that are known already.
type rowSource struct {
	alias string
	row   string // the IR's row variable, or ""
	table *schema.Table
	cols  []colDef
	// hidden columns are found by their qualified name only (the right-hand
	// copies of JOIN … USING).
	hidden map[string]bool
	// reach are the row variables that a lock of the source reaches, where it is a query,
	// and apart the queries in it that lock their rows before they are joined.
	// unlockable says what it is if it cannot be locked.
	reach      []string
	apart      []*innerLocks
	unlockable string
}

func (r *rowSource) col(name string) *colDef {
	for i := range r.cols {
		if r.cols[i].name == name {
			return &r.cols[i]
		}
	}
	return nil
}

// level is the sources of one query. used says that a query inside of it
// refers to them.
type level struct {
	sources []*rowSource
	used    bool
}

// tableSource makes the source of a table.
func tableSource(t *schema.Table, alias, row string) *rowSource {
	s := &rowSource{alias: alias, row: row, table: t}
	for _, c := range t.Columns {
		s.cols = append(s.cols, colDef{name: c.Name, e: &ir.Col{Row: row, Col: c.Name}, t: c.T, nn: c.NotNull, of: c})
	}
	return s
}

func (s *rowSource) irSource() ir.Source { return ir.Source{Table: s.table.IR, Row: s.row} }
