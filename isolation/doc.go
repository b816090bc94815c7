// Package isolation names the isolation levels, the anomalies and the
// dependencies between transactions, says which level implies which and which
// anomaly it excludes, and translates between the vocabularies of the
// literature. It is a set of tables with their sources; it checks nothing.
//
// # Levels
//
// A level is a set of histories. A level implies another if it is a subset, and
// it excludes an anomaly if no history of it shows one. There are three families.
//
// With sessions: RC, RA, CC, PC, SI and SER as Biswas and Enea define them (OOPSLA
// 2019), on histories (T, SO, WR), where the commit order has to contain the
// session order. These are the levels that most recorded histories and checkers
// mean (dbcop, Cobra, PolySI, Plume, AWDIT, VeriStrong): a client that does not see
// what it committed before violates them.
//
// Without sessions: Adya's levels (PhD thesis, MIT 1999; with Liskov and O'Neil in
// ICDE 2000), PL-1 to PL-3 and PL-SI. Session order does not count. PL-3 is
// serializability, and SER is what others call strong session serializability:
// SSSER is another name of it. PL-SI is what Viper (EuroSys 2023) calls Adya SI: the
// stamps of Adya's definition may be chosen, so that PL-3 implies it.
//
// With real time: GSI, SSSI, StrongSI and SSER. They need stamps of begin and
// end, and a history without stamps cannot violate more of them than it violates
// of the levels that they imply. GSI, SSSI and StrongSI are those of Viper, section
// 5, after Crooks et al. (PODC 2017): commits are ordered as in real time and
// nobody reads from the future (GSI); and who comes later in a session reads
// from the past of it (SSSI); and everybody reads all that committed before it
// began (StrongSI). So SI here, which has sessions but no real time, lies between
// PL-SI and SSSI.
//
// What "session" and "strong" add differs between the papers:
//
//	level      sessions   commits in real time   snapshots in real time
//	PL-SI      no         no                     no    Adya SI of Viper
//	SI         yes        no                     no    strong session SI of PolySI, dbcop, Elle and Cerone
//	GSI        no         yes                    no    GSI and ANSI SI of Viper and Crooks
//	SSSI       yes        yes                    no    strong session SI of Viper and Crooks
//	StrongSI   yes        yes                    yes   strong SI of Viper and Crooks
//	PL-3       no         no                           serializability of Adya
//	SER        yes        no                           strong session serializability
//	SSER       yes        yes                          strict serializability
//
// Daudjee and Salem (VLDB 2006) gave strong session SI its name: a snapshot contains what its
// session committed before, and nothing is said about the order of other sessions. That is
// SI here, and the name "strong session SI" means it. Viper adds the edges of GSI between the
// commits of all sessions, as Crooks defines it by commit stamps: that is SSSI. Where
// there are no times both are one.
//
// # Anomalies
//
// For every anomaly there are the weakest levels that exclude it. Several names
// may mean one anomaly; each has one entry here, and its names in the
// vocabularies of Adya, of Berenson et al. (SIGMOD 1995), of C4 and Plume (the
// transactional anomalous patterns, a to n), and of Elle. An anomaly that is a
// special case of another implies it. ParseAnomaly gives the anomaly of a name, Anomalies
// all of them; internal/checker/anomalies has them as constants.
//
// Some things that the sources do not agree on:
//
//   - A read of the own write that is not the last, or not there yet, is no
//     history at all for Adya. Here the levels that say anything about reads exclude
//     it, from PL-2 on.
//   - A non-repeatable read is one of the six patterns by which C4 defines RC. By
//     the axioms RC allows it if the second version is the newer one, which is how
//     AWDIT judges. Here RA excludes it, and so do PL-2+ and PL-2.99, for it is a cycle
//     with one anti-dependency.
//   - Cyclic versions of registers violate PL-2. Elle excludes them from PL-1 on. But
//     what shows that one version comes before the other is that a transaction read
//     the one and wrote the other, and PL-1 says nothing about reads: it excludes
//     cycles of write dependencies alone, and the versions can be put in some order
//     without one. From PL-2 on reads count, and the cycle of versions is one of
//     read dependencies, G1c.
//   - The pattern i (a non-monotonic read with an order AO) is listed from RA on, for
//     in C4's own case of it the history satisfies the axiom of RC: the order
//     comes from a session, which RA makes visible. Where what RC itself
//     forces closes the circle, the violation found has the level RC.
//   - The patterns of C4 with an order AO are meant with the order that the level
//     forces which excludes them. C4 takes that of CC for all, by which histories of
//     RA show fractured reads.
//   - PL-2.99 says nothing about predicates, so that it does not imply PL-2+, nor
//     PL-2L.
//   - CC and PC say nothing about concurrent writers, so that they allow lost updates
//     and do not imply PL-2+, nor PL-2L.
package isolation
