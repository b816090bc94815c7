// Package ir is the intermediate representation that every front end writes
// and every analysis reads: a Program is a schema, transaction templates over
// it, and the sessions that run them.
//
// A transaction (Txn) is structured: statements over rows and predicates,
// local assignments, branches and loops. Every node keeps its source
// position. A shared variable of CAV'19 is a Table with one row and one
// column (Table.Var). Beside keys, foreign keys and checks a table may have
// exclusions: conditions that no two of its rows satisfy together.
//
// The kinds of statements and expressions are not public, because they change with
// what databases and programs turn out to do: a Stmt and an Expr tell where they come
// from and what their text is. Package sqlmodel makes programs of SQL, package analyzer of
// Go, and package irtext of the text form, in which every statement can be written.
//
// Program.String writes the text form, and package irtext reads it; they are inverse to
// each other (positions apart). Names and texts may be anything: "name" and 'text' with
// doubled quotes or, with what cannot be printed, \"na\nme" and \'te\nxt' with the
// escapes of Go. Package irtext checks what it reads: names are declared, types fit, and
// statements stand where they may.
//
// The package knows nothing of SQL text, Go code or solvers.
//
// Source: Beillahi, Bouajjani, Enea, "Checking Robustness Against Snapshot
// Isolation" (CAV 2019), figure 6, extended with rows, predicates and keys.
package ir
