package report

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
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
	// Pairs say for each two transactions of a proof why they do not hold each other.
	Pairs []PairGroup `json:"pairs"`
	// Settle says what may lead to a verdict, and was not tried.
	Settle []string `json:"settle"`
	// Advice is what was tried for a verdict, what leads furthest first in each kind.
	Advice []Advice `json:"advice"`
}

// Advice is something to do, with what came of it when it was tried.
type Advice struct {
	// Kind is "statement", "invariant" or "bound".
	Kind string `json:"kind"`
	// Text says what to do, and Position where, if that is one place.
	Text     string    `json:"text"`
	Position *Position `json:"position,omitempty"`
	// Paste are lines for the schema.
	Paste []string `json:"paste"`
	// Result is what a check with it found, or says that it was not tried.
	Result string `json:"result"`
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

// PairGroup is pairs of transactions with one reason.
type PairGroup struct {
	// Kind is "excluded", "commutes", "never-delayed", "off-cycle" or "apart".
	Kind string `json:"kind"`
	// Text is the reason in a sentence, and Needs what it rests on: keys, locks, references, conditions, facts.
	Text  string   `json:"text"`
	Needs []string `json:"needs"`
	// Obligations are the questions that were refuted for it, as Refuted has them.
	Obligations []string `json:"obligations"`
	Pairs       []pair   `json:"pairs"`
}

// Add adds a pair, with where it meets.
func (g *PairGroup) Add(first, second string, meets []Meeting) {
	g.Pairs = append(g.Pairs, pair{first, second, meets})
}

// pair is two transactions, or two runs of one, with where they meet.
type pair struct {
	First  string    `json:"first"`
	Second string    `json:"second"`
	Meets  []Meeting `json:"meets"`
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
	t.pairs(e)
	if len(e.Pairs) > 0 {
		t.line("")
		t.line("Step by step:")
	}
	for _, b := range e.NeverDelayed {
		t.para("- ", b.Transaction+" "+b.Text+".")
	}
	for i, p := range e.Refuted {
		if i == maxPieces && len(e.Refuted) > maxPieces+1 && !t.opt.Verbose {
			t.line("- … and %s (-v lists them)", quote.Count(len(e.Refuted)-i, "other piece"))
			break
		}
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
	t.advice(e.Advice)
}

// maxPieces bounds the pieces of walks that are listed without Verbose, maxPairs the pairs of a group.
const (
	maxPieces = 24
	maxPairs  = 6
)

// pairs is the argument of a proof by pairs of transactions.
func (t *text) pairs(e *Explanation) {
	if len(e.Pairs) > 0 {
		t.line("")
		t.line("Pair by pair:")
	}
	for _, g := range e.Pairs {
		t.para("- ", g.Sentence()+".")
		shown := g.Pairs
		if g.Kind == codes.PairApart && !t.opt.Verbose {
			continue
		}
		if !t.opt.Verbose {
			shown = shown[:min(len(shown), maxPairs)]
		}
		for _, p := range shown {
			t.para("    ", p.String())
		}
		if n := len(g.Pairs) - len(shown); n > 0 {
			t.line("    … and %s (-v lists them)", quote.Count(n, "other pair"))
		}
		for _, n := range g.Needs {
			t.para("    needs: ", n)
		}
	}
}

// Sentence is the reason with what it is about.
func (g *PairGroup) Sentence() string {
	s := quote.Count(len(g.Pairs), "pair") + ": " + g.Text
	if n := len(g.Obligations); n > 0 {
		s += fmt.Sprintf(" (%s)", quote.Count(n, "obligation"))
	}
	return s
}

// String names a pair, and where it meets.
func (p *pair) String() string {
	s := p.First + " and " + p.Second
	if p.First == p.Second {
		s = "two of " + p.First
	}
	for i, m := range p.Meets {
		if s += ", "; i == 0 {
			s = strings.TrimSuffix(s, ", ") + ": "
		}
		s += m.Table
		if len(m.Columns) > 0 {
			s += " (" + strings.Join(m.Columns, ", ") + ")"
		}
		s += " at " + m.From.Short()
		if m.To != m.From {
			s += " and " + m.To.Short()
		}
	}
	return s
}

// reasons says what is stale in a finding, and why no serial order has its results.
func (t *text) reasons(f *Finding) {
	if f.NoOrder == "" {
		return
	}
	t.line("")
	t.line("   Why it is one:")
	for _, n := range f.Stale {
		t.para("   - ", n.Text+".")
	}
	t.para("   - ", "No serial order: "+f.NoOrder+".")
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
