// Package instrument rewrites a program so that it reaches an error state
// (ir.Fail) under serializability when the original has an anomaly at snapshot
// isolation in which one transaction is delayed. Any tool that answers
// reachability under serializability can then look for it.
//
// # The construction
//
// It is that of CAV'19 (Beillahi, Bouajjani, Enea, "Checking Robustness Against
// Snapshot Isolation"), section 5 and appendix C. One transaction, the
// attacker, is delayed between its snapshot and its commit: it reads and writes
// primed copies of the tables. The transactions that run meanwhile, the
// helpers, must each depend on the attacker or on an earlier helper, must not
// write what the attacker wrote, and the last of them reads something that the
// attacker wrote. The flags have the names of the paper:
//
//	HB               the attacker has read something: the chain may begin
//	a_trA            an attacker delays a transaction
//	a_stA            what it stored to last
//	p.a, p.hbh       this process is the attacker; has joined the chain
//	x', x.event'     the attacker's version of x, and that it wrote it
//	x.event          the chain's last access to x: ld or st
//	x.eventI         x.event as it was when the helper began
//
// Numbers in parentheses in the code are the line numbers of figures 3, 4, 9
// and 10. The result is an ordinary program: added statements have the place of
// the statement or transaction that they belong to, and each transaction is
//
//	if HB { as a helper } else { choose: delayed, or as it was }
//
// instead of a choice at every instruction, since transactions run one at a
// time. A transaction that stores nothing is not delayed.
//
// What differs from the figures, because they are not exact as printed (the
// tests of package reach have the programs): the attacker's own reads do not
// stop it from choosing a variable that it also writes, nor count as a read by
// the chain, because the last helper looks for x.event' when it reads, and
// what it has seen is kept in a local, a_stA.read; and what a savepoint undoes
// was not written.
//
// # Tables
//
// Flags are kept per row and column: x.event of a table is a table with its
// key, a column for every other column, and alive for the existence of the
// row. Exclusion is per row (x.event' has the row at all), dependencies are per
// column. What a query found depends also on rows that are not there; so a
// query over one table notes the values of the locals in its condition in a
// table of its own, T.N.event for the N-th query of transaction T, with its
// eventI. A helper that writes a row evaluates the noted conditions on the row
// before and after. A query that takes the first row in an order, or computes
// only MIN or MAX, also notes what it found, since only rows that come before
// matter. A helper that reads compares the table with its primed copy on the
// rows that were written: no helper writes what the attacker wrote, so that
// the copy has either the attacker's version or the one before the chain.
//
// Locks of the attacker exclude helpers, as the engine profile says. Unique keys,
// exclusions and foreign keys are checked when the attacker writes or commits, after
// the helpers: the primed tables do not have them, and before the error state
// the attacker's commit is carried out. A helper may take what the attacker
// needs, and then there is no error state, or free it: a key that the snapshot
// still shows, a unique value, the last child of a parent. By values, freeing
// closes the cycle as a read would, since the attacker's commit could not come
// first. A table with a hidden key gets a visible one. Tables that nobody writes
// have no flags.
//
// # Two notions of dependency
//
// With Options.Classic every access counts, as in theorem 2. Otherwise an
// access counts only where a value differs: a write that changes nothing joins
// no chain, a read joins or closes it only where the versions differ in a
// column that is returned, or in whether the row takes part.
//
// # What the answer means
//
// Exact: for programs whose transactions read and write shared variables
// (r := x, x := e; no queries with conditions), with Classic and engine.SI(),
// the error state is reachable if and only if the program is not robust
// (value-blind dependencies, session order included). In tests against
// exhaustive interpretation, 26,000 random programs of up to four transactions,
// 1,900 of them not robust, show no difference.
//
// For tables, with Classic and engine.SI(): without constraints between rows, what
// is reached is real in all tests (a cycle in the execution that the trace
// stands for); with them it is a claim, see below. What is missed needs two
// delayed transactions (exclusion is per row but dependencies are per column,
// which theorem 4 does not foresee), or is left out, see below. It is no
// decision.
//
// By values, in any case: a claim, to be confirmed. A dependency by values need
// not be one in every execution with the same results: SUM may be the same over
// other rows, a value may come back, EXISTS has other witnesses. So the program
// may go on instead of failing (the local stop), and reach.Options.Accept says
// which claims count. Nothing follows when the error state is not reachable,
// though little is missed: of the anomalies of 2,000 random row programs, 48 of
// 48 were found at engine.SI() and 62 of 64 at engine.Postgres().
//
// # What is left out
//
// On the side of not reaching the error state, where nothing else is said:
//   - Queries over several tables: with Classic a later writer sees only the
//     rows that they have found. Otherwise it evaluates the noted condition,
//     with the other tables as they are by then: a claim.
//   - Queries with EXISTS in their condition depend on the rows that they find,
//     and on rows inserted or deleted that they would find; the rows of the
//     inner query do not count. EXISTS that stands in an expression by itself
//     is a query like others, unless AND, OR or a conditional may skip it.
//   - What a transaction inserts and deletes again.
//   - Queries over rows that a savepoint undoes; the reads of a loop's condition
//     after continue.
//   - Constraints between rows that would fail between two statements of the
//     attacker's commit, though not at its end, are not noticed; a claim, not an
//     omission.
//   - A LOCK TABLE of the attacker excludes wherever it stands.
//   - Two delayed transactions.
//   - A transaction that executes an ir.Unmodelled ends there.
//
// Without processes every transaction is a session of its own, so that session
// order does not count.
package instrument
