// Package irtext reads the text form of programs of package ir, which ir.Program.Print
// writes.
package irtext
