package memory

import (
	"maps"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
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
	// values are the numbers and texts one of which a variable holds.
	values map[string][]ir.Value
	// Pairs says of variables with texts from which others these were computed.
	Pairs map[string]Pair
	// Indexes says of variables with texts by which index they were taken from a list.
	Indexes map[string]Pair
	// Fresheds are the variables with values that nobody used before.
	Fresheds map[string]bool
	// origins are the paths on which variables get the codes of errors.
	origins map[string][]errorOrigin
	// choices are the conditions of the variables that Choice made.
	choices map[string]client.Expr
	// held says, in a trace, who holds the transactions that variables may be (Handle.Held).
	held map[string]string
	// Keys says of the variables that hold primary keys of rows whether there was
	// a row.
	Keys map[string]client.Expr
	// Shown are the variables that the program looks at when the transaction is
	// over.
	Shown map[string]bool
	// Unkept are those that it looks at when the transaction is rolled back: they are shown
	// if it never commits, since nothing but a reader ends so.
	Unkept map[string]bool
	// lists says of variables what lists they hold, by the loops that gather them; taken are the variables for elements of the
	// list of a loop, and shared the loops whose lists somebody may have changed. Lost are variables for elements that may have been.
	lists  map[string]gathered
	taken  map[string][]string
	shared map[string]bool
	Lost   map[string]bool
	// entries are what maps of each type got.
	entries map[string][]client.Expr
}

func newVarFacts() VarFacts {
	return VarFacts{named: map[string]int{}, inputs: map[*Cell]Value{}, Texts: map[string][]string{}, values: map[string][]ir.Value{}, Pairs: map[string]Pair{}, Indexes: map[string]Pair{},
		Fresheds: map[string]bool{}, origins: map[string][]errorOrigin{}, choices: map[string]client.Expr{}, held: map[string]string{}, Keys: map[string]client.Expr{}, Shown: map[string]bool{}, Unkept: map[string]bool{},
		lists: map[string]gathered{}, taken: map[string][]string{}, shared: map[string]bool{}, Lost: map[string]bool{}, entries: map[string][]client.Expr{}}
}

// Clone copies facts.
func (f VarFacts) Clone() VarFacts {
	return VarFacts{named: maps.Clone(f.named), inputs: maps.Clone(f.inputs), Texts: maps.Clone(f.Texts), values: maps.Clone(f.values), Pairs: maps.Clone(f.Pairs), Indexes: maps.Clone(f.Indexes),
		Fresheds: maps.Clone(f.Fresheds), origins: maps.Clone(f.origins), choices: maps.Clone(f.choices), held: maps.Clone(f.held), Keys: maps.Clone(f.Keys), Shown: maps.Clone(f.Shown), Unkept: maps.Clone(f.Unkept),
		lists: maps.Clone(f.lists), taken: maps.Clone(f.taken), shared: maps.Clone(f.shared), Lost: maps.Clone(f.Lost), entries: maps.Clone(f.entries)}
}
