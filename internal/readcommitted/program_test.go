package readcommitted_test

import (
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/sqlmodel"
)

// program reads SQL as one application, of which the transactions named count, or all if none is.
func program(t *testing.T, name, text string, txns ...string) *ir.Program {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "app.sql", Text: text}}, sqlmodel.Options{Txns: txns})
	if err != nil {
		t.Fatal(name, err)
	}
	return p
}

// settle settles all transactions of a program.
func settle(p *ir.Program) map[*ir.Txn]readcommitted.Settled {
	return readcommitted.Settle(p, func(*ir.Txn) bool { return true })
}

// wantAtomic tests whether a transaction of a program is atomic.
func wantAtomic(t *testing.T, name string, p *ir.Program, txn string, want bool) {
	t.Helper()
	s := settle(p)[p.Txn(txn)]
	if is := s.Standing == readcommitted.Atomic; is != want {
		t.Errorf("%s: %d (%s), want atomic: %v", name, s.Standing, s.Reason, want)
	}
}
