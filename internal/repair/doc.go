// Package repair proposes changes of SQL, in files or in Go source, that make a program robust, and proves each of them.
//
// A finding names the reads that a concurrent write makes stale. Each of them gives
// candidates: lock what is read, write it again, let a constraint refuse the second of two
// rows, or write a row that all of them have in common. A candidate is applied to the text of the
// program, and the program is checked again: only one with a proof of robustness is a
// repair. One that removes a finding and leaves another one is made longer, cheaper ones
// first. What does not remove the finding is kept, since folk advice often proposes it.
//
// Candidates insert text or replace a part of a statement, so that formatting and comments stay as they are. In
// Go they change the strings that are sent, and the calls by which transactions begin (package gosource). Where
// a string is one statement, a further write becomes a WITH query of it, which has the same snapshot.
package repair
