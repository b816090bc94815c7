// Package follow judges a history while it is recorded, and remembers a window of it only. It
// decides RC, RA, CC, SI and SER of registers and lists. An answer is the one about the whole
// history, or Unknown with a reason.
//
// # Accepting
//
// The open transactions are those that are not closed. For them an order is found that satisfies
// the level, where the last versions of the closed ones are the initial ones: by executing them
// in about the order of the stream (schedule.go: SER and SI), by sorting what the level demands
// (weak.go: RC, RA, CC), or by asking the other checkers. The first transactions of that
// order, which are a part of it that is closed under session order and read dependencies, are
// then closed: of what they wrote the last versions stay.
//
// The orders of closed transactions, one after the other, and an order of the open ones are
// together an order of all transactions. It satisfies the level:
//
//   - SER. A read of an open transaction finds the last version of those before it, or that of
//     the closed past.
//   - SI. The same holds for snapshots that are not older than the past. An open transaction
//     with an older one (it read what a closed one overwrote) keeps the snapshot that it has in
//     the order that was found. Its reads are settled: nothing that is still to come changes
//     what that snapshot holds. What it writes must not have been written by anybody since; in the
//     past nobody did, for the order was one of SI, and of the open ones nobody may, which
//     follows from a read of the last closed version that it is given: first committer wins.
//   - RC, RA, CC. A reader of a version must not see a later one of the key. What it sees is
//     closed or comes with it; it is known when all that it read is recorded, and only then may a
//     read of an overwritten version be settled. All that it demands is then about closed
//     transactions, whose order satisfies it. A read of the last closed version demands that
//     nobody open who wrote the key is seen, as a read of an initial version does.
//
// A transaction stays open while a write that it read is still to be recorded, and so does
// what follows it in the order. One of unknown outcome takes effect if an open or later one
// reads from it; it is closed without effect when it is old, or when its session went on in the
// past, and a later read of it finds nothing that it may come from.
//
// An order of the past is a choice. Where it does not fit what comes later, another one might
// have: the level is then violated or unknown, never accepted.
//
// # Rejecting
//
// If a history satisfies a level, then so does a part of it: some transactions, where reads of
// what the others wrote say nothing. For the order of all is one of the part, and every
// read that is left finds the same last version. (Of a list that is read the part has the
// elements of its own transactions. At SI and SER the reader sees all of them. At RC, RA and CC
// it sees the writer of the last element, so that the read says nothing if that is left out.)
// So what violates a level among the remembered transactions, in any order of time, violates
// it in the whole history. All checkers are asked about them when no order was found.
//
// This needs the writer of what was read. A version of which a remembered transaction is the only
// writer might be written again later: each violation keeps the versions that the reads beside it
// saw, and if one of them is written again the level becomes unknown. Whether a forgotten
// transaction wrote a version tells a Bloom filter, which errs on one side only: reads
// of what may have been written before say nothing. It also tells, at the end of a complete
// recording, that a value came out of thin air.
//
// # Memory
//
// At most three windows of transactions and a Bloom filter of at most 128 MB, and for each key
// the last version: of a list its length and two hashes with random seeds, so that two lists
// are taken for one with a probability of about 2⁻¹²⁸. The names of keys and sessions are kept.
//
// # Limits
//
// Levels with real time, ranges, inserts, deletes, sets, counters and versions with an identity
// are not followed. In a recording that has one session after the other nearly every read
// comes before its write, so that most levels become unknown.
package follow
