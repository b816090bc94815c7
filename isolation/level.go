package isolation

import (
	"fmt"
	"slices"
	"strings"
)

// Level is an isolation level.
type Level uint8

// The levels, weaker ones before stronger ones.
const (
	PL1 Level = iota
	PL2
	PL2L
	PL2Plus
	PL299
	PLSI
	PL3
	RC
	RA
	CC
	PC
	SI
	SER
	GSI
	SSSI
	StrongSI
	SSER
	numLevels
)

// level is what is known about a level.
type level struct {
	name string
	aka  []string
	long string
	// implies are levels that it implies directly, why says why.
	implies []Level
	why     string
	source  string
}

const (
	adya    = "Adya, PhD thesis (MIT 1999), chapters 3 and 4"
	biswas  = "Biswas and Enea, On the Complexity of Checking Transactional Consistency (OOPSLA 2019), figure 2"
	viper   = "Zhang et al., Viper (EuroSys 2023), section 5"
	crooks  = "Crooks et al., Seeing is Believing (PODC 2017)"
	bernst  = "Berenson et al., A Critique of ANSI SQL Isolation Levels (SIGMOD 1995)"
	c4      = "C4 (published as Plume), table 1"
	elle    = "Kingsbury and Alvaro, Elle (VLDB 2020), section 5, and its checker"
	cerone  = "Cerone and Gotsman, Analysing Snapshot Isolation (JACM 2018)"
	fekete  = "Fekete, O'Neil and O'Neil, A Read-Only Transaction Anomaly under Snapshot Isolation (SIGMOD Record 2004)"
	daudjee = "Daudjee and Salem, Lazy Database Replication with Snapshot Isolation (VLDB 2006)"
	papadim = "Papadimitriou, The Serializability of Concurrent Database Updates (JACM 1979)"
)

var levels = [numLevels]level{
	PL1: {name: "PL-1", aka: []string{"read uncommitted"}, long: "read uncommitted",
		why: "no G0", source: adya},
	PL2: {name: "PL-2", long: "read committed", implies: []Level{PL1},
		why: "no G1, which contains G0", source: adya},
	PL2L: {name: "PL-2L", aka: []string{"monotonic view"}, long: "monotonic view", implies: []Level{PL2},
		why: "no G1, no G-monotonic", source: adya},
	PL2Plus: {name: "PL-2+", aka: []string{"consistent view"}, long: "consistent view", implies: []Level{PL2L},
		why: "no G1, no G-single, of which G-monotonic is a special case", source: adya},
	PL299: {name: "PL-2.99", aka: []string{"repeatable read"}, long: "repeatable read", implies: []Level{PL2},
		why: "no G1, no G2-item", source: adya},
	PLSI: {name: "PL-SI", aka: []string{"adya si"}, long: "snapshot isolation without sessions", implies: []Level{PL2Plus},
		why: "begins and commits can be ordered so that reads see a snapshot and writers of one key are not concurrent; a cycle with one anti-dependency leaves no place for its begin", source: adya + "; " + viper},
	PL3: {name: "PL-3", long: "serializability without sessions", implies: []Level{PL299, PLSI},
		why: "no G1, no G2; in a serial order every transaction begins right before it commits", source: adya},
	RC: {name: "RC", aka: []string{"read committed"}, long: "read committed", implies: []Level{PL2},
		why: "dependencies and session order are in one commit order", source: biswas},
	RA: {name: "RA", aka: []string{"read atomic"}, long: "read atomic", implies: []Level{RC},
		why: "its axiom has that of RC as a special case", source: biswas},
	CC: {name: "CC", aka: []string{"TCC", "causal consistency", "transactional causal consistency", "causal"}, long: "transactional causal consistency", implies: []Level{RA},
		why: "session order and reads-from are causal order", source: biswas},
	PC: {name: "PC", aka: []string{"prefix consistency", "prefix"}, long: "prefix consistency", implies: []Level{CC},
		why: "what precedes in the commit order contains the causal past", source: biswas},
	SI: {name: "SI", aka: []string{"snapshot isolation", "strong session SI", "strong session snapshot isolation", "session SI"}, long: "snapshot isolation", implies: []Level{PC, PLSI},
		why: "prefixes, and no concurrent writers of one key; forgetting sessions gives PL-SI", source: biswas + "; " + cerone + "; " + daudjee},
	SER: {name: "SER", aka: []string{"serializability", "serializable", "SSSER", "strong session SER", "strong session serializability"}, long: "serializability", implies: []Level{SI, PL3},
		why: "a serial order that contains the session order; forgetting sessions gives PL-3", source: biswas + "; " + papadim},
	GSI: {name: "GSI", aka: []string{"generalized SI", "ANSI SI", "generalized snapshot isolation"}, long: "generalized snapshot isolation", implies: []Level{PLSI},
		why: "commits in the order of real time, and reads from what had committed", source: viper + "; " + crooks},
	SSSI: {name: "SSSI", aka: []string{"Viper strong session SI", "real-time session SI", "PCSI", "prefix-consistent SI"}, long: "session snapshot isolation in real time", implies: []Level{GSI, SI},
		why: "GSI whose snapshots contain the past of the session; without the real time of commits it is SI", source: viper + "; " + crooks},
	StrongSI: {name: "StrongSI", aka: []string{"strong SI", "strong snapshot isolation"}, long: "strong snapshot isolation", implies: []Level{SSSI},
		why: "snapshots contain all that had committed, so the past of the session, too", source: viper + "; " + crooks},
	SSER: {name: "SSER", aka: []string{"strict SER", "strict serializability", "strict serializable", "strong SER"}, long: "strict serializability", implies: []Level{SER, StrongSI},
		why: "a serial order that contains the real-time order", source: papadim},
}

// implied[l] is the set of levels that l implies, itself included.
var implied = func() (sets [numLevels]uint32) {
	for l := range numLevels { // weaker ones come first
		sets[l] = 1 << l
		for _, m := range levels[l].implies {
			sets[l] |= sets[m]
		}
	}
	return sets
}()

// Levels gives all levels, weaker ones before stronger ones.
func Levels() []Level {
	out := make([]Level, numLevels)
	for l := range numLevels {
		out[l] = l
	}
	return out
}

// String is the name of the level in the interface of the command: RC, PL-2+, …
func (l Level) String() string { return levels[l].name }

// Long is the name of the level in words.
func (l Level) Long() string { return levels[l].long }

// Source says where the level is defined.
func (l Level) Source() string { return levels[l].source }

// Why says what defines the level, and why it implies what it does.
func (l Level) Why() string { return levels[l].why }

// Names gives other names of the level.
func (l Level) Names() []string { return slices.Clone(levels[l].aka) }

// Direct gives the levels that l implies directly: the edges of the lattice.
func (l Level) Direct() []Level { return slices.Clone(levels[l].implies) }

// Implies tells whether every history of l is one of m. A level implies itself.
func (l Level) Implies(m Level) bool { return implied[l]>>m&1 != 0 }

// NeedsRealTime tells whether the level depends on stamps of begin and end.
func (l Level) NeedsRealTime() bool { return l.Implies(GSI) }

// NeedsSessions tells whether the level depends on the session order.
func (l Level) NeedsSessions() bool { return l.Implies(RC) }

// ParseLevel gives the level of a name, in any case and with or without
// hyphens, as in "SI", "pl-2+" or "strong session SI". "read committed" is RC,
// not PL-2.
func ParseLevel(name string) (Level, error) {
	for l := numLevels; l > 0; l-- {
		l := l - 1
		if plain(levels[l].name) == plain(name) {
			return l, nil
		}
	}
	for l := numLevels; l > 0; l-- {
		l := l - 1
		for _, aka := range levels[l].aka {
			if plain(aka) == plain(name) {
				return l, nil
			}
		}
	}
	return 0, fmt.Errorf("there is no isolation level %q; the levels are %s", name, strings.Join(names(Levels()), ", "))
}

func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", " ", "", "_", "").Replace(name))
}

func names(levels []Level) []string {
	var out []string
	for _, l := range levels {
		out = append(out, l.String())
	}
	return out
}

// Strongest gives those of some levels that no other of them implies: the
// strongest that a history satisfies.
func Strongest(some []Level) []Level {
	return where(func(l Level) bool {
		return slices.Contains(some, l) && !slices.ContainsFunc(some, func(m Level) bool { return m != l && m.Implies(l) })
	})
}

// Weakest gives those of some levels that imply no other of them: the weakest
// that a history violates.
func Weakest(some []Level) []Level {
	return where(func(l Level) bool {
		return slices.Contains(some, l) && !slices.ContainsFunc(some, func(m Level) bool { return m != l && l.Implies(m) })
	})
}

func where(keep func(Level) bool) []Level {
	return slices.DeleteFunc(Levels(), func(l Level) bool { return !keep(l) })
}
