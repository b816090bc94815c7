// Package std models functions of the standard library that have nothing to do with a
// database, and such of other modules: texts, errors, contexts, times, and what only writes
// messages.
package std
