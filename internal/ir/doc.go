// Package ir is the whole intermediate representation: the program of the public package
// ir, and the kinds of its statements and expressions, which front ends write and analyses
// read.
package ir
