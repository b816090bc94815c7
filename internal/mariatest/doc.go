// Package mariatest runs a private MariaDB for tests, and schedules of
// statements on it.
//
// Open starts the server of a test binary (package internal/dbserver); it ends with
// the test binary. Where MariaDB is not installed, tests are skipped,
// or fail if ROBUST_CI is 1. The schedules have the form of package pgtest; a
// statement that fails has the number of its error as outcome.
//
// The package is meant for tests only.
package mariatest
