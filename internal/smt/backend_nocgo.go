//go:build !cgo && !js

package smt

import "os"

// newBackend gives the program that the environment names, or the one on the PATH.
func newBackend() backend { return newProcess(os.Getenv(ProgramVar)) }

// Z3 says which Z3 a Solver asks. The error says why there is none.
func Z3() (Backend, error) { return program(os.Getenv(ProgramVar)) }
