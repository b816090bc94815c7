// Package reach explores programs under serializability, explicitly: every
// reachable state is visited once, and the search ends in the error state
// (ir.Fail), in exhaustion, or at a bound, which is named.
//
// It knows nothing of isolation levels. Together with package instrument it
// decides robustness of finite programs in the model of CAV'19 (theorem 2,
// corollary 1): the instrumented program reaches its error state under
// serializability exactly when the original one is not robust.
//
// Bounded are: the number of transactions and of states. A parameter whose type
// has no finite domain ends the hope of a decision: Options.Values may give some
// values to try, else its transaction is left out. So does a havocked value.
package reach
