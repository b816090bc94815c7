// Package smt builds terms of quantifier-free logic (booleans, integers,
// rationals, uninterpreted functions) and asks Z3 whether they can be true.
//
// Terms are shared and simplified as they are built (Builder), so that many
// questions are answered before they reach the solver: two terms that are equal
// after simplification are the same pointer. A Solver is a thin layer over Z3
// whose answer has three values, Sat, Unsat and Unknown, none of which can be
// taken for another. Script prints a question as SMT-LIB.
//
// There are two backends with the same answers. In a build with cgo Z3 is a library
// (go-z3). In one without, or with the environment variable ROBUST_Z3, it is a program
// that speaks SMT-LIB 2, a process for each Solver, which ends with the Solver, with a
// limit of time, and with this process. In a browser it is what the page has of Z3, if it
// has one, and speaks the same language. Where a question has many models, the two may find
// different ones.
//
// The package knows nothing of transactions.
package smt
