package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Fault is one change of the sources.
type Fault struct {
	// Name says what is changed, in one word for a command line.
	Name string
	// File is relative to the module.
	File string
	// Old occurs exactly once in the file: in the body of a function, or in the
	// value of a variable of the package.
	Old string
	// New stands in its place.
	New string
	// Tests are the packages, separated by blanks, whose tests may notice the fault.
	// The name of a package may be followed by ":" and a pattern for -test.run, which
	// is tried first.
	Tests string
	// Breaks says what goes wrong.
	Breaks string
	// Survives, if not "", says why no test has to notice the fault: it is equivalent,
	// or does not matter.
	Survives string
}

// faults is the whole table.
func faults() []Fault {
	return slices.Concat(proofFaults, searchFaults, interpFaults, sqlFaults, constraintFaults, valueFaults, goFaults, judgeFaults, replayFaults)
}

// digest names what a fault is, without what is said about it.
func (f *Fault) digest() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Name, f.File, f.Old, f.New}, "\x00")))
	return fmt.Sprintf("%x", sum[:8])
}

// target is one run of tests: a package, and a pattern or "" for all its tests.
type target struct{ pkg, pattern string }

func (t target) String() string {
	if t.pattern == "" {
		return t.pkg
	}
	return t.pkg + ":" + t.pattern
}

// targets are the tests to run first, and those for faults that survive them: the
// whole packages of which these are a part.
func (f *Fault) targets() (some, whole []target) {
	for _, text := range strings.Fields(f.Tests) {
		pkg, pattern, _ := strings.Cut(text, ":")
		some = append(some, target{pkg, pattern})
		if pattern != "" {
			whole = append(whole, target{pkg, ""})
		}
	}
	return some, whole
}
