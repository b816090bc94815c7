package sqlmodel

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
)

// apart refuses a statement that reads tables and calls a function that writes
// some: its own reads do not see those writes, but the statements that take
// their place would. target is the table of an INSERT, which is not read.
func (b *Writer) apart(root pg.Message, target *pg.RangeVar) {
	reads := false
	pg.Walk(root, func(tree any) bool {
		r, ok := tree.(*pg.RangeVar)
		reads = reads || ok && r != target
		return true
	})
	writer := ""
	for _, name := range slices.Sorted(maps.Keys(b.App.Calls(b.RefsOf(root)))) {
		fns := b.App.LateFunctions(name)
		if len(fns) == 0 {
			continue
		}
		e := b.App.EffectOfCall(fns)
		if e.Writes || e.All {
			writer = name
		}
		for _, f := range fns {
			reads = reads || f.Stable && len(e.Tables) > 0
		}
	}
	if reads && writer != "" {
		b.Unmodelled("a call of %s, which writes, in a statement that reads", writer)
	}
}
