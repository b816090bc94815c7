// Package expr translates expressions into the IR.
//
// A Spot is where an expression stands: the rows that it sees, the variables around
// it, and whether it is computed for each row. What it computes apart goes into a
// Draft: the transaction in the making, with its locals, its checks and its locks.
// A function that an expression calls is translated by a Runner, the queries in it
// by Queries: the packages routine and query.
package expr

import _ "github.com/txrobust/robust/internal/sql/builtin" // the functions that value.FunctionOf computes
