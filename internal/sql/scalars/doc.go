// Package scalars computes the built-in functions of numbers, texts, bytes, bits and
// patterns: see package builtin.
package scalars
