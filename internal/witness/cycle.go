package witness

import (
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// depKind orders the kinds of dependencies by how much they explain.
type depKind uint8

const (
	depWR depKind = iota
	depRW
	depWW
	depCO // a constraint: see Edge.Type
	depSO
)

func (k depKind) String() string { return [...]string{"WR", "RW", "WW", "CO", "SO"}[k] }

// dependency is an edge between places in the order of commits.
type dependency struct {
	interp.Dependency
	kind depKind
	// words describes a depCO.
	words string
}

// maxCycle bounds the transactions among which all cycles are compared.
const maxCycle = 8

// cycle chooses the cycle that explains the execution: the one with the most
// transactions, since a witness that was made small needs them all, and among
// those the one that best follows the order of commits. It begins with the
// delayed transaction. Nil means that there is none.
func (b *builder) cycle() []dependency {
	n := len(b.x.Txns)
	best := map[[2]int]dependency{}
	for _, d := range b.dependencies() {
		k := [2]int{d.From, d.To}
		if old, ok := best[k]; !ok || d.kind < old.kind {
			best[k] = d
		}
	}
	if n > maxCycle {
		var plain []interp.Dependency
		for from := range n {
			for to := range n {
				if d, ok := best[[2]int{from, to}]; ok {
					plain = append(plain, d.Dependency)
				}
			}
		}
		var path []int
		for _, d := range interp.Cycle(n, plain) {
			path = append(path, d.From)
		}
		return b.along(b.rotate(path, best), best)
	}
	var chosen []int
	score := -1
	var path []int
	on := make([]bool, n)
	var walk func(v int)
	walk = func(v int) {
		path, on[v] = append(path, v), true
		if _, ok := best[[2]int{v, path[0]}]; ok && len(path) > 1 {
			p := b.rotate(slices.Clone(path), best)
			s := len(p) * (maxCycle + 1)
			for i := 1; i+1 < len(p); i++ {
				if p[i] < p[i+1] {
					s++
				}
			}
			if s > score {
				chosen, score = p, s
			}
		}
		for w := path[0] + 1; w < n; w++ {
			if _, ok := best[[2]int{v, w}]; ok && !on[w] {
				walk(w)
			}
		}
		path, on[v] = path[:len(path)-1], false
	}
	for v := range n {
		walk(v)
	}
	return b.along(chosen, best)
}

func (b *builder) along(path []int, edges map[[2]int]dependency) []dependency {
	var out []dependency
	for i, v := range path {
		out = append(out, edges[[2]int{v, path[(i+1)%len(path)]}])
	}
	return out
}

// rotate makes a cycle begin with its delayed transaction: one that others
// commit inside of, with a read-write dependency (or a constraint) on either
// side, the earliest snapshot first.
func (b *builder) rotate(path []int, edges map[[2]int]dependency) []int {
	at, best := 0, -1
	for i, v := range path {
		prev, next := path[(i+len(path)-1)%len(path)], path[(i+1)%len(path)]
		t := &b.x.Txns[v]
		s := 0
		if t.Snapshot < v {
			s += 1000
		}
		if edges[[2]int{v, next}].kind == depRW {
			s += 400
		}
		if k := edges[[2]int{prev, v}].kind; k == depRW || k == depCO {
			s += 200
		}
		s += 100 - min(t.Snapshot, 100)
		if s > best {
			at, best = i, s
		}
	}
	return append(slices.Clone(path[at:]), path[:at]...)
}

// dependencies gives those of the interpreter and those of constraints.
func (b *builder) dependencies() []dependency {
	kinds := map[interp.DepKind]depKind{interp.WR: depWR, interp.RW: depRW, interp.WW: depWW, interp.SO: depSO}
	var out []dependency
	for _, d := range b.m.Dependencies(b.x, !b.e.AnyOrder, b.e.Classic || b.blind) {
		if b.older(d) {
			continue
		}
		out = append(out, dependency{Dependency: d, kind: kinds[d.Kind]})
	}
	out = append(out, b.untaken()...)
	for k := range b.x.Txns {
		// Constraints are checked against the current state: what committed
		// inside the window of k counts.
		for i := b.x.Txns[k].Snapshot; i < k; i++ {
			out = append(out, b.constraints(i, k)...)
		}
	}
	return out
}

// constraints gives the dependencies of k on i by keys that i freed and
// references that i removed.
func (b *builder) constraints(i, k int) []dependency {
	var out []dependency
	first, second := b.x.Txns[i].Run, b.x.Txns[k].Run
	for x := range first.Ops {
		for y := range second.Ops {
			p, q := &first.Ops[x], &second.Ops[y]
			if p.Void || q.Void {
				continue
			}
			if words := b.freed(p, q, i, k); words != "" {
				out = append(out, dependency{kind: depCO, words: words, Dependency: interp.Dependency{
					From: i, To: k, Table: q.Table, Key: q.Key, Read: p.Stmt, Write: q.Stmt, Old: q.Old, New: q.New}})
			}
		}
	}
	return out
}

func pick(row []ir.Value, cols []int) []ir.Value {
	if row == nil {
		return nil
	}
	out := make([]ir.Value, len(cols))
	for i, c := range cols {
		if row[c].IsNull() {
			return nil
		}
		out[i] = row[c]
	}
	return out
}

// freed says how the write q needs what the write p did, or gives "".
func (b *builder) freed(p, q *interp.Op, i, k int) string {
	pt, qt := b.e.Program.Tables[p.Table], b.e.Program.Tables[q.Table]
	if pt == qt {
		keys := [][]int{qt.Key}
		for _, u := range qt.Uniques {
			keys = append(keys, u.Columns)
		}
		for _, cols := range keys {
			was, wanted := pick(p.Old, cols), pick(q.New, cols)
			if len(cols) > 0 && was != nil && slices.Equal(was, wanted) && !slices.Equal(was, pick(p.New, cols)) && !slices.Equal(wanted, pick(q.Old, cols)) {
				return b.who(i) + " freed the key " + keyName(qt, cols, wanted) + ", which " + b.who(k) + " then took"
			}
		}
	}
	if pt == qt && p.Old != nil && q.New != nil {
		for n := range qt.Exclusions {
			excluded := b.m.Excluded(qt, &qt.Exclusions[n])
			if excluded(p.Old, q.New) && (p.New == nil || !excluded(p.New, q.New)) && (q.Old == nil || !excluded(p.Old, q.Old)) {
				return b.who(i) + " took " + rowName(pt, p.Old) + " out of the way of " + rowName(qt, q.New) + ", which " + b.who(k) + " then wrote"
			}
		}
	}
	for _, fk := range pt.ForeignKeys {
		if fk.Ref != qt {
			continue
		}
		was, gone := pick(p.Old, fk.Columns), pick(q.Old, fk.RefColumns)
		if was != nil && slices.Equal(was, gone) && !slices.Equal(was, pick(p.New, fk.Columns)) && !slices.Equal(gone, pick(q.New, fk.RefColumns)) {
			return b.who(i) + " removed the reference of " + rowName(pt, p.Old) + " to " + rowName(qt, q.Old) + ", which let " + b.who(k) + " remove that row"
		}
	}
	for _, fk := range qt.ForeignKeys {
		if fk.Ref != pt {
			continue
		}
		made, wanted := pick(p.New, fk.RefColumns), pick(q.New, fk.Columns)
		if made != nil && slices.Equal(made, wanted) && !slices.Equal(made, pick(p.Old, fk.RefColumns)) {
			return b.who(i) + " made " + rowName(pt, p.New) + ", which " + b.who(k) + " then referred to"
		}
	}
	return ""
}

func keyName(t *ir.Table, cols []int, vals []ir.Value) string {
	s := t.Name + "("
	for i, c := range cols {
		if i > 0 {
			s += ", "
		}
		s += t.Columns[c].Name + " = " + readable(t, c, vals[i])
	}
	return s + ")"
}

// kind names the anomaly by its cycle.
func (b *builder) kind(cycle []dependency) Kind {
	reads, phantom, session := 0, false, false
	for _, d := range cycle {
		switch d.kind {
		case depCO:
			return Other
		case depWR:
			if _, acts := d.Read.(*ir.Cascade); acts {
				return Other // it is no read of the snapshot
			}
		case depSO:
			session = true
		case depRW:
			reads++
			phantom = phantom || d.Cols == nil && b.byPredicate(d)
		}
	}
	switch {
	case len(cycle) == 0:
		return Other
	case len(cycle) == 2 && reads < 2:
		return LostUpdate
	case len(cycle) == 2 && phantom:
		return PhantomWriteSkew
	case len(cycle) == 2:
		return WriteSkew
	case len(cycle) == 3 && !session:
		for _, d := range cycle {
			if len(b.x.Txns[d.From].Run.Ops) == 0 {
				return ReadOnlyAnomaly
			}
		}
	}
	return LongCycle
}

// byPredicate reports whether the read of a dependency finds its rows by
// something other than a whole key.
func (b *builder) byPredicate(d dependency) bool {
	t := b.e.Program.Tables[d.Table]
	for _, q := range ir.Queries(d.Read) {
		for _, src := range q.From {
			if src.Table == t {
				return !pinned(src, q.Where)
			}
		}
	}
	return false
}

// pinned reports whether a condition fixes a whole key of the source.
func pinned(src ir.Source, where ir.Expr) bool {
	fixed := map[int]bool{}
	for _, c := range ir.Conjuncts(where) {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq && eq.Op != ir.Is {
			continue
		}
		for _, side := range []ir.Expr{eq.X, eq.Y} {
			if col, ok := side.(*ir.Col); ok && col.Row == src.Row {
				fixed[src.Table.Column(col.Col)] = true
			}
		}
	}
	keys := [][]int{src.Table.Key}
	for _, u := range src.Table.Uniques {
		keys = append(keys, u.Columns)
	}
	for _, cols := range keys {
		all := len(cols) > 0
		for _, c := range cols {
			all = all && fixed[c]
		}
		if all {
			return true
		}
	}
	return src.Table.Var
}

// forks reports whether a cycle has several RW, and before each of them a WR or the order of a
// session.
func forks(cycle []dependency) bool {
	n := 0
	for i, d := range cycle {
		if d.kind != depRW {
			continue
		}
		n++
		if before := cycle[(i+len(cycle)-1)%len(cycle)].kind; before != depWR && before != depSO {
			return false
		}
	}
	return n > 1
}

// overwrites reports whether the two transactions of a cycle have both read a row, and both
// write it.
func (b *builder) overwrites(cycle []dependency) bool {
	a, o := cycle[0], cycle[1]
	return a.kind == depRW && o.kind == depRW && a.Table == o.Table && a.Key == o.Key
}

// older reports whether an RW is none: who reads does not see the write, but a later one of the
// same row.
func (b *builder) older(d interp.Dependency) bool {
	reader := &b.x.Txns[d.From]
	if d.Kind != interp.RW || reader.Sees == nil {
		return false
	}
	for k := d.To + 1; k < d.From; k++ {
		for i := range b.x.Txns[k].Run.Ops {
			op := &b.x.Txns[k].Run.Ops[i]
			if reader.Sees[k] && op.Table == d.Table && op.Key == d.Key && covers(op, d.Cols) {
				return true
			}
		}
	}
	return false
}

// untaken gives the dependencies of who inserts a row on who inserts it as well, and is not seen:
// it has found the key free.
func (b *builder) untaken() []dependency {
	var out []dependency
	for i := range b.x.Txns {
		for k := range b.x.Txns {
			first, second := &b.x.Txns[i], &b.x.Txns[k]
			if i == k || first.Sees == nil || k < i && first.Sees[k] {
				continue
			}
			for _, p := range first.Run.Ops {
				for _, q := range second.Run.Ops {
					if p.Kind == interp.OpInsert && q.Kind == interp.OpInsert && p.Table == q.Table && p.Key == q.Key {
						t := b.e.Program.Tables[p.Table]
						out = append(out, dependency{kind: depCO, words: b.who(i) + " found the key of " + rowName(t, p.New) + " free before " + b.who(k) + " took it",
							Dependency: interp.Dependency{From: i, To: k, Table: p.Table, Key: p.Key, Read: p.Stmt, Write: q.Stmt, Old: q.Old, New: q.New}})
					}
				}
			}
		}
	}
	return out
}

// covers reports whether a write writes columns, or the existence of the row if there are none.
func covers(op *interp.Op, cols []int) bool {
	if op.Kind != interp.OpUpdate {
		return true
	}
	for _, c := range cols {
		if op.Cols != nil && !op.Cols[c] {
			return false
		}
	}
	return len(cols) > 0
}
