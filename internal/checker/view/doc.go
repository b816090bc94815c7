// Package view shows what the checkers found out about a history: as text, as
// JSON that schema.json describes, as a graph for Graphviz, and as a page for a
// browser. All four say the same, and differ only in form.
//
// # Names
//
// Transactions are called as package checker calls them: T7 by the number that
// the recording gives, else S2.1 by session and place therein, T⊥ the initial one.
// Places are those of transactions; recordings have none of single operations.
//
// # The page
//
// One file without links, so that it can be mailed and opened without a network. Each
// session is a lane; time goes from left to right: a transaction is right of
// those before it in its session, of those that it read from where that makes no
// circle, and, if the recording has times, of those that ended before it began.
// Who chooses an anomaly sees its transactions and the edges of its cycle, or, where it is
// none, what leads from one of them to another. Of many sessions only those of the chosen
// anomaly are shown. Of a large history only the transactions of anomalies are shown, with
// their neighbours in the sessions, and of those not more than maxShown. Package page has
// what this page shares with others.
//
// # Limits
//
// Operations of one transaction beyond maxOps are counted, not shown. JSON has the
// transactions of anomalies only.
package view
