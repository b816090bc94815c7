// Package collect records histories of real databases: clients run a workload
// (internal/checker/workload) in sessions of their own, and what they asked and heard is
// recorded with the order in which it happened to them.
//
// A transaction is committed if the database said so, aborted if the database refused it or
// COMMIT was never sent, and of unknown outcome if COMMIT was sent and the answer is missing.
// After an unknown outcome the client goes on as another session: the request may still take
// effect, after the ones that follow.
//
// When all clients are done, one more session reads every key that was used. So a write that
// was acknowledged and is gone is seen: the levels with real time do not hold then.
//
// Faults come while clients run: the server is killed and started again, it is stopped for a
// while, the connections to it are cut or go silent, or a standby takes its place after the link
// to it was broken. Links are those of a proxy on the loopback interface.
package collect
