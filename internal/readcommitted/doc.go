// Package readcommitted looks for anomalies of PostgreSQL's READ COMMITTED, and says which
// transactions are settled there: all that they do they could do at snapshot isolation, so
// that a proof there is one here (Settle). Where all of them do what they would do alone at
// the moment of their commits, no other proof is needed (InOrder).
//
// There, each command of a transaction has a snapshot of its own. The executions
// that are looked at have one transaction that stops between two of its commands,
// or before its COMMIT; another one, or up to MaxHelpers one after the other, run there from begin to end, which they can only
// if they need nothing that the first one holds locked; and then the first goes on. No command waits for another transaction in such an execution, so that no
// question of how a row is looked at again arises (EvalPlanQual), and the
// interpreter does exactly what PostgreSQL does. Then the same pairs are tried with one wait: a command that has its snapshot waits for
// the other transaction to commit (interp.Machine.Wait). Where pairs show nothing, the rows and values of
// anomalies at snapshot isolation are tried, with all of their transactions (Query.Known).
//
// An execution is a finding if no serial order of its transactions has its
// outcome, as at snapshot isolation. Finding none proves nothing: there are other
// executions, and the values that are tried are few. What cannot be executed
// exactly is left out and named (Result.LeftOut).
//
// Settle is sound and not complete: what it does not follow is unsettled, with the reason.
//
// Source: the PostgreSQL manual, 13.2.1; docs/soundness.md.
package readcommitted
