//go:build cgo

package smt

import "os"

// newBackend gives the library, or the program that the environment names.
func newBackend() backend {
	if name := os.Getenv(ProgramVar); name != "" {
		return newProcess(name)
	}
	return newLibrary()
}

// Z3 says which Z3 a Solver asks. The error says why there is none.
func Z3() (Backend, error) {
	if name := os.Getenv(ProgramVar); name != "" {
		return program(name)
	}
	return Backend{Version: libraryVersion()}, nil
}
