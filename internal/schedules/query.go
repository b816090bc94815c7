package schedules

import (
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// Init says which initial states are considered.
type Init uint8

const (
	// AnyRows is every state that satisfies the declared constraints and the
	// invariants.
	AnyRows Init = iota
	// NoRows is empty tables; shared variables have their initial values.
	NoRows
	// FileRows is the rows that the program declares.
	FileRows
)

func (i Init) String() string { return [...]string{"any", "empty", "file"}[i] }

// Query is what to search.
type Query struct {
	Program *ir.Program // structured
	Engine  *engine.Profile
	// Sessions are the instances to use: each session runs the templates of
	// its list one after another.
	Sessions [][]*ir.Txn
	// Expected are the orders of snapshots and commits that are likely to show
	// the anomaly, the likeliest first.
	Expected []Order
	Options  Options
}

// Options bound and direct Find. A zero value stands for the default.
type Options struct {
	// Init selects the initial states.
	Init Init
	// Invariants hold initially, beyond those of the program.
	Invariants []*ir.Invariant
	// AnyOrder lets serial orders permute the transactions of one session:
	// session order is no dependency then.
	AnyOrder bool
	// Slots is the number of initial rows of a table (default: 1, then 2),
	// Rounds the number of rounds of a loop whose bounds are no constants
	// (default 1, then 2) in the symbolic search.
	Slots, Rounds int
	// Builders is how many transactions may run before the others, to build
	// the rows that they need, when Init is not AnyRows (default 3).
	Builders int
	// Tries bounds the random situations of the concrete search (default
	// 200; negative: no concrete search), Seed starts it.
	Tries int
	Seed  int64
	// Quick leaves out what takes long: it tries some random situations, and
	// the expected orders with few rows.
	Quick bool
	// Orders bounds the orders of snapshots and commits of the symbolic search
	// (default 600; negative: only the expected ones).
	Orders int
	// Effort bounds the symbolic search by the number of terms that it builds,
	// about 100 000 in a second (default 2 million).
	Effort int
	// Terms, if not 0, bounds the terms with which an order is stated in a quick search
	// (default 60 000).
	Terms int
	// Limit and Timeout bound each question to the solver (smt.Solver;
	// default 30 million units and 5 s).
	Limit   uint
	Timeout time.Duration
	// Spurious bounds the candidates that are given up per order because the
	// interpreter does not confirm them (default 12).
	Spurious int
	// OnlyCuts leaves out what is an anomaly at snapshot isolation, too, in a search
	// at READ COMMITTED (Cuts).
	OnlyCuts bool
	// Levels is interp.Machine.Levels.
	Levels map[string]string
	// Doubtful looks for executions that the database may refuse, too
	// (interp.Machine.Doubts).
	Doubtful bool
	// KeepLarge leaves out making the anomaly smaller.
	KeepLarge bool
}

// quickTries, quickLimit and quickSpurious are options of a quick search: the solver is mostly fast where there is an anomaly.
const (
	quickTries    = 100
	quickLimit    = 1500000
	quickSpurious = 3
)

// defaultOrders has room for all orders of four transactions.
const defaultOrders = 600

func (o Options) withDefaults() Options {
	set := func(x *int, v int) {
		if *x == 0 {
			*x = v
		}
	}
	if o.Quick {
		if o.Tries >= 0 {
			o.Tries = quickTries
		}
		o.Builders, o.Orders = -1, -1
		set(&o.Spurious, quickSpurious)
		if o.Limit == 0 {
			o.Limit = quickLimit
		}
	}
	set(&o.Builders, 3)
	set(&o.Tries, 200)
	set(&o.Orders, defaultOrders)
	set(&o.Spurious, 12)
	set(&o.Effort, 2000000)
	if o.Limit == 0 {
		o.Limit = 30000000
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	return o
}

// Call is one execution of a template with everything that the client and the
// environment choose.
type Call struct {
	Txn     *ir.Txn
	Session int
	Params  []ir.Value
	// Havocs gives the values of the executions of a Havoc that is not Fresh,
	// in order; later ones are the zero value.
	Havocs map[*ir.Havoc][]ir.Value
}

// Anomaly is a confirmed execution without a serial equivalent.
type Anomaly struct {
	// Rows are the initial rows, a list per table of the program, by key.
	Rows [][][]ir.Value
	// Calls are the transactions in the order of their commits, with the
	// transactions that only built rows first.
	Calls []*Call
	// Execution is the replay, in the same order, with its steps and reads.
	Execution *interp.Execution
	// Sessions are the instances of the replay, for interp.Machine.
	Sessions []interp.Session
	// Doubts say why the database may refuse the execution; they are empty unless
	// Options.Doubtful.
	Doubts []interp.Doubt
	// Opaque names the functions without a known meaning that the transactions
	// call, sorted. The interpreter takes different applications of one to
	// give different values, and truth values at will: a real function may do
	// otherwise, so such an anomaly is certain only once a server has run it.
	Opaque []string
}

// Snapshots gives, per call, how many transactions had committed when it took
// its snapshot.
func (a *Anomaly) Snapshots() []int {
	out := make([]int, len(a.Execution.Txns))
	for i, t := range a.Execution.Txns {
		out[i] = t.Snapshot
	}
	return out
}

// Stats counts what a search did.
type Stats struct {
	// Tries counts the random situations that were executed, Questions those
	// put to the solver, for Orders orders, which took so many Terms.
	Tries, Questions, Orders, Terms int
	// Candidates counts the solver's proposals, Unconfirmed those that the
	// interpreter did not replay as claimed (the others were serializable).
	Candidates, Unconfirmed int
	// Shrinks counts the smaller situations tried.
	Shrinks int
	// Exhausted says that there is nothing to choose but the order, and that
	// all orders were executed: that no anomaly was found is a proof for these
	// sessions.
	Exhausted bool
	// Found says what found the anomaly: "random", "solver" or "".
	Found string
	// Bounded is a reason why nothing found does not even mean that there is
	// nothing within the bounds of the query, or "".
	Bounded string
	// Guesses says that the solver proposed executions that the interpreter does not confirm,
	// and had to guess what some expressions give.
	Guesses bool
	// Search and Shrink are the times taken, Solver the solver's part.
	Search, Shrink time.Duration
	Solver         smt.Stats
}

// Add sums two counts; what is not a count is that of o, texts unless empty.
func (s *Stats) Add(o Stats) {
	s.Tries += o.Tries
	s.Questions += o.Questions
	s.Orders += o.Orders
	s.Terms += o.Terms
	s.Candidates += o.Candidates
	s.Unconfirmed += o.Unconfirmed
	s.Shrinks += o.Shrinks
	s.Exhausted = o.Exhausted
	if o.Found != "" {
		s.Found = o.Found
	}
	if o.Bounded != "" {
		s.Bounded = o.Bounded
	}
	s.Guesses = s.Guesses || o.Guesses
	s.Search += o.Search
	s.Shrink += o.Shrink
	s.Solver.Add(o.Solver)
}

func (s *Stats) bounded(why string) {
	if s.Bounded == "" {
		s.Bounded = why
	}
}
