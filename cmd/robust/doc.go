// Robust tells whether a transactional program stays correct when its database
// runs at snapshot isolation (PostgreSQL's REPEATABLE READ) instead of
// SERIALIZABLE.
//
// Usage:
//
//	robust check [flags] INPUT…       prove or refute robustness
//	robust instrument [flags] INPUT…  print the instrumented program,
//	                                  with -boogie for that verifier
//	robust version
//	robust help [COMMAND]
//
// INPUT is .sql files and directories of them, which together are one
// application, and .litmus files, each a program of its own.
//
// # Exit codes
//
// 0 robust, 1 the input is faulty or the tool failed, 2 wrong usage, 3 not
// robust, 4 unknown. Of several programs the gravest counts: 1, 3, 4, 0.
//
// Results go to standard output; progress and errors to standard error.
package main
