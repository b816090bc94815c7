package report

import (
	"fmt"
	"strings"
)

// Explanation says what carried a proof, what was looked at, or what is missing,
// in more words than a Proof or Open.
type Explanation struct {
	// Summary is a sentence.
	Summary string `json:"summary"`
	// Refuted are the pieces of walks that a proof needs to be impossible.
	Refuted []RefutedPiece `json:"refuted"`
	// NeverDelayed names transactions that have no walks, with the reason.
	NeverDelayed []Because `json:"never_delayed"`
	// Facts are the inductive facts that are needed.
	Facts []NeededFact `json:"facts"`
	// Walks are those that were searched for an execution.
	Walks []SearchedWalk `json:"walks"`
	// Findings explains each finding.
	Findings []ExplainedFinding `json:"findings"`
	// Settle says what may lead to a verdict, and was not tried.
	Settle []string `json:"settle"`
	// Advice is what was tried for a verdict, what leads furthest first in each kind.
	Advice []Advice `json:"advice"`
}

// AdviceKind is a kind of advice.
type AdviceKind string

// The kinds: to write another statement in place of one that is not modelled, to state a fact about rows,
// and to allow the check more.
const (
	AdviceStatement AdviceKind = "statement"
	AdviceInvariant AdviceKind = "invariant"
	AdviceBound     AdviceKind = "bound"
)

// Advice is something to do, with what came of it when it was tried.
type Advice struct {
	Kind AdviceKind `json:"kind"`
	// Text says what to do, and Position where, if that is one place.
	Text     string    `json:"text"`
	Position *Position `json:"position,omitempty"`
	// Paste are lines for the schema.
	Paste []string `json:"paste"`
	// Result is what a check with it found, or says that it was not tried.
	Result string `json:"result"`
}

// ExplainedFinding says which reads of a finding are stale, and why no serial order has its results.
type ExplainedFinding struct {
	Fingerprint string      `json:"fingerprint"`
	Title       string      `json:"title"`
	Stale       []StaleRead `json:"stale"`
	Why         string      `json:"why"`
}

// StaleRead is a read of what another transaction of the execution changes without being seen.
type StaleRead struct {
	// Reader and Writer are labels.
	Reader string   `json:"reader"`
	Writer string   `json:"writer"`
	Read   Position `json:"read"`
	Write  Position `json:"write"`
	Text   string   `json:"text"`
}

// RefutedPiece is a piece of a walk that is impossible.
type RefutedPiece struct {
	// Question names it in the terms of docs/soundness.md, section 4.1.
	Question string `json:"question"`
	// Text says in a sentence what is impossible.
	Text string `json:"text"`
	// By is "solver" or "syntax".
	By string `json:"by"`
	// Needs are the things without which the solver could not tell; empty
	// where what the transactions do is enough.
	Needs []string `json:"needs"`
}

// Because is something with its reason.
type Because struct {
	Transaction string `json:"transaction"`
	Text        string `json:"text"`
}

// NeededFact is a fact with what needs it.
type NeededFact struct {
	Text   string `json:"text"`
	Stated bool   `json:"stated"`
	// For names the questions, and Keeps the templates that write its tables
	// and keep it.
	For   []string `json:"for"`
	Keeps []string `json:"keeps"`
}

// SearchedWalk is a walk that no proof excludes.
type SearchedWalk struct {
	// Transactions are its names in order, the delayed one first.
	Transactions []string `json:"transactions"`
	// Text says what is known of it.
	Text string `json:"text"`
	// Example is a state, and calls, in which the solver finds it possible.
	Example []string `json:"example"`
	// Unmodelled are the statements on it that are taken to do anything.
	Unmodelled []Havoc `json:"unmodelled"`
}

// explain writes an explanation for people. What may settle the verdict is
// said before.
func (t *text) explain(e *Explanation) {
	t.line("")
	t.para("Explanation: ", e.Summary+".")
	for _, b := range e.NeverDelayed {
		t.para("- ", b.Transaction+" "+b.Text+".")
	}
	for _, p := range e.Refuted {
		t.para("- ", p.Text+" ["+p.Question+"]")
		for _, n := range p.Needs {
			t.para("    needs: ", n)
		}
	}
	for _, f := range e.Facts {
		t.para("- ", "The fact: "+f.Text)
		for _, q := range f.For {
			t.para("    is needed for: ", q)
		}
		for _, k := range f.Keeps {
			t.para("    is kept by ", k)
		}
	}
	for _, w := range e.Walks {
		t.para("- ", w.Text)
		if len(w.Example) > 0 {
			t.para("    for example: ", strings.Join(w.Example, "; "))
		}
		t.havocs("    not modelled: ", w.Unmodelled)
	}
	for _, f := range e.Findings {
		t.para("- ", f.Title+":")
		for _, r := range f.Stale {
			t.para("    ", r.Text+".")
		}
		t.para("    no serial order: ", f.Why+".")
	}
	t.advice(e.Advice)
}

// advice lists what was tried.
func (t *text) advice(list []Advice) {
	if len(list) == 0 {
		return
	}
	t.line("")
	t.line("What to do, as it was tried:")
	for _, a := range list {
		at := ""
		if p := a.Position; p != nil {
			at = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Col)
		}
		colon := "."
		if len(a.Paste) > 0 {
			colon = ":"
		}
		t.para("- ", at+a.Text+colon)
		for _, line := range a.Paste {
			t.line("    %s", line)
		}
		t.para("  Tried: ", a.Result+".")
	}
}
