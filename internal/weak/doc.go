// Package weak executes programs in models of distributed stores that are weaker than
// snapshot isolation, searches executions with outcomes of no serial order, and proves that
// there are none.
//
// # Models
//
// An execution is a set of committed transactions with two relations, as in Cerone, Bernardi
// and Gotsman (CONCUR 2015): the arbitration is a total order, and visibility is a part of it.
// A transaction reads from the state that the transactions make which it sees, in the order
// of arbitration, and then its own writes. The models differ in what may be visible:
//
//	CC   what a seen transaction sees, and what comes before in the session, is seen
//	PC   what is seen is a prefix of the arbitration
//	PSI  CC, and of two transactions that write one row, one sees the other
//	SI   PC, and of two transactions that write one row, one sees the other
//
// Writes are applied as they are arbitrated. An UPDATE writes the columns that it sets, if
// the row is there. An INSERT and a DELETE write the whole row. So the last writer wins, per
// column of a row. At the end there are the rows that all transactions make.
//
// Beyond says which programs have no meaning in these models.
//
// # Proof
//
// Prove looks for a closed walk of static dependencies that an execution of the model may
// have. docs/soundness.md, section 11, has the argument. It is sound and not complete.
//
// # Search
//
// Explore goes through all executions of given sessions. Find draws rows and parameters for
// small sets of templates, and explores each. It is complete for nothing: what it finds is
// replayed (Replay), and compared with all serial orders.
package weak
