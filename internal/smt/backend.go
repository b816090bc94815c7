package smt

import (
	"errors"
	"fmt"

	"github.com/txrobust/robust/internal/z3program"
)

// ProgramVar is the environment variable that names the program z3 to ask. Without
// it, Z3 is the library of a build with cgo, and otherwise the program on the PATH.
const ProgramVar = "ROBUST_Z3"

// Backend is a Z3.
type Backend struct {
	Version string
	// Program is the program that is asked, or nil for the library.
	Program *z3program.Program
}

func (b Backend) String() string {
	if b.Program == nil {
		return "Z3 " + b.Version + " (library)"
	}
	return "Z3 " + b.Version + " (" + b.Program.Path + ")"
}

// program is the Backend of the program with a name, z3 if it is "".
func program(name string) (Backend, error) {
	p, err := z3program.Find(name)
	switch {
	case err == nil:
		return Backend{p.Version, p}, nil
	case errors.Is(err, z3program.ErrMissing) && name != "":
		return Backend{}, fmt.Errorf("%s, which %s names, is missing", name, ProgramVar)
	case errors.Is(err, z3program.ErrMissing):
		err = fmt.Errorf("%w on the PATH", err)
	}
	return Backend{}, fmt.Errorf("%w; install Z3 %s or newer (the Debian package is z3), or name the program with %s", err, z3program.Oldest, ProgramVar)
}
