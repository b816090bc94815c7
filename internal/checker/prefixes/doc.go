// Package prefixes decides RC, RA and CC of recorded histories of sets and counters.
//
// # Definition
//
// It is that of package brute: there is a commit order, and a read of a set or a counter returns what
// it held after some transaction before the reader in that order, which is its source. The
// axioms of Biswas and Enea (OOPSLA 2019) say which transactions come before the source. So every
// read shows a prefix of the writers of its key.
//
// # Method
//
// A list shows the same prefixes, and their order as well. So the history is written anew with
// lists, in a guessed order of the writers, and package c4 judges that. If it satisfies a level, so
// does the history, with the same commit order.
//
// What reads of a set show gives the order of its writers up to those that come between two states that were
// read. Who of them is the last, which is the source, is a guess. Where it never is, because only one transaction is between,
// what c4 rejects is rejected. Reads that show two states of which none contains the other one are violations, and so are those
// that show a part of what a transaction added. Each order that is tried is held against every read before c4 sees it.
//
// The guess is an execution: transactions come one after the other, each when what it read is there
// or was there. Increments come first whose sessions will read little. Some executions are tried.
//
// # Limits
//
// Of counters, and where several transactions come between two states, it only accepts. Which increments add up to what was
// read is a question of subsets of numbers, for which no method is known that is always fast.
// An element that is added to a set twice, and lists of more than some million elements together, are not judged.
package prefixes
