package session

import (
	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Session is an interpretation that knows of the database: what is sent, in which
// transaction.
type Session struct {
	*memory.Memory
	Shared  *Analysis
	Control Control
	// Trace, if not nil, is what is written instead of one transaction; alone says
	// that what is sent through a handle that may be a transaction is in none.
	Trace *Trace
	Alone bool
	// Wide says that a trace has what goroutines do, and functions that the program gives to unknown ones,
	// and calls of a function within itself.
	Wide bool
	// amid says that a transaction of the trace has begun, and none been committed since.
	amid bool
	Root *ssa.Function
	// alternatives are the texts of statements that may have one of several.
	alternatives map[*client.Query]alternative
	Result       *Findings
	Begun        bool // the transaction of the site has begun somewhere
	// beginCtx is the context that it begins with, nil for none, beginFrame the frame that calls.
	beginCtx   memory.Value
	beginFrame *memory.Frame
	// ends are contexts that may end before the transaction does, outlived those of statements that
	// the context of the begin does not outlive.
	ends []ended
	// mayEnd are the variables that say where one ends.
	mayEnd []string
	// calling is the call of a library that is modelled; a statement of it is not sent where notSent holds,
	// nil for never.
	calling  *Invocation
	notSent  client.Expr
	outlived []memory.Value
	// Again says that something was found that an interpretation has to know from its beginning: it is
	// to be done again.
	Again bool
	// Failing says that what the transaction sends may fail, too: what is looked for is what attempts
	// change that fail.
	Failing bool
	// Begins is how many transactions the trace has begun, Round the name of an earlier round of a loop
	// that is written, of which there were Rounds.
	Begins, Rounds int
	Round          string
	// onConn says that it begins on a connection that the program has.
	onConn bool
	// Levels are the isolation levels one of which is asked for, and AnyLevel says that it is
	// not known which.
	Levels   []string
	AnyLevel bool
	points   int
	// Saves says that a savepoint was set, connNoted that there is a note about the
	// connection of prepared statements.
	Saves, connNoted bool
	// BeginPos is where the transaction begins.
	BeginPos ir.Pos
	// results are the constants that the function returns after each commit.
	results map[*client.Commit][]string
	// unkept has the commit that stands for a rollback where nothing commits.
	unkept map[*client.Rollback]*client.Commit
	// RowsLoops are the loops that call Next.
	RowsLoops map[*client.Loop]*memory.Rows
	// Unordered are cells of a library to which a loop adds: it is not known what they have, nor in which order.
	Unordered map[*memory.Cell]bool
}

// Control runs functions of the program where a library calls them.
type Control interface {
	// CallFunction calls a function that is known.
	CallFunction(inv *Invocation, fn *memory.Closure) memory.Value
	// EnterFunction interprets the body of a function if that tells more than the
	// call itself.
	EnterFunction(inv *Invocation, f *ssa.Function, free []memory.Value) memory.Value
	// LeavesAfterError reports whether the functions around a call that fails return, up to the one that
	// begins the transaction, and give errors.
	LeavesAfterError(inv *Invocation) bool
	// Panics ends the functions around as a panic does.
	Panics()
	// Next goes to the next row of a query.
	Next(inv *Invocation, r *memory.Rows) memory.Value
}

// New makes the session of an interpretation of a function.
func New(a *Analysis, m *memory.Memory, root *ssa.Function, res *Findings) *Session {
	m.Untraced = UntracedPath(a.P, root)
	return &Session{Memory: m, Shared: a, Root: root, Result: res, alternatives: map[*client.Query]alternative{},
		RowsLoops: map[*client.Loop]*memory.Rows{}, Unordered: map[*memory.Cell]bool{}, results: map[*client.Commit][]string{}, unkept: map[*client.Rollback]*client.Commit{}}
}
