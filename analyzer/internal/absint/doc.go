// Package absint interprets functions in SSA form once, and writes what they do: blocks and
// branches, loops until what changes in them is known, calls, panics and deferred calls. It
// names no library: calls that one models go to the libraries of the session.
package absint
