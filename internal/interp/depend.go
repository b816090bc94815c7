package interp

import (
	"github.com/txrobust/robust/internal/cycle"
	"github.com/txrobust/robust/internal/ir"
)

// DepKind is a kind of dependency between transactions.
type DepKind uint8

const (
	WW DepKind = iota // write-write (store order)
	WR                // write-read (reads from)
	RW                // read-write (anti-dependency, conflict)
	SO                // session order (program order)
)

func (k DepKind) String() string { return [...]string{"WW", "WR", "RW", "SO"}[k] }

// Dependency is an edge of the direct serialization graph of an execution:
// From comes before To in every equivalent serial order.
type Dependency struct {
	Kind     DepKind
	From, To int // indices in Execution.Txns
	Table    int
	Key      string
	// Cols are the columns concerned; nil for the existence of a row.
	Cols []int
	// Read and Write are the statements at the two ends; of a WW, Read is the
	// earlier write. Row versions are those of the write.
	Read, Write ir.Stmt
	Old, New    []ir.Value
}

// Dependencies gives the edges of an execution (CAV'19, section 4): WR, RW, WW
// and, if sessions is set, session order. The machine must have traced the
// runs. When classic is set, a write counts whether or not it changed the
// value.
func (m *Machine) Dependencies(x *Execution, sessions, classic bool) []Dependency {
	var out []Dependency
	for i := range x.Txns {
		for k := range x.Txns {
			if i == k {
				continue
			}
			a, b := &x.Txns[i], &x.Txns[k]
			if sessions && a.Session == b.Session && a.Index < b.Index {
				out = append(out, Dependency{Kind: SO, From: i, To: k})
			}
			if i < k {
				out = append(out, writeWrite(a.Run, b.Run, i, k, classic)...)
			}
			// b writes what a reads: before a's snapshot or after.
			for r := range a.Run.Reads {
				read := &a.Run.Reads[r]
				for w := range b.Run.Ops {
					op := &b.Run.Ops[w]
					cols, hit := affects(a.Run, read, op, classic)
					if !hit {
						continue
					}
					d := Dependency{Kind: RW, From: i, To: k, Table: op.Table, Key: op.Key, Cols: cols,
						Read: read.Stmt, Write: op.Stmt, Old: op.Old, New: op.New}
					if a.sees(k) || k < i && (read.Current || a.Split != nil && r >= a.Split.Reads && !read.Stale) {
						d.Kind, d.From, d.To = WR, k, i
					}
					out = append(out, d)
				}
			}
		}
	}
	return out
}

func writeWrite(a, b *Run, i, k int, classic bool) []Dependency {
	var out []Dependency
	for x := range a.Ops {
		for y := range b.Ops {
			p, q := &a.Ops[x], &b.Ops[y]
			if !p.touches(q.Table, q.Key) || q.Void {
				continue
			}
			var cols []int
			whole := p.Cols == nil || q.Cols == nil
			if !whole {
				for c := range p.Cols {
					if p.Cols[c] && q.Cols[c] && (classic || p.New[c] != q.New[c]) {
						cols = append(cols, c)
					}
				}
			}
			if whole || cols != nil {
				out = append(out, Dependency{Kind: WW, From: i, To: k, Table: p.Table, Key: p.Key, Cols: cols,
					Read: p.Stmt, Write: q.Stmt, Old: q.Old, New: q.New})
			}
		}
	}
	return out
}

// affects reports whether a write of another transaction changes what the
// read found, and in which columns (nil: in whether the row is there).
func affects(reader *Run, read *Read, op *Op, classic bool) (cols []int, hit bool) {
	if read.Table != op.Table || op.Void {
		return nil, false
	}
	wanted := make([]bool, len(read.Cols))
	for c := range wanted {
		wanted[c] = read.Cols[c] || classic && read.Tested[c]
	}
	// What the reader had written before is read from itself.
	for i := 0; i < read.OwnOps && i < len(reader.Ops); i++ {
		own := &reader.Ops[i]
		if own.Table != op.Table || own.Key != op.Key {
			continue
		}
		if own.Cols == nil {
			return nil, false
		}
		all := true
		for c := range wanted {
			wanted[c] = wanted[c] && !own.Cols[c]
			all = all && own.Cols[c]
		}
		if all {
			return nil, false
		}
	}
	before, after := read.Matches(op.Old), read.Matches(op.New)
	if before != after {
		return nil, true
	}
	if !before {
		return nil, false
	}
	for c := range wanted {
		if wanted[c] && (op.Cols == nil || op.Cols[c]) && (classic || op.Old[c] != op.New[c]) {
			cols = append(cols, c)
		}
	}
	return cols, cols != nil
}

// Cycle finds a shortest cycle in the graph with n vertices, as dependencies
// in order, or gives nil. Of several kinds between two vertices the first in
// the list counts.
func Cycle(n int, edges []Dependency) []Dependency {
	return cycle.Shortest(n, edges, func(d Dependency) (from, to int) { return d.From, d.To })
}
