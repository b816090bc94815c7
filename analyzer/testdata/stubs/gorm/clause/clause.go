// Package clause has the types of GORM's clauses that tests need.
package clause

const (
	PrimaryKey   string = "~~~py~~~"
	CurrentTable string = "~~~ct~~~"
	Associations string = "~~~as~~~"
)

type Builder interface{}

type Expression interface{ Build(builder Builder) }

type Column struct {
	Table, Name, Alias string
	Raw                bool
}

type Table struct {
	Name, Alias string
	Raw         bool
}

type Expr struct {
	SQL                string
	Vars               []interface{}
	WithoutParentheses bool
}

type Locking struct {
	Strength string
	Table    Table
	Options  string
}

type Where struct{ Exprs []Expression }

type Assignment struct {
	Column Column
	Value  interface{}
}

type Set []Assignment

type OnConflict struct {
	Columns      []Column
	Where        Where
	TargetWhere  Where
	OnConstraint string
	DoNothing    bool
	DoUpdates    Set
	UpdateAll    bool
}

type Returning struct{ Columns []Column }

type Eq struct {
	Column interface{}
	Value  interface{}
}

type Gt Eq

type IN struct {
	Column interface{}
	Values []interface{}
}

func (Expr) Build(builder Builder)       {}
func (Locking) Build(builder Builder)    {}
func (Set) Build(builder Builder)        {}
func (OnConflict) Build(builder Builder) {}
func (Returning) Build(builder Builder)  {}
func (Eq) Build(builder Builder)         {}
func (Gt) Build(builder Builder)         {}
func (IN) Build(builder Builder)         {}

func AssignmentColumns(values []string) Set         { return nil }
func Assignments(values map[string]interface{}) Set { return nil }

type OrderByColumn struct {
	Column  Column
	Desc    bool
	Reorder bool
}
