package movers

import (
	"strings"

	"github.com/txrobust/robust/ir"
)

// Kind is how a transaction takes part in the window of a delayed one.
type Kind uint8

const (
	// Atomic: it begins and commits inside the window.
	Atomic Kind = iota
	// Issued: it takes its snapshot inside the window and commits after it.
	Issued
)

func (k Kind) String() string { return [...]string{"atomic", "issued"}[k] }

// node is a transaction of a session.
type node struct {
	txn     *ir.Txn
	process *ir.Process // nil: any session
	index   int         // in the process
	// reads and writes are what it touches; see touch.
	reads, writes []string
}

// single reports whether the node runs at most once.
func (n *node) single() bool { return n.process != nil && n.process.Copies == 1 }

// elem is a node in a chain.
type elem struct {
	node int
	kind Kind
}

// Helper is a transaction on a walk.
type Helper struct {
	Txn  *ir.Txn
	Kind Kind
}

// Walk is a closed walk: Delayed is delayed around Helpers, which form a chain
// from its snapshot to its commit.
type Walk struct {
	Delayed *ir.Txn
	Helpers []Helper
	// Unknown is the solver's reason where it could not decide whether the
	// walk is possible, or "".
	Unknown string
	// Example is a state in which it is possible, as far as the solver can
	// tell, and the parameters of the transactions, the delayed one first; there
	// with Options.Explain.
	Example []string
}

// String names the transactions in order, the delayed one first and last.
func (w *Walk) String() string {
	parts := []string{w.Delayed.Name}
	for _, h := range w.Helpers {
		name := h.Txn.Name
		if h.Kind == Issued {
			name += " (still running)"
		}
		parts = append(parts, name)
	}
	return strings.Join(append(parts, w.Delayed.Name), " -> ")
}

// Templates gives the transactions of the walk, the delayed one first.
func (w *Walk) Templates() []*ir.Txn {
	out := []*ir.Txn{w.Delayed}
	for _, h := range w.Helpers {
		out = append(out, h.Txn)
	}
	return out
}

// nodes are the vertices of a program. With once, a template that is like one
// before it is left out if it has no finding of its own, since no run of it can be
// executed to a commit that writes: whatever it does, the other one may do.
func nodes(p *ir.Program, once bool) []*node {
	var out []*node
	if len(p.Processes) == 0 {
		like := map[string]bool{}
		for _, t := range p.Txns {
			if once && !ir.CommitsOf(t).Writing {
				if k := likeness(t); like[k] {
					continue
				} else {
					like[k] = true
				}
			}
			out = append(out, &node{txn: t})
		}
		return out
	}
	for _, pr := range p.Processes {
		for i, t := range pr.Txns {
			out = append(out, &node{txn: t, process: pr, index: i})
		}
	}
	return out
}
