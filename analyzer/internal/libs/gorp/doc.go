// Package gorp models gorp, and borp, which is made of it: statements on structs have the
// tables and keys that the program registers. Structs with hooks are unknown.
package gorp
