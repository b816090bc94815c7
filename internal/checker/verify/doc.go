// Package verify makes sure of the witnesses of positive verdicts: it executes the
// transactions of a history in the commit order that a checker gives, and compares what
// they read with what they should read. It shares nothing with any checker.
//
// # What is verified
//
// The order has each committed transaction once, no aborted one and not the initial
// one; transactions of unknown outcome are in it or not. Each transaction has a
// snapshot: how many of the order came before it began. It is as the level demands:
//
//	PC, SI, SER, SSSI, StrongSI, SSER   contains the past of the session
//	SI, PL-SI, GSI, SSSI, StrongSI      contains all that wrote the same keys before
//	SER, PL-3, SSER                     contains all that is before in the order
//	GSI, SSSI, StrongSI, SSER           the order is that of real time
//	StrongSI                            contains all that ended before it began
//
// What a transaction reads is what the last one of its snapshot wrote to the key,
// or what it wrote itself before. The time is linear in the size of the history,
// apart from ranges, which look at all keys.
//
// # Limits
//
// Registers and lists; reads of sets and counters are an error, and so are the
// levels below PC, which have no snapshots. If it is not known what a register held
// initially, it is what is read first of its initial version.
package verify
