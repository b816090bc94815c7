package acyclic

import "fmt"

// Var is a Boolean variable of a Problem: 0, 1, …
type Var int32

// Lit is a variable or its negation.
type Lit int32

// True is the literal that holds if the variable is true.
func (v Var) True() Lit { return Lit(v) << 1 }

// False is the literal that holds if the variable is false.
func (v Var) False() Lit { return Lit(v)<<1 | 1 }

// Not is the negation.
func (l Lit) Not() Lit { return l ^ 1 }

// Var is the variable of the literal.
func (l Lit) Var() Var { return Var(l >> 1) }

// arc is an edge that is there in any case.
type arc struct{ from, to int32 }

// conditional is an edge that is there if a literal is true.
type conditional struct {
	arc
	when Lit
}

// Problem is a graph with choices. It may be extended and solved again.
type Problem struct {
	nodes   int
	known   []arc
	edges   []conditional
	first   []bool // of variables: what to try first
	clauses [][]Lit
}

// NewProblem gives a graph of some nodes, 0, 1, …, and no edges.
func NewProblem(nodes int) *Problem { return &Problem{nodes: nodes} }

// NumVars is the number of variables.
func (p *Problem) NumVars() int { return len(p.first) }

// Edge adds an edge that is there in any case.
func (p *Problem) Edge(from, to int32) { p.known = append(p.known, arc{from, to}) }

// When adds an edge that is there if a literal is true.
func (p *Problem) When(l Lit, from, to int32) {
	p.edges = append(p.edges, conditional{arc{from, to}, l})
}

// Var adds a variable, and says what to try first. Variables are decided in their
// order as long as no conflict says otherwise.
func (p *Problem) Var(first bool) Var {
	p.first = append(p.first, first)
	return Var(len(p.first) - 1)
}

// Prefer says what to try first for a variable.
func (p *Problem) Prefer(v Var, first bool) { p.first[v] = first }

// Clause adds that one of some literals is true.
func (p *Problem) Clause(lits ...Lit) { p.clauses = append(p.clauses, lits) }

// Chosen gives the edges that are there with some values of the variables, without those that are
// there in any case. Variables without a value are left out.
func (p *Problem) Chosen(values []bool) [][2]int32 {
	var out [][2]int32
	for _, e := range p.edges {
		if v := int(e.when.Var()); v < len(values) && values[v] == (e.when&1 == 0) {
			out = append(out, [2]int32{e.from, e.to})
		}
	}
	return out
}

// Verdict says whether choices can be made so that there is no cycle.
type Verdict uint8

const (
	// Unknown: a bound was reached; Answer.Why says which.
	Unknown Verdict = iota
	Acyclic
	Cyclic // whatever is chosen
)

func (v Verdict) String() string {
	switch v {
	case Unknown:
		return "unknown"
	case Acyclic:
		return "acyclic"
	case Cyclic:
		return "cyclic"
	}
	panic(fmt.Sprintf("acyclic: unknown verdict %d", uint8(v)))
}

// Answer is what Solve found.
type Answer struct {
	Verdict Verdict
	// Why says what bound made the verdict Unknown.
	Why string
	// Values are those of the variables, if the verdict is Acyclic.
	Values []bool
	// Part are variables, sorted, whose choices alone leave no way, if the verdict is
	// Cyclic: those of one group of components. It is empty if there is a cycle of
	// edges that are there in any case.
	Part []Var
	// Conflicts is how many there were in the search.
	Conflicts int
}

// Options bound the search.
type Options struct {
	// Workers is how many components are solved at a time; 1 if it is 0.
	Workers int
	// Memory is about how many bytes the search may take; 512 MB if it is 0.
	Memory int64
	// Conflicts bounds the conflicts of each group of components; no bound if it
	// is 0.
	Conflicts int
	// Seed makes the search try another way.
	Seed uint64
}

const defaultMemory = 512 << 20
