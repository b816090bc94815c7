// Package smt builds terms of quantifier-free logic (booleans, integers,
// rationals, uninterpreted functions) and asks Z3 whether they can be true.
//
// Terms are shared and simplified as they are built (Builder), so that many
// questions are answered before they reach the solver: two terms that are equal
// after simplification are the same pointer. A Solver is a thin layer over Z3
// whose answer has three values, Sat, Unsat and Unknown, none of which can be
// taken for another. Script prints a question as SMT-LIB.
//
// The package knows nothing of transactions.
package smt
