// Package check decides whether a program is robust: it goes through every execution of a
// finite program, or else looks for a proof, or else searches an execution that no serial
// order explains, confirms it, and reports.
//
// Package robust is what users of the library see of it; the command has it directly, for
// the cache of answers, for the checkers of histories to ask, and to make proofs again.
package check
