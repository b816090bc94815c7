// Package interp executes programs concretely: serially, and at snapshot
// isolation as in CAV'19 (figure 7) with the exclusions of an engine profile.
// It is the oracle of everything else.
//
// A transaction has two events. Run is the first: it takes a snapshot and
// computes outputs, writes and locks from it. Machine.Commit is the second: it
// checks the exclusions against the transactions that committed since the
// snapshot and applies the writes. Explore goes through all interleavings of
// these events for given sessions, and compares every outcome with the
// outcomes of all serial orders; for a finite program that decides robustness.
//
// Machine.Interrupt and Machine.Wait are apart: they execute one transaction at READ COMMITTED, while
// others run between two of its commands, or while it waits for one (Split).
//
// What is observed: emitted values, registers that are kept, and the final
// state. Reads that reach none of these are not observations.
//
// Nondeterminism is of two kinds. Parameters and havocked values belong to the
// Instance and are the same in every order. Which row a SELECT without a total
// order takes, the order of a loop without ORDER BY, and whether an ON
// CONFLICT finds its row deleted meanwhile, are choices of each run.
package interp
