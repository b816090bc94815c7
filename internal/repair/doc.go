// Package repair proposes changes of SQL that make a program robust, and proves each of them.
//
// A finding names the reads that a concurrent write makes stale. Each of them gives
// candidates: lock what is read, write it again, let a constraint refuse the second of two
// rows, or write a row that all of them have in common. A candidate is applied to the text of the
// program, and the program is checked again: only one with a proof of robustness is a
// repair. One that removes a finding and leaves another one is made longer, cheaper ones
// first. What does not remove the finding is kept, since folk advice often proposes it.
//
// Candidates only insert text, so that formatting and comments stay as they are.
package repair
