package memory

import (
	"maps"

	"github.com/txrobust/robust/internal/client"
)

// Pair is a text that is computed from another one: by the text that the other one
// is, those that it may be.
type Pair struct {
	Of string // a variable, or an index (indexKey)
	By map[string][]string
}

// VarFacts are what is known of variables by their names.
type VarFacts struct {
	named map[string]int
	// inputs are what cells that are given hold, texts what the variables with
	// known texts hold.
	inputs map[*Cell]Value
	Texts  map[string][]string
	// Pairs says of variables with texts from which others these were computed.
	Pairs map[string]Pair
	// Indexes says of variables with texts by which index they were taken from a list.
	Indexes map[string]Pair
	// Fresheds are the variables with values that nobody used before.
	Fresheds map[string]bool
	// origins are the paths on which variables get the codes of errors.
	origins map[string][]errorOrigin
	// Keys says of the variables that hold primary keys of rows whether there was
	// a row.
	Keys map[string]client.Expr
	// Shown are the variables that the program looks at when the transaction is
	// over.
	Shown map[string]bool
}

func newVarFacts() VarFacts {
	return VarFacts{map[string]int{}, map[*Cell]Value{}, map[string][]string{}, map[string]Pair{}, map[string]Pair{},
		map[string]bool{}, map[string][]errorOrigin{}, map[string]client.Expr{}, map[string]bool{}}
}

func (f VarFacts) Clone() VarFacts {
	return VarFacts{maps.Clone(f.named), maps.Clone(f.inputs), maps.Clone(f.Texts), maps.Clone(f.Pairs), maps.Clone(f.Indexes),
		maps.Clone(f.Fresheds), maps.Clone(f.origins), maps.Clone(f.Keys), maps.Clone(f.Shown)}
}
