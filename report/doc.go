// Package report holds the result of a check as data, and prints it: as text
// that fits a terminal of 80 columns, as JSON (schema.json), as SARIF 2.1.0, and as
// a graph for Graphviz.
//
// Every kind of finding has a code (docs/codes.md), every finding a fingerprint that stays
// the same when lines move. What was reported once can be read again, as a
// Baseline.
//
// It knows nothing of how a result was found. Output is sorted and stable: the
// same result prints the same bytes, times apart.
package report
