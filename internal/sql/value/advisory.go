package value

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// AdvisoryLock is the call of a function that locks a number. Which one is known if it is sure
// that the function is called, and if the lock lasts until the transaction ends.
func AdvisoryLock(at ir.At, name string, always bool, args int, arg func(int) ir.Expr) *ir.Dropped {
	d := &ir.Dropped{At: at, Kind: ir.ByAdvisoryLock, What: "the advisory lock of " + name}
	if !always || args == 0 || !strings.HasPrefix(name, "pg_advisory_xact_lock") {
		return d
	}
	var number []ir.Expr
	for i := range args {
		if !total(arg(i)) {
			return d
		}
		number = append(number, arg(i))
	}
	d.Number, d.Shared = number, strings.HasSuffix(name, "_shared")
	return d
}

// total reports whether an expression has a value unless something in it is NULL, and the
// same whenever it is computed of the same values. A lock of NULL is none.
func total(e ir.Expr) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Const:
			ok = ok && e.Value != ir.Null
		case *ir.Var:
		case *ir.Binary:
			ok = ok && e.Op >= ir.Add
		case *ir.Call:
			f := e.Function()
			ok = ok && f != nil && f.Strict && !f.Partial && !f.Settings
		default:
			ok = false
		}
	})
	return ok
}
