package witness

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// split says where the last transaction was interrupted, or is nil for an
// execution at snapshot isolation.
func (b *builder) split() *interp.Split { return b.x.Txns[len(b.x.Txns)-1].Split }

func (b *builder) isolation() string {
	switch {
	case b.split() == nil:
		return "si"
	case b.e.Engine.InnoDB:
		return InnoDB
	}
	return "rc"
}

// InnoDB is Witness.Isolation of an execution at levels of InnoDB, where it is REPEATABLE READ
// unless a transaction has another one.
const InnoDB = "innodb"

// levels gives the levels of the transactions that run at another one than most.
func (b *builder) levels(most string) map[string]string {
	var out map[string]string
	for i := range b.x.Txns {
		if l, ok := b.e.Levels[b.x.Txns[i].Run.Inst.Txn.Name]; ok && l != most {
			if out == nil {
				out = map[string]string{}
			}
			out[b.labels[i]] = l
		}
	}
	return out
}

// interrupted gives all events of an execution at READ COMMITTED.
func (b *builder) interrupted() []moment {
	last := len(b.x.Txns) - 1
	out := []moment{b.begins(last, "BEGIN", b.x.Versions[0])}
	split := b.split()
	v := b.view(last)
	v.snap, v.now = b.x.Versions[0], b.x.Versions[0]
	v.steps(split.Steps, split.Reads)
	out = append(out, v.events...)
	for i := range last {
		out = append(out, b.begins(i, "BEGIN", b.x.Versions[i]))
		out = append(out, b.statements(i)...)
		if split.Waits {
			m := moment{Event: b.event(last, Wait, "waits for "+b.labels[i])}
			m.Position = position(split.Stmt.Position())
			out = append(out, m)
		}
		v.snap = b.x.Versions[i+1] // the next command sees what is committed by then
		end := b.commits(i)
		maps.Copy(end.sees, v.sees())
		out = append(out, end)
	}
	v.events, v.now = nil, b.x.Versions[last]
	v.steps(len(v.run.Steps), len(v.run.Reads))
	out = append(out, v.events...)
	return append(out, b.commits(last))
}

// committedKind names an anomaly at READ COMMITTED by the dependencies between the
// interrupted transaction and another one on the cycle.
func (b *builder) committedKind(cycle []dependency) Kind {
	last := len(b.x.Txns) - 1
	reread, seen, overwritten, changed := NonRepeatableRead, false, false, false
	onCycle := map[int]bool{}
	for _, d := range cycle {
		onCycle[d.From], onCycle[d.To] = true, true
	}
	first := map[string]bool{} // what was read before the cut
	same := false
	all := b.dependencies()
	row := func(d dependency) string { return fmt.Sprintf("%d %q", d.Table, d.Key) }
	for _, d := range all {
		if d.kind == depRW && d.From == last && onCycle[d.To] {
			first[row(d)] = true
			if d.Cols == nil {
				reread = PhantomRead
			}
		}
	}
	reads := map[string]bool{} // rows of which the values after the cut were read
	for _, d := range all {
		if d.To != last || !onCycle[d.From] {
			continue
		}
		switch d.kind {
		case depWR:
			if left(d) {
				overwritten = overwritten || first[row(d)]
				break
			}
			seen = true
			reads[row(d)] = true
			same = same || first[row(d)]
		case depRW:
			changed = true
		case depCO:
			return Other
		}
	}
	for _, d := range all {
		if d.kind == depWW && d.To == last && onCycle[d.From] && first[row(d)] && !reads[row(d)] {
			overwritten = true
		}
	}
	switch {
	case len(cycle) == 0:
		return Other
	case overwritten:
		return LostUpdate
	case seen && same:
		return reread
	case seen:
		return ReadSkew
	case changed:
		return b.kind(cycle)
	}
	return Other
}

// left reports whether all that an UPDATE saw of a row are the values to which it sets it: it is a write that changes nothing.
func left(d dependency) bool {
	u, is := d.Read.(*ir.Update)
	if !is || d.Cols == nil {
		return false
	}
	reads := map[string]bool{}
	ir.ReadColumns(u, func(t *ir.Table, col string) { reads[col] = reads[col] || t == u.Table })
	return !slices.ContainsFunc(d.Cols, func(c int) bool {
		return reads[u.Table.Columns[c].Name] || !slices.ContainsFunc(u.Sets, func(s ir.Set) bool { return s.Col == c })
	})
}
