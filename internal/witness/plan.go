package witness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
	// Newest says that writes take the newest rows, also where the snapshot has others:
	// MariaDB is told so (innodb_snapshot_isolation).
	Newest bool `json:"newest,omitempty"`
	// Levels are those of single transactions of the execution that run at another one,
	// by their labels.
	Levels map[string]string `json:"levels,omitempty"`
	// Schema makes the tables and functions, in order.
	Schema []Declaration `json:"schema"`
	// Session is what each session runs first, that of the setup included.
	Session []string `json:"session,omitempty"`
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

// LevelOf gives the isolation level of a transaction of the execution.
func (p *Plan) LevelOf(label string) string {
	if l, ok := p.Levels[label]; ok {
		return l
	}
	return p.Level
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
	// Shown are values that clients show without the help of the database, in order.
	Shown []Shown `json:"shown,omitempty"`
	// Stops, if not "", says why the last transaction of Order does not commit.
	Stops string `json:"stops,omitempty"`
}

// Shown is a row of values that the client of a transaction shows.
type Shown struct {
	Transaction string `json:"transaction"`
	Values      []Cell `json:"values"`
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
	// Waits says that the command waits for the transaction that commits next, and is answered then.
	Waits bool `json:"waits,omitempty"`
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
	// Shown says that the client shows what comes back: it is a part of the outcome.
	Shown bool `json:"shown,omitempty"`
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
	// Of is what gives a Fresh value: values of different sequences may be equal.
	Of string `json:"of,omitempty"`
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

// Check reports an error where the plan does not hold together.
func (p *Plan) Check() error {
	if p.NotRun != "" {
		return nil
	}
	if p.Dialect != Postgres && p.Dialect != MySQL {
		return fmt.Errorf("dialect must be %s or %s, but is %q", Postgres, MySQL, p.Dialect)
	}
	if err := p.checkRun(&p.Execution); err != nil {
		return err
	}
	for i := range p.Serial {
		r := &p.Serial[i]
		if err := p.checkRun(r); err != nil {
			return err
		}
		if !r.serial() {
			return fmt.Errorf("the transactions of the serial order %s must come one after the other, each once", strings.Join(r.Order, ", "))
		}
	}
	return nil
}

func (p *Plan) checkRun(r *Run) error {
	if r.Stops == "" && len(r.Final) != len(p.Tables) {
		return fmt.Errorf("an execution has rows of %d tables, but there are %d", len(r.Final), len(p.Tables))
	}
	if len(r.Order) == 0 {
		return errors.New("an execution has no transactions")
	}
	for _, s := range r.Steps {
		if (s.Kind == StepCommand) != (s.Command != nil) {
			return fmt.Errorf("a step of kind %q must have a command exactly if it is one", s.Kind)
		}
		if c := s.Command; c != nil && len(c.Text) != len(c.Args)+1 {
			return fmt.Errorf("a command has %d parts for %d values", len(c.Text), len(c.Args))
		}
	}
	return nil
}

// serial reports whether the transactions run one after the other, in their order.
func (r *Run) serial() bool {
	var order []string
	for _, s := range r.Steps {
		if n := len(order); n == 0 || order[n-1] != s.Transaction {
			order = append(order, s.Transaction)
		}
	}
	return slices.Equal(order, r.Order)
}
