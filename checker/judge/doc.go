// Package judge asks several checkers about one history, and makes one answer of
// theirs: which levels it satisfies, the strongest of them, and the anomalies.
//
// # Method
//
// The checkers are a table (methods), cheap ones first. Each is asked only if it
// can settle something that is still open: it is asked about the levels that it
// decides itself, and about those from which others follow. For whoever satisfies a
// level satisfies all that it implies, and whoever violates one violates all that imply
// it (package isolation). So a history that violates CC needs no search for
// a commit order of SER.
//
//   - sessions, in this package, looks for sessions that go backwards in time:
//     these no level allows that has sessions and real time.
//   - c4 decides RC, RA and CC of registers and lists. Where values were written twice
//     it has to search, and elle is asked before.
//   - elle decides any level where the history shows the order of versions, as
//     lists do, and where a replay of one order is a witness.
//   - polysi decides PL-SI, PL-3, SI and SER of registers, by a search.
//   - viper decides these and GSI, SSSI, StrongSI and SSER of registers, by another
//     search.
//   - adya decides PL-2, PL-2L, PL-2+ and PL-2.99 of registers, where there are at most
//     adya.MaxTxns transactions, by a search for orders of the versions.
//   - brute decides by definition what is small.
//
// Without times (history.NoOrder) a level with real time is the same as the one
// without: GSI is PL-SI, SSSI and StrongSI are SI, SSER is SER.
//
// What no checker decides is unknown, with the reasons of those that were asked.
//
// # What the verdicts mean
//
// The levels are those of package isolation. Three decisions are shared by all
// checkers:
//
// An Unknown transaction either committed or it did not, whichever lets the
// history satisfy more. If it did, its reads count. Reads of aborted transactions say
// nothing either.
//
// A value that was written twice may come from either write. The history
// satisfies a level if it does so for one choice of the writes that reads come
// from, and violates it if it does for none.
//
// A list has versions like a register: an append makes a new version that ends
// with its element, and the version of a transaction contains what all committed
// transactions up to it, in the commit order, appended. So a read of [1 2] says that
// 1 and 2 came first, in this order, at every level from RC on. That is how Elle
// understands lists. A database that merges concurrent appends in another way, so
// that the elements of a list change their places later, violates RC in this
// sense.
//
// # Disagreement
//
// If one checker accepts a level and another one rejects it, or one that it
// implies, one of them is wrong. Result.Conflicts says so; the levels that both
// answers speak of are unknown. No such history is known.
//
// A witness with snapshots is executed by package verify before it counts.
//
// # Limits
//
// PC of registers that nobody reads before writing is often unknown.
package judge
