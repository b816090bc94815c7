// Package explain has the names of cycles and the sentences about them: what the checkers,
// and those who show what they found, say of a transaction, an operation, an edge, a cycle
// and a violation. It decides nothing: which cycles there are, and of which level, each
// checker finds by itself.
//
// Elle's explanations are in the words of Jepsen, and its own.
package explain
