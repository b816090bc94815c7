//go:build !(cgo && unix)

package main

// supervise does nothing: Z3 is a program, which gets no interrupts.
func supervise() (code int, ok bool) { return 0, false }
