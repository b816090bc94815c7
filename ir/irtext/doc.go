// Package irtext reads the text form of programs of package ir, which ir.Program.String
// writes.
package irtext
