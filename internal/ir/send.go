package ir

// Send says that the client sends a command to the database at this place. It does
// nothing by itself: the statements of the template that follow, up to the next Send,
// are what the command does. A function of the database is one command, its call. The
// text form does not have it. An execution is told by it to a real server, and the proof at
// READ COMMITTED sees from it what an UPDATE returns of the newest row.
type Send struct {
	At
	// Text is the command in parts, in the language of the database: between two of
	// them stands the value of an arg. Unknown, if not "", says why it is not known.
	Text    []string
	Args    []SendArg
	Unknown string
	// Apart says that the command takes no snapshot, and Reads that it only reads,
	// without locks, so that it may run as early as the snapshot is taken.
	Apart, Reads bool
	// Result says what the client gets, and Columns are the names of what comes back,
	// if they are known.
	Result  Result
	Columns []string
	// Into are the locals that hold the columns of the row that comes back, "" for a
	// column of which nothing is known. With Each, the loop that follows sets them for
	// each row. Found is the local that says whether there is a row, and Count the one
	// with the number of rows, "" if there is none.
	Into         []string
	Each         bool
	Found, Count string
	// Table and Verb tell the rows of the trace that the command itself writes, nil
	// where that is not known, since triggers write as well.
	Table *Table
	Verb  Verb
}

// SendArg is a value that a command is sent with.
type SendArg struct {
	// Expr gives the value when the command is sent; nil if it is not known then. Set,
	// if not "", is the local to which the command itself gives the value first.
	Expr Expr
	Set  string
	// Number is that of the parameter, from 1. It is 0 for a value that the client
	// writes into the text: between quotes if it is Quoted.
	Number int
	Quoted bool
	// Type is the name of its type in the database, "" if that is not known.
	Type string
}

// Result is what a client gets from a command.
type Result uint8

const (
	// NoResult: whatever comes back is dropped, or is said by Send.Into and the like.
	NoResult Result = iota
	// Rows: the client sees all rows, which the statements of the command emit.
	Rows
	// Counted: it sees the number of rows, which a statement of the command emits.
	Counted
	// Nothing: rows may come back that mean nothing, such as the one of a function
	// that returns void.
	Nothing
)

// Verb is what a command does to rows.
type Verb uint8

const (
	NoVerb Verb = iota
	Inserts
	Updates
	Deletes
)

// CallOf gives the command by which a client runs the template, if it is a function of
// the database.
func CallOf(t *Txn) *Send {
	if t.Script || len(t.Body) == 0 {
		return nil
	}
	s, _ := t.Body[0].(*Send)
	return s
}
