package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// lateKey names a foreign key.
type lateKey struct{ table, name string }

// Mended gives the foreign keys checked at commit that some transaction may
// break and mend.
func (l *Schema) Mended() []lateKey {
	var out []lateKey
	for _, t := range l.Order {
		for _, f := range t.Foreign {
			if f.Number < 0 || !l.checkedLate(f) {
				continue
			}
			m := &mending{child: t.IR, key: &t.IR.ForeignKeys[f.Number]}
			for _, txn := range l.Prog.Txns {
				m.list(txn.Body, whole)
			}
			if m.found {
				out = append(out, lateKey{t.Name, f.Name})
			}
		}
	}
	return out
}

// checkedLate reports whether a foreign key is or may be checked at commit.
func (l *Schema) checkedLate(f *ForeignKey) bool { return f.Deferred || f.Deferrable && l.Defers }

// mending looks for statements that may mend a foreign key after others that may
// have broken it.
type mending struct {
	child  *ir.Table
	key    *ir.ForeignKey
	around []*exits // of the loops and blocks around the statement, innermost last
	found  bool
}

// flow says whether control may come to a place, and whether the foreign key may
// be broken there.
type flow uint8

const (
	nowhere flow = iota
	whole
	broken
)

// exits is what leaves a loop or block, or a round of a loop.
type exits struct {
	label           string
	loop            bool
	left, continued flow
}

// list follows control through statements.
func (m *mending) list(list []ir.Stmt, at flow) flow {
	for _, s := range list {
		if at == nowhere {
			return at
		}
		switch s := s.(type) {
		case *ir.If:
			at = max(m.list(s.Then, at), m.list(s.Else, at))
		case *ir.Block:
			at = m.inside(s.Label, false, s.Body, at)
		case *ir.While:
			at = m.inside(s.Label, true, s.Body, at)
		case *ir.ForRange:
			at = m.inside(s.Label, true, s.Body, at)
		case *ir.Foreach:
			at = m.inside(s.Label, true, s.Body, at)
		case *ir.Break:
			x := m.target(s.Label)
			x.left, at = max(x.left, at), nowhere
		case *ir.Continue:
			x := m.target(s.Label)
			x.continued, at = max(x.continued, at), nowhere
		case *ir.Return, *ir.Abort:
			at = nowhere
		default:
			breaks, mends := m.concerns(s)
			m.found = m.found || at == broken && mends
			if breaks {
				at = broken
			}
		}
	}
	return at
}

func (m *mending) inside(label string, loop bool, body []ir.Stmt, at flow) flow {
	x := &exits{label: label, loop: loop}
	m.around = append(m.around, x)
	defer func() { m.around = m.around[:len(m.around)-1] }()
	out := m.list(body, at)
	if !loop {
		return max(out, x.left)
	}
	if again := max(at, out, x.continued); again != at {
		m.list(body, again)
		at = again
	}
	return max(at, x.left)
}

// target is what Break and Continue name.
func (m *mending) target(label string) *exits {
	for i := len(m.around) - 1; i >= 0; i-- {
		if x := m.around[i]; label == "" && x.loop || label != "" && x.label == label {
			return x
		}
	}
	panic("schema: no loop or block " + label)
}

// concerns says whether a statement may break the foreign key, and mend it.
// Actions are not put off.
func (m *mending) concerns(s ir.Stmt) (breaks, mends bool) {
	child, parent := ir.Written(s) == m.child, ir.Written(s) == m.key.Ref
	sets := func(list []ir.Set) bool {
		return slices.ContainsFunc(list, func(x ir.Set) bool { return slices.Contains(m.key.Columns, x.Col) })
	}
	switch s := s.(type) {
	case *ir.Insert:
		if len(s.Moved) > 0 { // an UPDATE, with the deletion before it
			touched := func(cols []int) bool {
				return slices.ContainsFunc(cols, func(c int) bool { return slices.Contains(s.Moved, c) })
			}
			renames, leaves := parent && touched(m.key.RefColumns), child && touched(m.key.Columns)
			return leaves || renames && m.key.OnUpdate == ir.NoAction, leaves || renames
		}
		return child, parent || child && s.Conflict != nil && sets(s.Conflict.Sets)
	case *ir.Update:
		renames := parent && slices.ContainsFunc(s.Sets, func(x ir.Set) bool { return slices.Contains(m.key.RefColumns, x.Col) })
		return child && sets(s.Sets) || renames, child && sets(s.Sets) || renames
	case *ir.Delete:
		if s.Moved {
			return false, false
		}
		return parent && m.key.OnDelete == ir.NoAction, child
	case *ir.Cascade:
		return parent && m.key.OnDelete == ir.NoAction, child
	case *ir.RollbackTo:
		return false, true
	case *ir.Unmodelled:
		touched := s.Tables == nil || slices.Contains(s.Tables, m.child) || slices.Contains(s.Tables, m.key.Ref)
		return touched && !s.ReadOnly, touched && !s.ReadOnly
	}
	return false, false
}
