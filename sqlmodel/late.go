package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// A foreign key that is checked at commit may be broken for a while. The IR
// checks after each statement. Both are the same in a transaction that does not
// mend what it has broken: it fails in the end, and which statement fails is no
// outcome. So such a foreign key is one of the IR unless some transaction may
// mend it; then the files are read again, and it is unseen.

// lateKey names a foreign key.
type lateKey struct{ table, name string }

// mended gives the foreign keys checked at commit that some transaction may
// break and mend.
func (l *loader) mended() []lateKey {
	var out []lateKey
	for _, t := range l.order {
		for _, f := range t.foreign {
			if f.number < 0 || !l.checkedLate(f) {
				continue
			}
			m := &mending{child: t.ir, key: &t.ir.ForeignKeys[f.number]}
			for _, txn := range l.prog.Txns {
				m.broken = false
				m.list(txn.Body, false)
			}
			if m.found {
				out = append(out, lateKey{t.name, f.name})
			}
		}
	}
	return out
}

// checkedLate reports whether a foreign key is or may be checked at commit.
func (l *loader) checkedLate(f *foreignKey) bool { return f.deferred || f.deferrable && l.defers }

// mending looks for statements that may mend a foreign key after others that may
// have broken it.
type mending struct {
	child         *ir.Table
	key           *ir.ForeignKey
	broken, found bool
}

func (m *mending) list(list []ir.Stmt, inLoop bool) {
	for _, s := range list {
		breaks, mends := m.concerns(s)
		m.found = m.found || m.broken && mends
		m.broken = m.broken || breaks
		rounds := 1
		switch s.(type) {
		case *ir.While, *ir.ForRange, *ir.Foreach:
			if !inLoop {
				rounds = 2 // a statement may mend what a later one broke in the round before
			}
			inLoop = true
		}
		for range rounds {
			for _, c := range ir.Children(s) {
				m.list(c, inLoop)
			}
		}
	}
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
		return child, parent || child && s.Conflict != nil && sets(s.Conflict.Sets)
	case *ir.Update:
		renames := parent && slices.ContainsFunc(s.Sets, func(x ir.Set) bool { return slices.Contains(m.key.RefColumns, x.Col) })
		return child && sets(s.Sets) || renames, child && sets(s.Sets) || renames
	case *ir.Delete, *ir.Cascade:
		return parent && m.key.OnDelete == ir.NoAction, child
	case *ir.RollbackTo:
		return false, true
	case *ir.Unmodelled:
		touched := s.Tables == nil || slices.Contains(s.Tables, m.child) || slices.Contains(s.Tables, m.key.Ref)
		return touched && !s.ReadOnly, touched && !s.ReadOnly
	}
	return false, false
}
