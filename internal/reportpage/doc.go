// Package reportpage shows the reports of a check as one page for a browser, without links:
// what the verdict is, how a finding happens step by step and who sees what then, what every
// serial order does instead, the dependency graph, what a proof consists of, and what the
// verdict rests on.
//
// Everything on the page was found out by the check: the page decides nothing. It draws
// executions that were replayed, and serial orders that were run.
//
// # Limits
//
// Of a program with more than maxEdges dependencies, those of cycles and of transactions that
// are not safe come first, and the rest is left out. Serial orders beyond witness.MaxSerial are listed, not played.
package reportpage
