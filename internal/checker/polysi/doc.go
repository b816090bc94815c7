// Package polysi decides snapshot isolation and serializability of recorded
// histories of registers, with and without the order of sessions: SI, SER, PL-SI and
// PL-3.
//
// # Method
//
// It is that of PolySI (Huang et al., "Efficient Black-box Checking of Snapshot
// Isolation in Databases", PVLDB 2023): a generalized polygraph, whose constraints are
// pairs of writes of a key with an order to be found; pruning; and a search for orders
// that leave no cycle. What differs:
//
//   - A transaction that reads and writes has a node for its begin and one for its
//     commit, so that a history satisfies SI if and only if the edges
//
//     SO, WR, WW  from commit to begin
//     RW          from begin to commit
//
//     make no cycle, and a total order of the nodes is the execution. Who only reads or
//     only writes needs one node. With one node for all transactions that is
//     serializability. There is no induced graph.
//
//   - First come linear passes: reads that are wrong by themselves (out of thin air,
//     aborted, intermediate, not of the own write), lost updates, and chains of
//     versions: if each was made by a transaction that read the one before, then
//     nothing comes between them, and constraints are about whole chains.
//
//   - Pruning goes to a fixpoint. Who reaches whom is answered by vector clocks, with one
//     place per session; without sessions, with one per path of reads. Of the pairs that
//     are decided, and of a key's writers in one session, only those give edges that say
//     something new. So nothing takes time or memory that is quadratic in the writers of
//     a key, before a pair is really undecided. After the first round only keys are looked at
//     whose transactions know more than before.
//
//   - Before the search comes a scheduler: it executes transactions step by step, those first
//     that take away nothing that is still to be read, by the recorded time, by how many
//     nodes are known to be before, or as if all sessions went on evenly. An execution without a clash is the answer. The search,
//     that of package acyclic, gets only the pairs of chains that clashed; what it finds is
//     scheduled again, until nothing clashes, or there is no way for the pairs so far.
//
// A read of a value that was written twice, of a transaction of unknown outcome, or of
// a key of which it is not known what it held initially, comes from whatever fits in the
// schedule. Only if nothing does it becomes a choice, made by the same search.
//
// # Answers
//
// Satisfied comes with a commit order and snapshots, which package verify makes sure of.
// Violated comes with one violation: a read, or a small cycle. An edge of it that was
// concluded says why: the other order of two writes would be a cycle, too. That is the
// minimal counterexample of PolySI (appendix C: restore, resolve, finalize), found from
// the other end: each conclusion is explained by the ones before it, and transactions are left
// out as long as the others violate the level by themselves. So none can be left out of what
// is shown, except where the answer says that this is not sure.
//
// # Limits
//
// Reads of lists, sets and counters are not judged: a history that has some is Violated
// if its registers are, and otherwise Unknown. The problem is NP-complete; Unknown is the answer when
// a bound of conflicts or memory is reached, and the error of the context when the time
// is over. Where choices of the writers that reads come from leave no way, the violation
// is that of one choice.
package polysi
