// Package witness turns an execution that has no serial equivalent into
// something that can be read, run and checked: initial rows, parameters, a
// schedule of events with the value of every read and write and its source
// position, the cycle of dependencies in words, and what every serial order
// would have done instead.
//
// Build makes a Witness; Confirm replays it on a fresh interpreter and compares
// it with every serial order, so that a witness never rests on how it was
// found. Write stores it as a folder: witness.json, the rows as SQL, and one
// psql script per session.
//
// The schedule has the two events of the model per transaction (CAV'19, figure
// 7): it takes its snapshot at its BEGIN, and its statements run as late as
// possible, just before its COMMIT, on that snapshot. That is also how the
// scripts run on a server: BEGIN and a SELECT that takes the snapshot early, the
// call late.
//
// Kinds of anomalies are named as in Fekete et al., "Making snapshot isolation
// serializable" (TODS 2005), and Fekete, O'Neil, O'Neil, "A read-only transaction
// anomaly under snapshot isolation" (SIGMOD Record 2004).
package witness
