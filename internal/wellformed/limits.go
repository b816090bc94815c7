package wellformed

import "github.com/txrobust/robust/internal/ir"

// What a text may have at most, so that none can exhaust stack or memory. The
// programs of package sqlmodel stay below.
const (
	// MaxText is the bytes of a program.
	MaxText = 8 << 20
	// MaxDepth is the nesting of expressions, of parentheses and operators
	// together; MaxBlocks that of statements; MaxRows the row variables in scope.
	MaxDepth  = 20000
	MaxBlocks = 2000
	MaxRows   = 500
	// MaxChain is the operators that follow one another without parentheses.
	MaxChain = 20000
	// MaxLocals and MaxLabels are those of a transaction.
	MaxLocals = 20000
	MaxLabels = 2000
)

// ParseFailure is what Catch catches.
type ParseFailure struct{ Err *ir.Error }

// Catch runs f, and gives the fault for which it stops.
func Catch(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			pf, ok := r.(ParseFailure)
			if !ok {
				panic(r)
			}
			err = pf.Err
		}
	}()
	f()
	return nil
}
