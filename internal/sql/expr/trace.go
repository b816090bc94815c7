package expr

import "github.com/txrobust/robust/ir"

// Event is something that the translation did, for those who work on it. Those of a translation
// that was given up are forgotten with what it wrote.
type Event struct {
	Phase string
	At    ir.Pos
	Text  string
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
	ExistsForAny Rule = "exists: IN, ANY or ALL becomes EXISTS"
)

// Tell tells of an event, if somebody listens.
func (b *Draft) Tell(phase string, at ir.Pos, text func() string) {
	if b.App.In.Trace != nil {
		b.events = append(b.events, Event{phase, at, text()})
	}
}

// Applied tells that a rule was applied.
func (b *Draft) Applied(r Rule, at ir.Pos) {
	b.Tell(Rules, at, func() string { return string(r) })
}

// Told passes on the events of a translation that is complete.
func (b *Draft) Told() {
	for _, e := range b.events {
		b.App.In.Trace(e.Phase, e.At, e.Text)
	}
}
