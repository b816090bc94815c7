package ir

import (
	"math/big"
	"slices"
	"strconv"
)

// Program is what is analysed: tables, transactions and sessions.
//
// When Processes is empty, any number of sessions run any of Txns in any
// order (an application). Otherwise exactly the processes run (a litmus
// program), and Txns lists their transactions in order of appearance.
type Program struct {
	Name       string
	Tables     []*Table
	Txns       []*Txn
	Processes  []*Process
	Invariants []*Invariant
	// Notes are the parts of the source that were left out, such as a kind of
	// constraint that is not modelled. They are reported, not analysed.
	Notes []Note
	// Premises are what the front end takes for granted of the database and its
	// clients, with a place where it mattered. The text form does not have them.
	Premises []Note
	// Ignores are the findings that the source accepts. The text form does not have
	// them.
	Ignores []*Ignore
	// Schema is what makes the tables, in order, and MySQL says that it and the commands
	// of the templates are in the dialect of MySQL. The text form does not have them.
	Schema []Declaration
	MySQL  bool
	// SearchPath is the schemas in which the SQL of sessions looks for names without one,
	// nil if the program does not come from SQL. The text form does not have it.
	SearchPath []string
	// Domain bounds the integers: havoc and parameters range over it, and a
	// transaction that computes a value outside of it blocks. Nil is
	// unbounded.
	Domain *Range
}

// Note is a remark on the source.
type Note struct {
	Pos  Pos
	Text string
}

// Range is the integers Lo..Hi, both included.
type Range struct{ Lo, Hi int64 }

// Has reports whether i is one of them.
func (r *Range) Has(i int64) bool { return i >= r.Lo && i <= r.Hi }

// Any is the number of copies of a process that may be any number.
const Any = -1

// Process is a session with a fixed sequence of transactions. Copies is how
// many such sessions there are, or Any.
type Process struct {
	Pos    Pos
	Name   string
	Copies int
	Txns   []*Txn
}

// Table is a table, or (Var) a shared variable: a table with one row, one
// column and no key.
type Table struct {
	Pos  Pos
	Name string
	// Qualified is the name with its schema, "" if Name alone is what SQL calls it. The text form does not have it.
	Qualified string
	Columns   []Column
	// Key lists the columns of the primary key. A Var has none.
	Key []int
	// Rowid says that the key is the hidden first column "rowid", which every
	// insertion fills with a FRESH value: a table without a primary key.
	Rowid      bool
	Uniques    []Unique
	Exclusions []Exclusion
	// Late are those that are checked at the commit: states between transactions satisfy
	// them, and statements that may break them are not modelled. The text form does not
	// have them.
	Late        []Exclusion
	ForeignKeys []ForeignKey
	Checks      []TableCheck
	// Rows are the initial rows, each a value per column.
	Rows [][]Value
	Var  bool
	// Mutex says that a Var is a mutex of the client program, and no part of the
	// database: each transaction writes it first around which it is held, so that two
	// such transactions are never concurrent. The text form does not have it.
	Mutex bool
}

// Column is a column of a table.
type Column struct {
	Name    string
	Type    Type
	NotNull bool
	// Domain, if not nil, is the values that the column can have: a write of another
	// one ends the transaction.
	Domain Domain
	// Generated, if not nil, is what the value always is: an expression over the
	// row, whose row variable is the table's name. Every write gives it, and a
	// TableCheck says that it is so.
	Generated Expr
	// Hidden says that it is no column of the real table: an expression that a
	// unique index is over.
	Hidden bool
	// Indexed says that an index that is no key is over it, for engines to which that
	// matters (engine.Profile.Skips). The text form does not have it.
	Indexed bool
}

// Unique is a uniqueness constraint apart from the primary key. NULLs are
// distinct. Where, if not nil, restricts it to some rows (a partial index);
// its row variable is the table's name.
type Unique struct {
	Pos     Pos
	Name    string
	Columns []int
	Where   Expr
}

// ForeignKey says that Columns, where none is NULL, name a row of Ref by its
// RefColumns, which are the primary key or a unique key of Ref. Updates that
// would break it fail, and so do deletions, unless OnDelete says what becomes of
// the rows that they orphan: then a Cascade follows each deletion. OnUpdate says
// so for rows of Ref that get another key, where RefColumns are the primary key:
// then a Cascade follows each Insert with Moved that lists one of them.
type ForeignKey struct {
	Pos        Pos
	Name       string
	Columns    []int
	Ref        *Table
	RefColumns []int
	OnDelete   Action
	OnUpdate   Action
}

// Action is what a foreign key does to the rows that a deletion or a change of
// key orphans.
type Action uint8

const (
	NoAction Action = iota
	// CascadeDelete deletes them, for OnDelete.
	CascadeDelete
	SetNull
	// SetDefault gives them another parent: that of Cascade.Values.
	SetDefault
	// CascadeUpdate gives them the new key, for OnUpdate.
	CascadeUpdate
)

func (a Action) String() string {
	return [...]string{"no action", "cascade", "set null", "set default", "cascade"}[a]
}

// OnMove is what becomes of the rows that refer to a row when the columns of an
// Insert with Moved change.
func (f *ForeignKey) OnMove(moved []int) Action {
	for _, c := range f.RefColumns {
		if slices.Contains(moved, c) {
			return f.OnUpdate
		}
	}
	return NoAction
}

// TableCheck is a CHECK constraint: Expr, over the row variable named like
// the table, must not be false.
type TableCheck struct {
	Pos  Pos
	Name string
	Expr Expr
}

// Column index by name, or -1.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// RefersTo reports whether a foreign key of the table refers to another one.
func (t *Table) RefersTo(parent *Table) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(fk ForeignKey) bool { return fk.Ref == parent })
}

// Stated reports whether an invariant is about rows of the table.
func (t *Table) Stated(inv *Invariant) bool {
	return slices.ContainsFunc(inv.From, func(s Source) bool { return s.Table == t })
}

// Mask marks some columns of the table; nil is none.
func (t *Table) Mask(cols []int) []bool {
	if len(cols) == 0 {
		return nil
	}
	out := make([]bool, len(t.Columns))
	for _, c := range cols {
		out[c] = true
	}
	return out
}

// IsKey reports whether column c belongs to the primary key.
func (t *Table) IsKey(c int) bool {
	for _, k := range t.Key {
		if k == c {
			return true
		}
	}
	return false
}

// Invariant is a fact about all rows: Expr is not false for any choice of
// rows of From. A stated one must be inductive; it is checked, not believed.
type Invariant struct {
	Pos  Pos
	From []Source
	Expr Expr
}

// Txn is a transaction template.
type Txn struct {
	Pos    Pos
	Name   string
	Params []Param
	Locals []Local
	Body   []Stmt
	// Labelled is the body in the labelled form of CAV'19 figure 6; Body is
	// nil then, until Structure has run.
	Labelled []Instr
	// Level is the isolation level found in the source, or "". Where it may be one of several, it
	// is the lowest, and Above has the others. The text form does not have these.
	Level string
	Above []string
	// Script says that a client sends the statements one by one (Send): there is no
	// function or procedure to call. The text form does not have it.
	Script bool
	// Subtransactions says that parts of it run in subtransactions, even where no Savepoint
	// is left. The text form does not have it.
	Subtransactions bool
	// Within tells of snapshots of queries in VOLATILE functions (At.Snap) which run of a function each is of, by its number,
	// and the snapshot of the query that has called the function, or of the statement around. Statements of which both are the
	// same come one after the other, in the order of their snapshots, but for those of loops. The text form does not have it.
	Within map[int][2]int
	// SearchPath is that of the sessions that run it, nil if it is the one of the program. The
	// text form does not have it.
	SearchPath []string
	// CalledBy are the transactions and functions that call it, if it is a function that
	// clients may call by itself, too. The text form does not have it.
	CalledBy []string
}

// Param is a parameter of a template: any value of its type, NULL included
// unless NotNull. A Fresh parameter is unique per call.
type Param struct {
	Name    string
	Type    Type
	Fresh   bool
	NotNull bool
	// Domain, if not nil, is the values that the parameter can have.
	Domain Domain
}

// Local is a local variable. A Kept one is a register of the paper: it starts
// at zero, keeps its value from transaction to transaction of its process,
// and its value at commit is observed. Others start at NULL and are
// observed only where they reach an Emit, a write or a condition.
type Local struct {
	Name string
	Type Type
	Kept bool
	// Domain, if not nil, is the values that the local can have: an assignment of
	// another one ends the transaction.
	Domain Domain
}

// Instr is a labelled instruction: Stmt is executed at Label, then control
// goes to one of Goto. Several instructions with one label are a choice.
// A nil Stmt does nothing. Control at a label without an instruction ends
// the transaction.
type Instr struct {
	Pos   Pos
	Label string
	Stmt  Stmt
	Goto  string
}

// LocalType gives the type of a parameter or local.
func (t *Txn) LocalType(name string) (Type, bool) {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return t.Params[i].Type, true
		}
	}
	for i := range t.Locals {
		if t.Locals[i].Name == name {
			return t.Locals[i].Type, true
		}
	}
	return Type{}, false
}

// LocalDomain gives the domain of a parameter or local, or nil.
func (t *Txn) LocalDomain(name string) Domain {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return t.Params[i].Domain
		}
	}
	for i := range t.Locals {
		if t.Locals[i].Name == name {
			return t.Locals[i].Domain
		}
	}
	return nil
}

// AddLocal declares a local and returns its name, which is base or base with
// a number where that is taken.
func (t *Txn) AddLocal(base string, typ Type) string {
	name := base
	for i := 1; ; i++ {
		if _, taken := t.LocalType(name); !taken {
			break
		}
		name = base + "_" + strconv.Itoa(i)
	}
	t.Locals = append(t.Locals, Local{Name: name, Type: typ})
	return name
}

// Table by name, or nil.
func (p *Program) Table(name string) *Table {
	for _, t := range p.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Txn by name, or nil.
func (p *Program) Txn(name string) *Txn {
	for _, t := range p.Txns {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// TableIndex gives the position of t in p.Tables; it panics for a stranger.
func (p *Program) TableIndex(t *Table) int {
	for i, u := range p.Tables {
		if u == t {
			return i
		}
	}
	panic("ir: table " + t.Name + " is not in program " + p.Name)
}

// Zero is the value that a register or a variable of type t starts with.
func (t Type) Zero() Value {
	switch t.Kind {
	case KindInt, KindBool, KindTime, KindText, KindOpaque:
		return Value{Kind: t.Kind}
	case KindNum:
		return Num(new(big.Rat))
	case KindArray:
		return Array(nil)
	}
	return Null
}
