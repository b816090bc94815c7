package witness

import "fmt"

// Plan is the execution of a witness as clients of a database can run it: what is
// sent in which order, and what is to come back. The serial orders of the same
// transactions follow. It holds text only, so that whoever runs it needs to know
// nothing of programs. Its JSON is the file replay.json of a witness folder.
type Plan struct {
	// NotRun, if not "", says why clients cannot run it. The rest is empty then.
	NotRun string `json:"not_run,omitempty"`
	// Dialect is Postgres or MySQL.
	Dialect string `json:"dialect"`
	// Level is the isolation level of all transactions, in the words of SQL.
	Level string `json:"level"`
	// Schema makes the tables and functions, in order.
	Schema []Declaration `json:"schema"`
	// Setup is SQL that makes the rows to start with the only ones.
	Setup []string `json:"setup"`
	// Tables are those whose rows are compared at the end.
	Tables []PlanTable `json:"tables"`
	// Execution is that of the witness.
	Execution Run `json:"execution"`
	// Serial are serial orders, with what the transactions are to do then: all of them,
	// or MaxSerial. An order may be there several times, where the database may choose.
	Serial []Run `json:"serial"`
	// Orders is how many serial orders there are. It is 0 where the outcome may be that
	// of a serial order (Witness.Classic).
	Orders int `json:"orders"`
	// Depends names what the database chooses or computes in a way that is not known, and
	// on which the values of the witness depend.
	Depends []string `json:"depends,omitempty"`
}

// DialectOr is the dialect, or another one for a plan that cannot be run.
func (p *Plan) DialectOr(other string) string {
	if p.Dialect == "" {
		return other
	}
	return p.Dialect
}

// The dialects of a Plan.
const (
	Postgres = "postgres"
	MySQL    = "mysql"
)

// MaxSerial bounds the serial orders of a Plan: those of four transactions.
const MaxSerial = 24

// Declaration is a statement of the schema. Optional says that nothing depends on it.
type Declaration struct {
	Position Position `json:"position"`
	SQL      string   `json:"sql"`
	Optional bool     `json:"optional,omitempty"`
}

// PlanTable is a table with the columns that are compared.
type PlanTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// Run is one execution of the transactions of a Plan.
type Run struct {
	// Order gives the labels of the transactions in the order of their commits.
	Order []string `json:"order"`
	Steps []Step   `json:"steps"`
	// Final are the rows at the end, by the number of the table in Plan.Tables. It is nil
	// where a transaction does not commit.
	Final [][][]Cell `json:"final"`
	// Stops, if not "", says why the last transaction of Order does not commit.
	Stops string `json:"stops,omitempty"`
}

// StepKind is what a session does in a step.
type StepKind string

const (
	StepBegin StepKind = "begin"
	// StepSnapshot takes the snapshot by a query that does nothing else.
	StepSnapshot StepKind = "snapshot"
	StepCommand  StepKind = "command"
	StepCommit   StepKind = "commit"
	StepRollback StepKind = "rollback"
)

// Step is something that one session does.
type Step struct {
	// Transaction is a label, Session the number of a session.
	Transaction string   `json:"transaction"`
	Session     int      `json:"session"`
	Kind        StepKind `json:"kind"`
	Command     *Command `json:"command,omitempty"`
}

// Command is what a client sends, and what is to come back.
type Command struct {
	Position Position `json:"position"`
	// Text is the command in parts: between two of them stands an argument.
	Text []string `json:"text"`
	Args []Arg    `json:"args"`
	Want Want     `json:"want"`
	// Columns are the names of what comes back, if they are known.
	Columns []string `json:"columns,omitempty"`
}

// Arg is a value that a command is sent with.
type Arg struct {
	// Number is that of a parameter, from 1, or 0 for a constant in the text.
	Number int `json:"number,omitempty"`
	// SQL is the value as a constant.
	SQL string `json:"sql"`
	// Value is the value. A Fresh one is replaced by what the server has given for it.
	Value Cell `json:"value"`
}

// Want is what a command is to do. What the model does not tell is left open.
type Want struct {
	// Rows are what comes back, nil if that is not known; Exact says that these are all
	// of them. Cells that are nil may have any value. The order does not count.
	Rows  [][]*Cell `json:"rows"`
	Exact bool      `json:"exact,omitempty"`
	// Count is the number of rows that are changed or come back, or nil.
	Count *int `json:"count,omitempty"`
	// MayFail says that the command may fail: the transaction does not commit.
	MayFail bool `json:"may_fail,omitempty"`
}

// Cell is a value with what has to be known to compare it with one of a server.
type Cell struct {
	// Kind is a kind of package ir, such as "int" or "null".
	Kind string `json:"kind"`
	// Text is the value as text: integers and numerics in decimals (or as a fraction),
	// truth values as true or false, points in time in UTC.
	Text string   `json:"text"`
	Soft Softness `json:"soft,omitempty"`
}

// Softness says how far the value of a server may be another one than that of the
// model.
type Softness string

const (
	// Hard: it is the same value.
	Hard Softness = ""
	// Fresh: it is another one, but a different one for each value.
	Fresh Softness = "fresh"
	// Computed: it is another one, the same wherever this one stands.
	Computed Softness = "computed"
	// Any: it is any value, such as the time.
	Any Softness = "any"
)

// check reports an error where the plan, which was read from the file at path, does
// not hold together.
func (p *Plan) check(path string) error {
	if p.Dialect != Postgres && p.Dialect != MySQL {
		return fmt.Errorf("%s: dialect must be %s or %s, but is %q", path, Postgres, MySQL, p.Dialect)
	}
	runs := []*Run{&p.Execution}
	for i := range p.Serial {
		runs = append(runs, &p.Serial[i])
	}
	for _, r := range runs {
		if r.Stops == "" && len(r.Final) != len(p.Tables) {
			return fmt.Errorf("%s: an execution has rows of %d tables, but there are %d", path, len(r.Final), len(p.Tables))
		}
		for _, s := range r.Steps {
			if (s.Kind == StepCommand) != (s.Command != nil) {
				return fmt.Errorf("%s: a step of kind %q must have a command exactly if it is one", path, s.Kind)
			}
			if c := s.Command; c != nil && len(c.Text) != len(c.Args)+1 {
				return fmt.Errorf("%s: a command has %d parts for %d values", path, len(c.Text), len(c.Args))
			}
		}
	}
	return nil
}
