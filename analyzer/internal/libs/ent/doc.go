// Package ent models code that ent generated: a statement of it may do anything to its table,
// or only read it.
package ent
