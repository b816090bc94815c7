package interp

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/rowstore"
)

type (
	DB  = rowstore.DB // a state of the database
	row = rowstore.Row
)

// NewDB makes the state with the given rows, a list per table of p.
func NewDB(p *ir.Program, rows [][][]ir.Value) *DB { return rowstore.New(p, rows) }

// InitialDB makes the state with the rows that the program declares.
func InitialDB(p *ir.Program) *DB { return rowstore.Initial(p) }

// KeyOf gives the key of a row as Op.Key and RowLock.Key have it.
func KeyOf(t *ir.Table, vals []ir.Value) string { return rowstore.KeyOf(t, vals) }

// Committed is a transaction of an execution. Version 0 of the database is the
// initial state, and the i-th commit makes version i+1.
type Committed struct {
	Run *Run
	// Session is the number of its session, Index its place there.
	Session, Index int
	// Snapshot is the version that it read.
	Snapshot int
	// Split, if not nil, says where the transactions between its snapshot and its
	// commit ran, at READ COMMITTED: what it read after that is as they left it.
	Split *Split
	// Sees, if not nil, marks which of the transactions before it it sees, where they need
	// not be the first ones (package weak).
	Sees []bool
}

// sees reports whether the transaction reads what transaction number k wrote.
func (c *Committed) sees(k int) bool {
	return c.Sees == nil && k < c.Snapshot || c.Sees != nil && k < len(c.Sees) && c.Sees[k]
}

// Execution is a sequence of committed transactions, in commit order.
type Execution struct {
	Versions []*DB // one more than Txns
	Txns     []Committed
}

// Outcome is everything observed: the outputs of every transaction, by session,
// and the final state, in a canonical form.
func (x *Execution) Outcome() string {
	order := make([]int, len(x.Txns))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool {
		a, b := &x.Txns[order[i]], &x.Txns[order[j]]
		return a.Session < b.Session || a.Session == b.Session && a.Index < b.Index
	})
	var b strings.Builder
	for _, i := range order {
		b.WriteString(x.Txns[i].Run.Outputs)
		b.WriteByte(0xfd)
	}
	b.WriteString(x.Last().String())
	return b.String()
}

// Last is the state after all commits.
func (x *Execution) Last() *DB { return x.Versions[len(x.Versions)-1] }

// Extend commits a transaction at the end of x, or says why it fails.
func (m *Machine) Extend(x *Execution, c Committed) string {
	var since []*Run
	for _, t := range x.Txns[c.Snapshot:] {
		since = append(since, t.Run)
	}
	db, run, why := m.commit(c.Run, x.Last(), since)
	if why == "" {
		c.Run = run
		x.Versions, x.Txns = append(x.Versions, db), append(x.Txns, c)
	}
	return why
}

// Retract takes the last transaction away again.
func (x *Execution) Retract() {
	x.Versions, x.Txns = x.Versions[:len(x.Versions)-1], x.Txns[:len(x.Txns)-1]
}

// Clone is a copy that Extend and Retract do not reach.
func (x *Execution) Clone() *Execution {
	return &Execution{slices.Clone(x.Versions), slices.Clone(x.Txns)}
}

// TableUse gives the strongest mode in which the run uses each table, by the
// table's number. Checks of constraints do not count.
func (r *Run) TableUse() map[int]ir.TableLock {
	out := map[int]ir.TableLock{}
	for _, u := range r.uses {
		out[u.table] = max(out[u.table], u.mode)
	}
	return out
}

// Undecided is why a run says nothing about its program, or "".
func (r *Run) Undecided() string {
	if r.Unmodelled != nil || r.Blocked == TooLong || r.Blocked == TooMany || r.Blocked == NotFinite {
		return r.Inst.String() + ": " + r.Blocked
	}
	return ""
}

// Inconclusive is why a run does not tell what a server does, or "".
func (r *Run) Inconclusive() string {
	if r.Unordered {
		return r.Inst.String() + ": the order in which the server computes conditions decides whether it ends in an error (" + r.Blocked + ")"
	}
	return r.Undecided()
}

// Keep gives the registers of a session after the run, from those before it,
// which stay as they are.
func (r *Run) Keep(before map[string]ir.Value) map[string]ir.Value {
	if len(r.Regs) == 0 {
		return before
	}
	out := map[string]ir.Value{}
	maps.Copy(out, before)
	maps.Copy(out, r.Regs)
	return out
}
