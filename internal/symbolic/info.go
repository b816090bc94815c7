package symbolic

import (
	"strconv"

	"github.com/txrobust/robust/ir"
)

func itoa(i int) string { return strconv.Itoa(i) }

// txnInfo is what is known of a template without executing it.
type txnInfo struct {
	number   map[ir.Stmt]int
	places   *places
	assigned map[string]bool
	// effects are the statements that must keep their place among a run's
	// observations and writes even where control does not come.
	effects map[ir.Stmt]bool
	// readLater are the insertions whose table is read after them.
	readLater map[*ir.Insert]bool
	queries   map[ir.Stmt]*ir.Query
	// parted says that parts of it may run in subtransactions.
	parted bool
	// failures say for each statement that computing it for some row may end in an error.
	failures map[ir.Stmt][]*ir.Exists
}

// newInfo examines a template.
func newInfo(t *ir.Txn) *txnInfo {
	in := &txnInfo{parted: t.Subtransactions, number: map[ir.Stmt]int{}, places: placesOf(t), assigned: map[string]bool{}, effects: map[ir.Stmt]bool{},
		readLater: map[*ir.Insert]bool{}, queries: map[ir.Stmt]*ir.Query{}, failures: map[ir.Stmt][]*ir.Exists{}}
	var order []ir.Stmt
	loops := map[ir.Stmt][]ir.Stmt{} // the loops around a statement
	var walk func(list []ir.Stmt, around []ir.Stmt)
	walk = func(list []ir.Stmt, around []ir.Stmt) {
		for _, s := range list {
			in.number[s] = len(in.number)
			if _, ok := s.(*ir.Savepoint); ok {
				in.parted = true
			}
			for _, q := range ir.Failures(s) {
				in.failures[s] = append(in.failures[s], &ir.Exists{Query: q})
			}
			order = append(order, s)
			loops[s] = around
			for _, name := range ir.Assigned(s) {
				in.assigned[name] = true
			}
			switch s.(type) {
			case *ir.Break, *ir.Continue, *ir.Return, *ir.Abort:
			default:
				in.effects[s] = true
			}
			inner := around
			switch s.(type) {
			case *ir.While, *ir.ForRange, *ir.Foreach:
				inner = append(append([]ir.Stmt{}, around...), s)
			}
			for _, c := range ir.Children(s) {
				walk(c, inner)
			}
		}
	}
	walk(t.Body, nil)
	for i, s := range order {
		ins, ok := s.(*ir.Insert)
		if !ok {
			continue
		}
		for j, r := range order {
			if j <= i && !shareLoop(loops[s], loops[r]) || r == s {
				continue
			}
			action, _ := r.(*ir.Cascade)
			for _, src := range ir.Reads(r) {
				// An action looks for rows without a parent: one with the key is
				// as good as two.
				if src.Table == ins.Table && (action == nil || src.Table == action.Table) {
					in.readLater[ins] = true
				}
			}
			if u, ok := r.(*ir.Unmodelled); ok && u.Tables == nil {
				in.readLater[ins] = true
			}
		}
	}
	return in
}

func shareLoop(a, b []ir.Stmt) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// query gives the rows that an UPDATE or DELETE looks for, always the same
// object for one statement.
func (in *txnInfo) query(s ir.Stmt) *ir.Query {
	if q := in.queries[s]; q != nil {
		return q
	}
	q := &ir.Query{}
	switch s := s.(type) {
	case *ir.Update:
		q.From, q.Where = []ir.Source{{Table: s.Table, Row: s.Row}}, s.Where
	case *ir.Delete:
		q.From, q.Where = []ir.Source{{Table: s.Table, Row: s.Row}}, s.Where
	default:
		panic("symbolic: the statement has no rows to look for")
	}
	in.queries[s] = q
	return q
}
