// Package trace tells what the translation of SQL does, for those who work on it.
package trace

import "github.com/txrobust/robust/ir"

// event is something that the translation did.
type event struct {
	phase string
	at    ir.Pos
	text  string
}

// The phases of which events tell.
const (
	// Syntax has the statements as they were parsed.
	Syntax = "syntax"
	// Bind has the queries, with the form that each has, its sources and the types of its columns.
	Bind = "bind"
	// Rules has the rules that rewrote something.
	Rules = "rules"
)

// Rule names a rewriting of SQL into what the IR has.
type Rule string

// The rules.
const (
	Flatten      Rule = "flatten: a query in FROM becomes a part of the query around it"
	Derive       Rule = "derive: a query becomes a derivation"
	RunBefore    Rule = "run-before: a subquery that is a value runs before its statement"
	ChooseCut    Rule = "choose-cut: rows are chosen for LIMIT and OFFSET"
	ChooseFree   Rule = "choose-free: rows are chosen for SKIP LOCKED"
	LoopSeries   Rule = "loop-series: a set-returning function becomes a loop"
	ExpandTable  Rule = "expand-table: a function in FROM becomes its query"
	Inline       Rule = "inline: a call becomes the body of the function"
	FireTrigger  Rule = "fire-trigger: a write runs the body of a trigger"
	JoinSelf     Rule = "join-self: a source of FROM or USING is the row that is written"
	MoveRow      Rule = "move-row: an UPDATE of a key becomes DELETE and INSERT"
	FoldBranch   Rule = "fold-branch: a branch is left out that its condition never lets run"
	ExistsForAny Rule = "exists: IN, ANY or ALL becomes EXISTS"
)

// Log is what there is to tell of the translation of a transaction.
type Log struct {
	// Hear, if not nil, is told of it.
	Hear   func(phase string, at ir.Pos, text string)
	events []event
}

// Tell takes note of an event, if somebody listens.
func (l *Log) Tell(phase string, at ir.Pos, text func() string) {
	if l.Hear != nil {
		l.events = append(l.events, event{phase, at, text()})
	}
}

// Applied takes note that a rule was applied.
func (l *Log) Applied(r Rule, at ir.Pos) {
	l.Tell(Rules, at, func() string { return string(r) })
}

// Mark gives what forgets all events from here on, of a translation that is given up.
func (l *Log) Mark() (forget func()) {
	n := len(l.events)
	return func() { l.events = l.events[:n] }
}

// Told passes on the events of a translation that is complete.
func (l *Log) Told() {
	for _, e := range l.events {
		l.Hear(e.phase, e.at, e.text)
	}
}
