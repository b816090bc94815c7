package witness

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// Kind is the name of an anomaly.
type Kind string

const (
	// WriteSkew: two transactions read what the other writes.
	WriteSkew Kind = "write-skew"
	// PhantomWriteSkew is a write skew in which one reads by a predicate and
	// the other changes which rows match.
	PhantomWriteSkew Kind = "phantom-write-skew"
	// LostUpdate: both write a row that one of them had read before the other
	// wrote it.
	LostUpdate Kind = "lost-update"
	// ReadOnlyAnomaly: three transactions, the last of which only reads.
	ReadOnlyAnomaly Kind = "read-only-anomaly"
	// LongCycle is every other cycle of three transactions and more.
	LongCycle Kind = "long-cycle"
	// LongFork is a cycle of which no two RW follow each other, nor an RW a WW: two readers
	// disagree about which of two writers came first.
	LongFork Kind = "long-fork"
	// NonRepeatableRead: at READ COMMITTED, a transaction reads a row twice, and
	// another one changes it in between.
	NonRepeatableRead Kind = "non-repeatable-read"
	// PhantomRead is the same for the rows that match a condition.
	PhantomRead Kind = "phantom-read"
	// ReadSkew: at READ COMMITTED, a transaction reads a row before another one
	// writes it, and something else after that one has written it.
	ReadSkew Kind = "read-skew"
	// Other is an outcome of no serial order that has no name of its own.
	Other Kind = "other"
)

// Witness is an execution at a weak level without a serial equivalent. It is
// what witness.json holds; the names of the JSON are stable.
type Witness struct {
	Kind Kind `json:"kind"`
	// Isolation and Engine say what the execution ran on: "si", "rc", InnoDB, or "psi", "pc" or
	// "cc" of package weak, and a name of package engine.
	Isolation string `json:"isolation"`
	Engine    string `json:"engine"`
	// Rows are the rows to start with; empty tables are left out.
	Rows []TableRows `json:"rows"`
	// Setup is SQL that makes Rows the only rows of the tables, in a database that has
	// them. It is empty for programs without SQL.
	Setup []string `json:"setup,omitempty"`
	// Plan is the execution as clients of a database can run it. It is nil for a Witness
	// that was not built.
	Plan *Plan `json:"-"`
	// Transactions are in the order of their first events, which is the order
	// of their labels.
	Transactions []Transaction `json:"transactions"`
	// Schedule is all events in the order in which they happen.
	Schedule []Event `json:"schedule"`
	// Play is the same with the rows at each event. It is nil for a Witness that was not
	// built.
	Play *Play `json:"-"`
	// Cycle is the cycle of dependencies, starting with the delayed
	// transaction. It is empty where no single cycle explains the outcome.
	Cycle []Edge `json:"cycle"`
	// Final are the rows at the end.
	Final []TableRows `json:"final"`
	// Serial says for the serial orders what would have been different.
	Serial []SerialOrder `json:"serial"`
	// Orders is the number of serial orders that were compared, which may be
	// more than are listed in Serial.
	Orders int `json:"orders"`
	// Classic says that the dependencies were judged, whatever the values: the
	// outcome may be that of a serial order.
	Classic bool `json:"classic,omitempty"`
}

// TableRows are rows of a table, with the columns that a client can see.
type TableRows struct {
	Table   string    `json:"table"`
	Columns []string  `json:"columns"`
	Rows    [][]Value `json:"rows"`
	// Variable says that the table is a shared variable.
	Variable bool `json:"variable,omitempty"`
	// Keys tell the rows apart: versions of one row have the same.
	Keys    []string    `json:"-"`
	domains []ir.Domain // of the columns
}

// Shown gives a row as people read it.
func (t *TableRows) Shown(row []Value) []string {
	out := make([]string, len(row))
	for i, v := range row {
		var d ir.Domain
		if i < len(t.domains) {
			d = t.domains[i]
		}
		out[i] = Readable(d, v.Value)
	}
	return out
}

// Transaction is one execution of a template.
type Transaction struct {
	// Label is A, B, … in the order of first events.
	Label string `json:"label"`
	Name  string `json:"name"`
	// Position is where the template is declared.
	Position Position `json:"position"`
	Session  int      `json:"session"`
	// Level is the isolation level that it runs at, in the words of SQL, where that was
	// asked about for each transaction.
	Level  string  `json:"level,omitempty"`
	Params []Named `json:"params"`
	// Havocs are the values that neither parameters nor rows determine, such
	// as random(), in the order of their use.
	Havocs []Named `json:"havocs,omitempty"`
	// Snapshot is how many of the transactions had committed when it took its
	// snapshot, Commit the number of its own commit, from 0. In a model of package weak the
	// commits are numbered in the order of arbitration, and Sees has the labels of the
	// transactions that it sees.
	Snapshot int      `json:"snapshot"`
	Sees     []string `json:"sees,omitempty"`
	Commit   int      `json:"commit"`
	// Call is the SQL that runs it, for functions of a database, and Commands what the
	// client sends from BEGIN to COMMIT otherwise, if that is known.
	Call     string   `json:"call,omitempty"`
	Commands []string `json:"commands,omitempty"`
}

// Named is a value with a name.
type Named struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
	// Of says what of the database chooses it, such as "random()", or is "".
	Of     string `json:"of,omitempty"`
	domain ir.Domain
}

// Shown gives the value as people read it.
func (n *Named) Shown() string { return Readable(n.domain, n.Value.Value) }

// Position is a place in a source file.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

func position(p ir.Pos) Position { return Position{p.File, p.Line, p.Col} }

// String is file:line.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Short is a position without folders.
func (p Position) Short() string {
	p.File = filepath.Base(p.File)
	return p.String()
}

// EventKind is what happens in an event.
type EventKind string

const (
	Begin    EventKind = "begin" // the snapshot is taken
	Read     EventKind = "read"
	Write    EventKind = "write"
	Return   EventKind = "return" // values reach the client
	CommitIt EventKind = "commit"
	Wait     EventKind = "wait" // for a lock of another transaction
	// Rollback ends a transaction that does not commit, in a serial order.
	Rollback EventKind = "rollback"
)

// Event is one event of one transaction.
type Event struct {
	// Transaction is a label.
	Transaction string    `json:"transaction"`
	Kind        EventKind `json:"kind"`
	Table       string    `json:"table,omitempty"`
	// Text says what happens, with values.
	Text string `json:"text"`
	// Now says how the newest committed state differs from what is read, or
	// is "".
	Now      string   `json:"now,omitempty"`
	Position Position `json:"position"`
}

// Edge is a dependency: From comes before To in every equivalent serial order.
type Edge struct {
	From string `json:"from"` // labels
	To   string `json:"to"`
	// FromName and ToName are the names of the templates.
	FromName string `json:"from_name"`
	ToName   string `json:"to_name"`
	// Type is RW, WR, WW, SO (session order), or CO: To needs a key or a
	// reference that From freed or made, which a constraint checks.
	Type    string   `json:"type"`
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// FromPosition and ToPosition are those of the two statements.
	FromPosition Position `json:"from_position"`
	ToPosition   Position `json:"to_position"`
	// Text is the dependency in words.
	Text string `json:"text"`
}

// SerialOrder is one serial order.
type SerialOrder struct {
	// Order gives labels.
	Order []string `json:"order"`
	// Differs says what is different from the execution.
	Differs []string `json:"differs"`
	// Play is what happens in this order. Only the first MaxSerial orders have one.
	Play *Play `json:"-"`
}

// Transaction by label, or nil.
func (w *Witness) Transaction(label string) *Transaction {
	for i := range w.Transactions {
		if w.Transactions[i].Label == label {
			return &w.Transactions[i]
		}
	}
	return nil
}

// Who names a transaction for prose: its template's name, with the label where
// several transactions have one name.
func (w *Witness) Who(label string) string {
	t := w.Transaction(label)
	for i := range w.Transactions {
		if o := &w.Transactions[i]; o.Name == t.Name && o.Label != label {
			return t.Name + " " + label
		}
	}
	return t.Name
}

// Invocation is the template's name with the values of its parameters.
func (t *Transaction) Invocation() string {
	s := t.Name + "("
	for i, p := range t.Params {
		if i > 0 {
			s += ", "
		}
		s += p.Shown()
	}
	return s + ")"
}

// Value is a value as SQL writes it. In JSON, NULL, truth values and integers
// are themselves, arrays are text like {1,2}, and every other value is a
// string: numerics in decimals (or as a fraction), points in time in UTC.
type Value struct{ ir.Value }

// String is the literal of SQL.
func (v Value) String() string {
	switch v.Kind {
	case ir.KindNull:
		return "NULL"
	case ir.KindInt, ir.KindBool:
		return v.text()
	case ir.KindNum:
		if _, exact := v.Rat().FloatPrec(); !exact {
			r := v.Rat()
			return "(" + r.Num().String() + "::numeric / " + r.Denom().String() + ")"
		}
		return v.text()
	}
	return quote.Literal(v.text())
}

// text is the value without quotes.
func (v Value) text() string {
	switch v.Kind {
	case ir.KindInt:
		return strconv.FormatInt(v.I, 10)
	case ir.KindBool:
		return strconv.FormatBool(v.I == 1)
	case ir.KindNum:
		r := v.Rat()
		if n, exact := r.FloatPrec(); exact {
			return r.FloatString(n)
		}
		return r.RatString()
	case ir.KindTime:
		return time.UnixMicro(v.I).UTC().Format("2006-01-02 15:04:05.999999+00")
	case ir.KindArray:
		return array(v.S)
	}
	return v.S
}

// array writes an array as PostgreSQL does. An ir.Value has the escapes of Go in its
// quoted elements.
func array(s string) string {
	var b strings.Builder
	for s != "" {
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		text, _ := strconv.Unquote(q)
		b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`)
		s = s[len(q):]
	}
	return b.String()
}

// MarshalJSON gives the form that the type's comment describes.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Kind {
	case ir.KindNull:
		return []byte("null"), nil
	case ir.KindInt:
		return strconv.AppendInt(nil, v.I, 10), nil
	case ir.KindBool:
		return strconv.AppendBool(nil, v.I == 1), nil
	}
	return json.Marshal(v.text())
}

func values(list []ir.Value) []Value {
	out := make([]Value, len(list))
	for i, v := range list {
		out[i] = Value{v}
	}
	return out
}
