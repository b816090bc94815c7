// Package schedules looks for anomalies: for a few instances of transaction
// templates it searches initial rows, parameters, and an order of snapshots and
// commits, such that all commit at snapshot isolation although no serial order
// gives the same outputs and the same final state.
//
// Two searches take turns. The first is concrete: it draws small rows and
// parameters at random, with a fixed seed, and lets the interpreter go through
// all orders. The second is symbolic: for one order of snapshots and commits,
// package symbolic executes the instances in the closed world (few row slots,
// loops unrolled), and Z3 finds rows and parameters. That no serial order agrees
// is asserted lazily: only the serial orders that agreed with an earlier
// candidate are spelled out. The orders with one delayed transaction come first
// (CAV'19, theorem 4); the others are needed too (docs/soundness.md, S1).
//
// Whatever is found is replayed by the interpreter (internal/interp) and compared with
// every serial order before it is returned, and so is each step of making it
// smaller. What the solver proposes and the interpreter does not confirm is
// counted and forgotten. So an Anomaly is certain, as far as the interpreter's
// model of the database and of functions goes (Anomaly.Opaque); that none was
// found says nothing beyond the bounds.
//
// Source: CAV'19, sections 3 to 5, with orders of any number of delayed
// transactions.
package schedules
