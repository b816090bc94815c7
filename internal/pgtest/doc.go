// Package pgtest runs a private PostgreSQL server for tests, and schedules of
// several sessions on it.
//
// Open starts one server per test binary (package internal/dbserver). It ends with
// the test binary, however that ends.
//
// Run executes a Schedule: statements of several sessions in a given order,
// one at a time. A statement that waits for a lock is left waiting and the
// next step is taken; Play does the same and compares what happens with what
// the text of the schedule says:
//
//	A: BEGIN
//	A: SELECT v FROM t WHERE id = 1       -> 0
//	B: UPDATE t SET v = 1 WHERE id = 1    -> UPDATE 1
//	A: UPDATE t SET v = 2 WHERE id = 1    -> 40001
//
// The package is meant for tests only, and needs a Unix system.
package pgtest
