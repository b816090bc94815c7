// Package viper decides levels of snapshots and of serializability of recorded histories
// of registers and ranges: PL-SI, SI, GSI, SSSI and StrongSI, PL-3, SER and SSER. It is a
// second opinion beside package polysi, with which it shares the search of package acyclic
// and nothing else.
//
// # Method
//
// It is that of Viper (Zhang et al., "Viper: A Fast Snapshot Isolation Checker", EuroSys
// 2023). A BC-polygraph has two nodes for each transaction, its begin and its commit. A
// history satisfies the level if the choices can be made so that there is no cycle of
//
//	WR, WW, SO   from commit to begin
//	RW           from begin to commit
//	RT           from commit to commit for GSI and SSSI, to begin for StrongSI
//
// The serializable levels have one node for both. The choices (the constraints of Viper)
// are which of two writers of a key is first; with each order come the edges from those
// who read the first version to the second writer, as in Cobra. Where a transaction read a
// version and wrote the next one, nothing can come between, and that is no choice.
//
// Heuristic pruning takes the order of a guess for granted where begins and commits
// are far apart in it. If that leaves no way, the window is doubled, until nothing is
// taken for granted. Violated is only said when the constraints alone leave no way.
//
// What differs from the paper:
//
//   - The guess is no topological order but an execution: transactions begin when what
//     they read is there, and commit when nobody has to read any more what they overwrite,
//     as far as the known edges let them. Where nothing fits, one of them goes on all the
//     same. Without other times the sessions go on evenly.
//   - Only those constraints are made variables that a guess breaks. The search decides
//     these, the next execution obeys it, and so on, until an execution breaks nothing or
//     the constraints so far leave no way. So nothing is quadratic in the writers of a key.
//   - A level without sessions is first tried with them, and then without.
//   - Reads of the initial version, session order and real time take one node per key,
//     session place or time in place of one edge for each pair.
//   - Reads out of thin air, of aborted transactions, of intermediate versions, and those
//     that miss the own write are violations, which Viper accepts.
//   - A read of a value that was written twice, or of a key of which it is not known what it
//     held initially, is a choice. So is whether a transaction of unknown outcome took
//     effect, if somebody may have read from it; what nobody may have read is left out.
//   - GSI, SSSI and StrongSI are those of package isolation: commits are in the order of
//     real time between intervals. Viper also orders the stamps of concurrent commits.
//
// A range is a read of each key in it: of the version that it shows, alive or dead (a
// tombstone), and of the initial version where it shows none. Inserts and deletes are
// writes.
//
// # Answers
//
// Satisfied comes with the commits in their order, and how many of them were before each
// begin, for package verify. Violated comes with one read, or with a cycle and the reason of
// each order on it: the opposite one would close a cycle, too. The pairs that leave no way
// are made few by leaving out others, so that the proof is short, but not always the
// shortest. The level of a violation is the weakest of which it is one.
//
// # Limits
//
// Reads of lists, sets and counters are not judged: a history that has some is Violated if
// its registers are, and otherwise Unknown. The problem is NP-complete; Unknown is the answer
// when a bound of conflicts or memory is reached, and the error of the context when the time
// is over. Levels with real time are Unknown where a transaction ends before it begins. Where
// all choices of the writers that reads come from fail, the violation shown is that of one.
package viper
