// Package proof is about proofs that a program is robust, as something that can
// be kept and checked by others: what was proved impossible, and why nothing
// else is possible.
//
// Graph.Walk is the last step of a proof, which needs no solver: it looks for a walk
// of a delayed transaction that contains none of the refuted pieces. A Manifest
// lists what a proof rests on, and Write stores it as a folder together with a
// self-contained SMT-LIB script for every refuted question; schema.json
// describes it. Verify checks such a folder: its digests, every script with the
// program z3, that no walk is left, and, given a way to make a proof anew from the
// sources along an Outline, that the folder is that proof, byte by byte.
//
// The package shares no code with the search for proofs (movers), and knows
// neither programs nor solvers: scripts are text.
//
// Source: docs/soundness.md, sections 4.1 and 4.3.
package proof
