// Package bun models bun: a statement of it may do anything to its table, or only read it.
package bun
