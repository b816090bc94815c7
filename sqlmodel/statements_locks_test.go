package sqlmodel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/schema"
)

// modes are the row locks, weakest first.
var modes = []ir.LockMode{ir.ForKeyShare, ir.ForShare, ir.ForNoKeyUpdate, ir.ForUpdate}

// conflicts says which lock of another transaction a row lock keeps out: all
// from this one on.
var conflicts = map[ir.LockMode]ir.LockMode{ir.ForKeyShare: ir.ForUpdate, ir.ForShare: ir.ForNoKeyUpdate,
	ir.ForNoKeyUpdate: ir.ForShare, ir.ForUpdate: ir.ForKeyShare}

// compareLocks compares the locks while the transaction is open.
func (s *statements) compareLocks(c *statementCase, run *interp.Run, w *words) {
	want, may := s.rowLocks(run), s.droppedLocks(run)
	for name, mode := range want {
		w.locks = append(w.locks, name+" "+strings.TrimPrefix(mode.String(), "for "))
	}
	for _, name := range slices.Sorted(maps.Keys(may)) {
		if may[name] > want[name] {
			w.may = append(w.may, name+" "+strings.TrimPrefix(may[name].String(), "for "))
		}
	}
	if run.Blocked != "" {
		return
	}
	s.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1")
	defer s.exec(s.restore)
	defer s.exec("ROLLBACK")
	if _, err := s.rows(c.sql); err != nil {
		return // compared elsewhere
	}
	if _, err := s.rows("SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
		return // it would fail at its commit
	}
	tables := map[string]ir.TableLock{}
	for _, row := range s.query("SELECT c.oid::regclass, l.mode FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_backend_pid() AND c.relkind = 'r'") {
		for m := ir.AccessShare; m <= ir.AccessExclusive; m++ {
			name := strings.ReplaceAll(*row[1], "Lock", "")
			if strings.EqualFold(name, strings.ReplaceAll(m.String(), " ", "")) {
				tables[*row[0]] = max(tables[*row[0]], m)
			}
		}
	}
	for i, m := range run.TableUse() {
		name := s.prog.Tables[i].Name
		if got, ok := tables[name]; !ok || got < m {
			s.t.Errorf("%s\nuses %s in mode %s, but the server in %s (%t)", c.sql, name, m, got, ok)
		}
	}
	for i, tab := range s.l.Order {
		if tab.Key == nil || tables[tab.Name] >= ir.Exclusive || tables[tab.Name] == 0 && run.TableUse()[i] == 0 {
			continue
		}
		for _, row := range s.base[i] {
			name := tab.Name + "(" + s.keyText(tab.IR, row) + ")"
			if free := s.lockable(tab, row); !between(want[name], may[name], free) {
				s.t.Errorf("%s\nlocks %s %q, or %q if that may be, but on the server the weakest lock that others cannot get is %q", c.sql, name, want[name], may[name], free)
			}
		}
	}
}

// between reports whether a row is locked at least as the model says, and at most as it
// says that it may be. free is the weakest lock that others cannot get.
func between(sure, may, free ir.LockMode) bool {
	most := max(sure, may)
	return (sure == ir.NoLock || free != ir.NoLock && free <= conflicts[sure]) &&
		(free == ir.NoLock || most != ir.NoLock && free >= conflicts[most])
}

// droppedLocks gives the strongest lock on each row of the snapshot that may be taken.
func (s *statements) droppedLocks(run *interp.Run) map[string]ir.LockMode {
	out := map[string]ir.LockMode{}
	for _, d := range run.Dropped {
		for _, l := range d.Locks {
			if row := s.lockedRow(l); row != nil {
				name := s.prog.Tables[l.Table].Name + "(" + s.keyText(s.prog.Tables[l.Table], row) + ")"
				out[name] = max(out[name], l.Mode)
			}
		}
		if d.Stmt.Kind != ir.ByRowLock || len(d.Stmt.Query.From) > 0 {
			continue
		}
		for i, t := range s.prog.Tables {
			for _, row := range s.base[i] {
				if d.Stmt.Tables == nil || slices.Contains(d.Stmt.Tables, t) {
					out[t.Name+"("+s.keyText(t, row)+")"] = ir.ForUpdate
				}
			}
		}
	}
	return out
}

// rowLocks gives the strongest lock on each row of the snapshot.
func (s *statements) rowLocks(run *interp.Run) map[string]ir.LockMode {
	out := map[string]ir.LockMode{}
	add := func(t int, row []ir.Value, m ir.LockMode) {
		if row == nil {
			return
		}
		name := s.prog.Tables[t].Name + "(" + s.keyText(s.prog.Tables[t], row) + ")"
		for _, old := range s.base[t] {
			if s.keyText(s.prog.Tables[t], old) == s.keyText(s.prog.Tables[t], row) && m > out[name] {
				out[name] = m
			}
		}
	}
	for _, l := range run.Locks {
		if !l.Own {
			add(l.Table, s.lockedRow(l), l.Mode)
		}
	}
	for i := range run.Ops {
		op := &run.Ops[i]
		t := s.prog.Tables[op.Table]
		switch op.Kind {
		case interp.OpDelete:
			add(op.Table, op.Old, ir.ForUpdate)
		case interp.OpUpdate:
			m := ir.ForNoKeyUpdate
			for k := range engine.KeyColumns(t) {
				if op.Old[k] != op.New[k] {
					m = ir.ForUpdate
				}
			}
			add(op.Table, op.Old, m)
		}
		for _, fk := range t.ForeignKeys {
			if op.New == nil {
				continue
			}
			ref := s.prog.TableIndex(fk.Ref)
			same := op.Old != nil
			for _, k := range fk.Columns {
				same = same && op.Old[k] == op.New[k]
			}
			if op.Moved != nil { // the deletion before it has the old row
				same = true
				for _, k := range fk.Columns {
					same = same && run.Ops[i-1].Old[k] == op.New[k]
				}
			}
			for _, row := range s.base[ref] {
				hit := !same
				for n, k := range fk.Columns {
					hit = hit && op.New[k] == row[fk.RefColumns[n]] && !op.New[k].IsNull()
				}
				if hit {
					add(ref, row, ir.ForKeyShare)
				}
			}
		}
	}
	return out
}

// lockedRow finds the row of a lock.
func (s *statements) lockedRow(l interp.RowLock) []ir.Value {
	for _, row := range s.base[l.Table] {
		if interp.KeyOf(s.prog.Tables[l.Table], row) == l.Key {
			return row
		}
	}
	return nil
}

// lockable gives the weakest lock on a row that another session cannot get now.
func (s *statements) lockable(tab *schema.Table, row []ir.Value) ir.LockMode {
	var where []string
	for _, k := range tab.Key.Columns {
		where = append(where, k+" = "+sqlLiteral(row[tab.IR.Column(k)]))
	}
	for _, m := range modes {
		sql := "SELECT 1 FROM " + tab.Name + " WHERE " + strings.Join(where, " AND ") + " " + m.String() + " NOWAIT"
		if _, err := s.other.Exec(context.Background(), sql); err != nil {
			return m
		}
	}
	return ir.NoLock
}

// compareUnmodelled checks that a statement which is not modelled changes and
// locks only the tables that it is said to touch.
func (s *statements) compareUnmodelled(c *statementCase, run *interp.Run) {
	if run.Unmodelled.Tables == nil {
		return
	}
	s.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1")
	_, err := s.rows(c.sql)
	var after [][][]ir.Value
	if err == nil {
		for _, tab := range s.l.Order {
			after = append(after, s.read(tab))
		}
	}
	s.exec("ROLLBACK")
	s.exec(s.restore)
	touched := map[*ir.Table]bool{}
	ir.Walk(run.Inst.Txn.Body, func(st ir.Stmt) {
		if u, ok := st.(*ir.Unmodelled); ok && !u.ReadOnly {
			for _, t := range u.Tables {
				touched[t] = true
			}
		}
		if t := ir.Written(st); t != nil {
			touched[t] = true
		}
	})
	for i := range after {
		if !sameRows(after[i], s.base[i]) && !touched[s.prog.Tables[i]] {
			s.t.Errorf("%s\nchanges %s, which it is said not to touch", c.sql, s.prog.Tables[i].Name)
		}
	}
}

// sameRows compares rows that come in any order.
func sameRows(a, b [][]ir.Value) bool {
	text := func(rows [][]ir.Value) string {
		var out []string
		for _, row := range rows {
			out = append(out, fmt.Sprint(row))
		}
		slices.Sort(out)
		return strings.Join(out, "\n")
	}
	return text(a) == text(b)
}

// keyText prints the key of a row.
func (s *statements) keyText(t *ir.Table, row []ir.Value) string {
	var out []string
	for _, k := range t.Key {
		out = append(out, row[k].String())
	}
	return strings.Join(out, ",")
}
