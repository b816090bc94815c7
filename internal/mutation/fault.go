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
	// The name of a package may be followed by ":" and a pattern for -test.run: these
	// tests run first.
	Tests string
	// Breaks says what goes wrong.
	Breaks string
	// Survives, if not "", says why no test has to notice the fault: it is equivalent,
	// or does not matter.
	Survives string
}

// faults is the whole table.
func faults() []Fault {
	return slices.Concat(proofFaults, searchFaults, interpFaults, sqlFaults, constraintFaults, valueFaults, mysqlFaults, goFaults, judgeFaults, replayFaults, weakFaults, followFaults, repairFaults, listFaults)
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

// quickTests are what of large packages runs first, the quickest ones before others.
var quickTests = map[string][]string{
	"internal/movers": {
		"^Test(Touch|MayBreakBy|Facts|Certif|Steady|Reviv|Null|Undone|Late|Equal|Dead|Mixed|Bounds|Stated|App|Names|CacheInc|Window)",
		"^Test(Litmus|MayBreak|Rounds|Naive)",
	},
	"internal/schedules": {
		"^Test(Comm|Buil|File|Inv|Min|Three|Serial|Arg|Ord|Any|Det|Many|Lit|FromWalksM|Betw|Poss|Refu|Sessions)",
		"^Test(Search|Cycles)",
	},
	"sqlmodel": {"^Test(Altered|ExistsLocksFirst|RefusalsDiffer|ModelledOrNot|Golden|ProgramGolden|MySQLStatements|LimitedWrites)$"},
}

// stages are how many rounds of tests there are for a fault, see targets.
const stages = 3

// targets are the tests to run, in rounds: of each package the quickest, then the
// others that are quick and those that the fault names, and at last the whole package.
func (f *Fault) targets() (rounds [stages][]target) {
	add := func(round int, t target) {
		if !slices.Contains(slices.Concat(rounds[:]...), t) {
			rounds[round] = append(rounds[round], t)
		}
	}
	for _, text := range strings.Fields(f.Tests) {
		pkg, pattern, _ := strings.Cut(text, ":")
		quick := quickTests[pkg]
		if len(quick) > 0 {
			add(0, target{pkg, quick[0]})
		}
		if pattern != "" {
			add(min(len(quick), 1), target{pkg, pattern})
		}
		for _, p := range quick[min(1, len(quick)):] {
			add(1, target{pkg, p})
		}
		if pattern == "" && quick == nil {
			add(0, target{pkg, ""})
		} else {
			add(stages-1, target{pkg, ""})
		}
	}
	return rounds
}
