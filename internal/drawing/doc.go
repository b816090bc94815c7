// Package drawing draws the dependency graphs of reports as SVG, for what shows pictures and has
// no Graphviz: the same nodes, edges and words as report.DOT.
//
// Transactions that depend on each other stand on an ellipse, those that are on a cycle of a finding
// or on an open one first; the others stand aside, below each other. Nothing but the numbers of
// characters is measured, so that a picture is the same everywhere. Fold makes one node of many
// transactions that are on no cycle.
package drawing
