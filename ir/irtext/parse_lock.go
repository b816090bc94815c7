package irtext

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
)

func (p *parser) locks() ir.Locks {
	var out ir.Locks
	for {
		var l ir.Lock
		for _, m := range []ir.LockMode{ir.ForNoKeyUpdate, ir.ForKeyShare, ir.ForUpdate, ir.ForShare} {
			if p.acceptWords(m.String()) {
				l.Mode = m
				break
			}
		}
		if l.Mode == ir.NoLock {
			return out
		}
		for more := p.accept("of"); more; more = p.accept(",") {
			l.Of = append(l.Of, p.name("a row variable"))
		}
		out = append(out, l)
	}
}

// conflictLock reads the lock of ON CONFLICT, NoLock if none is named.
func (p *parser) conflictLock() ir.LockMode {
	if p.acceptWords(ir.ForUpdate.String()) {
		return ir.ForUpdate
	}
	return ir.NoLock
}

// lock reads the rest of a LockRows or LockTable.
func (p *parser) lock(at ir.At) ir.Stmt {
	if !p.is("from") {
		s := &ir.LockTable{At: at, Table: p.tableName()}
		p.expect("in")
		s.Mode = p.tableLock()
		return s
	}
	s := &ir.LockRows{At: at, Query: p.query()}
	s.Order, s.Limit, s.Locks = p.order(), p.limit(), p.locks()
	p.rows = nil
	return s
}

func (p *parser) tableLock() ir.TableLock {
	for _, m := range []ir.TableLock{ir.AccessShare, ir.RowShare, ir.RowExclusive, ir.ShareUpdateExclusive,
		ir.ShareRowExclusive, ir.Share, ir.Exclusive, ir.AccessExclusive} {
		if p.acceptWords(m.String()) {
			return m
		}
	}
	p.fail(p.tok().pos, "expected a table lock mode such as share row exclusive, found %s", p.tok())
	return 0
}

// dropped reads the rest of a Dropped.
func (p *parser) dropped(at ir.At) ir.Stmt {
	s := &ir.Dropped{At: at}
	for !p.acceptWords(s.Kind.String()) {
		if s.Kind++; int(s.Kind) == len(irwords.Refusals) {
			p.fail(p.tok().pos, "expected what is dropped, such as row lock, found %s", p.tok())
		}
	}
	s.What, s.Tables = p.text("what is dropped"), p.tableSet()
	s.Observes = p.acceptWords("observed")
	if p.is("from") {
		s.Query = p.query()
		s.Order, s.Limit, s.Locks = p.order(), p.limit(), p.locks()
		p.rows = nil
	}
	if p.accept("number") {
		p.expect("(")
		for len(s.Number) == 0 || p.accept(",") {
			s.Number = append(s.Number, p.expr())
		}
		p.expect(")")
		s.Shared = p.accept("shared")
	}
	return s
}
