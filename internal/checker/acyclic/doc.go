// Package acyclic decides whether choices can be made so that a directed graph has
// no cycle. A Problem has nodes, edges that are there in any case, Boolean
// variables, edges that are there if a literal is true, and clauses. A choice
// between two sets of edges is a variable; a choice of one among several is one
// variable each and a clause.
//
// It is what remains of checking an isolation level when all that follows without
// guessing has been concluded. It knows nothing of histories: whoever uses it gives
// nodes and edges their meaning.
//
// # Method
//
// Every cycle lies in one strongly connected component of the graph of all edges
// that may be there. So edges between components are left out, and components that
// share no variable are solved apart from each other, on all processors.
//
// The search is conflict-driven (two watched literals, first unique implication
// points, restarts, saved phases), modulo the theory of acyclicity: Pearce and Kelly,
// "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs" (ACM JEA 2006),
// keep an order of the nodes that all edges so far follow. An edge against the order
// makes them search the part of the order between its ends, where a cycle would
// be. A cycle is a conflict: its conditions do not go together, and a path with the
// fewest conditions is taken. What was searched also shows which undecided edges
// would close a cycle now; their conditions become false.
//
// That is the design of MonoSAT (Bayless et al., "SAT Modulo Monotonic Theories",
// AAAI 2015) as PolySI and Viper use it, with an incremental order in place of a search per
// edge.
//
// # Limits
//
// Edges that follow the order are added without a search, so that not all that
// would close a cycle is concluded; it is found when it is decided. The problem
// is NP-complete: a bound of conflicts, of memory or of time ends in Unknown. The
// answer depends on the problem and the seed alone, except for the time.
package acyclic
