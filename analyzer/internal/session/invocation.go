package session

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
)

// Invocation is a call whose operands are known.
type Invocation struct {
	C    *ssa.CallCommon
	Fn   memory.Value   // of calls that are no method calls through an interface
	Args []memory.Value // the receiver first
	T    types.Type
	At   token.Pos
	Site ssa.Value // the instruction, nil for deferred calls
	Name string    // the full name of the function, where a library models it
}

// ResultType is the type of what a call gives: a tuple, unless there is one result.
func ResultType(sig *types.Signature) types.Type {
	if sig.Results().Len() == 1 {
		return sig.Results().At(0).Type()
	}
	return sig.Results()
}
