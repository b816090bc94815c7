// Robust tells whether a transactional program stays correct when its database
// runs at snapshot isolation (PostgreSQL's REPEATABLE READ), or each transaction
// at its own level, instead of SERIALIZABLE.
//
// Usage:
//
//	robust check [flags] INPUT…       prove or refute robustness
//	robust allocate [flags] INPUT…    find the lowest level of each transaction
//	robust fix [flags] INPUT…         propose repairs, each of them proved
//	robust instrument [flags] INPUT…  print the instrumented program,
//	                                  with -boogie for that verifier
//	robust proof verify [flags] DIR…  check what check -proof wrote, with z3
//	robust history check [flags] FILE…
//	                                  tell which levels histories satisfy
//	robust history convert -out FORMAT [flags] FILE…
//	                                  rewrite a recorded history
//	robust demo [flags] [SCENE…]      play an anomaly for a class
//	robust playground [-o DIR | -http ADDRESS]
//	                                  check programs in a browser, without a server
//	robust debug sql -phase PHASE FILE…
//	                                  print a phase of the translation of SQL,
//	                                  for those who work on robust
//	robust lsp                        serve an editor (docs/editor.md)
//	robust completion SHELL           complete command lines in bash, zsh or fish
//	robust version                    print versions, and where flags come from
//	robust help [COMMAND|CODE|codes]
//
// INPUT is packages of Go, which together are one application, .sql files and
// directories of them, together another one, and .litmus files, each a program of
// its own. docs/go.md says more about Go.
//
// SCENE is the name of a scene, which robust demo lists, or a folder with one.
// docs/demo.md says more.
//
// # Exit codes
//
// 0 robust, 1 the input is faulty or the tool failed, 2 wrong usage, 3 not
// robust, 4 unknown. Of several programs the gravest counts: 1, 3, 4, 0. For
// history check 0 is that all levels that were asked for are satisfied, and 3 that one
// is violated.
//
// Findings that a comment (-- robust: ignore reason), the file of -baseline or the
// revision of -since accepts do not count: the exit code is that of the program without their
// transactions, 0 or 4, where there is no other finding.
//
// # Formats
//
// -format text is for people, json one object per program (report/schema.json),
// sarif one log of SARIF 2.1.0, html one page for a browser about all programs
// (docs/page.md), markdown a summary for a pull request with the argument of
// a proof pair by pair, and dot the dependency graph for Graphviz. What json and sarif write is a baseline. docs/accepting.md says more.
//
// allocate writes text, json, sarif, with a note at each transaction, and markdown, for the
// text of a pull request.
//
// history check writes text, json (checker/view/schema.json, an object a line),
// dot, and html, one page about one history. docs/checkers.md says more.
//
// # Terminals and configuration
//
// On a terminal, verdicts, sessions and diffs have colors, unless NO_COLOR is set or
// -color says otherwise, and below an error in a file its line is shown. What a pipe gets has
// neither. robust.yaml has values of flags for the folders below it (docs/config.md).
//
// # Files
//
// Only regular files are read, and only in the directories of the inputs and of
// -allow-include. Answers of earlier runs are kept in a cache whose entries are
// signed, with a key in the user's folder for settings or in the environment variable
// ROBUST_CACHE_KEY. docs/trust.md says more.
//
// Results go to standard output; progress and errors to standard error.
package main
