package prepare

import (
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
)

// TxnInfo is what is known of a template without executing it.
type TxnInfo struct {
	Number   map[ir.Stmt]int
	Places   *Places
	Assigned map[string]bool
	// Effects are the statements that must keep their place among a run's
	// observations and writes even where control does not come.
	Effects map[ir.Stmt]bool
	// ReadLater are the insertions whose table is read after them.
	ReadLater map[*ir.Insert]bool
	queries   map[ir.Stmt]*ir.Query
	// Parted says that parts of it may run in subtransactions.
	Parted bool
	// Failures say for each statement that computing it for some row may end in an error.
	Failures map[ir.Stmt][]*ir.Exists
}

// newInfo examines a template.
func newInfo(t *ir.Txn) *TxnInfo {
	in := &TxnInfo{Parted: t.Subtransactions, Number: map[ir.Stmt]int{}, Places: placesOf(t), Assigned: map[string]bool{}, Effects: map[ir.Stmt]bool{},
		ReadLater: map[*ir.Insert]bool{}, queries: map[ir.Stmt]*ir.Query{}, Failures: map[ir.Stmt][]*ir.Exists{}}
	var order []ir.Stmt
	loops := map[ir.Stmt][]ir.Stmt{} // the loops around a statement
	var walk func(list []ir.Stmt, around []ir.Stmt)
	walk = func(list []ir.Stmt, around []ir.Stmt) {
		for _, s := range list {
			in.Number[s] = len(in.Number)
			if _, ok := s.(*ir.Savepoint); ok {
				in.Parted = true
			}
			for _, q := range failure.Queries(s) {
				in.Failures[s] = append(in.Failures[s], &ir.Exists{Query: q})
			}
			order = append(order, s)
			loops[s] = around
			for _, name := range ir.Assigned(s) {
				in.Assigned[name] = true
			}
			switch s.(type) {
			case *ir.Break, *ir.Continue, *ir.Return, *ir.Abort:
			default:
				in.Effects[s] = true
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
					in.ReadLater[ins] = true
				}
			}
			if u, ok := r.(*ir.Unmodelled); ok && u.Tables == nil {
				in.ReadLater[ins] = true
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

// Query gives the rows that an UPDATE or DELETE looks for, always the same
// object for one statement.
func (in *TxnInfo) Query(s ir.Stmt) *ir.Query {
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
		panic("prepare: the statement has no rows to look for")
	}
	in.queries[s] = q
	return q
}

// Places gives each variable of a template a number. The order is fixed, so that
// terms are made in a fixed order and the solver's models do not change from run to
// run.
type Places struct {
	number map[string]int
	Names  []string
	types  []ir.Type
}

func placesOf(t *ir.Txn) *Places {
	p := &Places{number: map[string]int{}}
	add := func(name string, typ ir.Type) {
		if _, again := p.number[name]; !again {
			p.number[name] = len(p.Names)
			p.Names, p.types = append(p.Names, name), append(p.types, typ)
		}
	}
	for _, x := range t.Params {
		add(x.Name, x.Type)
	}
	for _, x := range t.Locals {
		add(x.Name, x.Type)
	}
	return p
}

// TypeOf gives the type of a variable.
func (p *Places) TypeOf(name string) (ir.Type, bool) {
	i, ok := p.number[name]
	if !ok {
		return ir.Type{}, false
	}
	return p.types[i], true
}

// Index gives the number of a variable.
func (p *Places) Index(name string) int {
	i, ok := p.number[name]
	if !ok {
		panic("prepare: local " + name + " is not declared")
	}
	return i
}
