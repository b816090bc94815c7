package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/write"
	"github.com/txrobust/robust/ir"
)

// builder makes one template.
type builder struct{ *Routine }

// Routine translates what functions, procedures and triggers run.
type Routine struct{ *write.Writer }

// numbered translates a command of the template itself by f: one that the server
// runs with a snapshot of its own at READ COMMITTED. What is inlined is part of the
// Command that calls it, and a function that is STABLE has one snapshot for all.
func (b *Routine) numbered(command func()) {
	f := func() { b.keepingFailures(command) }
	if len(b.Calls) > 1 || b.Calls[0].Stable {
		f()
		return
	}
	outer := b.Number
	b.Numbers++
	b.Number = b.Numbers
	f()
	b.Number = outer
}

// guard translates a statement by f. Where f meets something that cannot be
// modelled, all that it wrote is replaced by an ir.Unmodelled that touches
// what roots name, and by other.
func (b *Routine) guard(pos ir.Pos, r *schema.Refs, f func(), other func()) {
	b.Cur = pos
	if why, ok := b.Attempt(f); !ok {
		b.GiveUp(pos, r, why)
		other()
	}
}
