// Package walk has the closed walks through the dependency graph of a program: what a proof
// leaves open, and what the search of executions begins with. Neither knows the other.
package walk

import (
	"slices"
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
	// if whoever found the walk was asked to explain it.
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

// Ring names the transactions going round: walks that differ only in which one is delayed have the same.
func (w *Walk) Ring() string {
	var names []string
	for _, t := range w.Templates() {
		names = append(names, t.Name)
	}
	least := names
	for k := range names {
		if turn := slices.Concat(names[k:], names[:k]); slices.Compare(turn, least) < 0 {
			least = turn
		}
	}
	return strings.Join(least, " -> ")
}
