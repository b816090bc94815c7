package isolation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/checker/anomalies"
)

// Anomaly is a kind of behaviour that some levels exclude.
type Anomaly uint8

const numAnomalies Anomaly = anomalies.Count

// Vocabulary is a source of names.
type Vocabulary uint8

const (
	Adya     Vocabulary = iota
	Berenson            // and the ANSI standard
	TAP                 // the patterns of C4 and Plume, with their letters
	Elle
	numVocabularies
)

func (v Vocabulary) String() string {
	return [numVocabularies]string{"Adya", "Berenson", "TAP", "Elle"}[v]
}

// words are names of one thing, by vocabulary.
type words [numVocabularies]string

// description is what is known about an anomaly. Names that a vocabulary lacks are
// those of the general case of it.
type description struct {
	name string
	// by are the names in the vocabularies, empty where there is none.
	by   words
	what string
	// excluded are the weakest levels that exclude it.
	excluded []Level
	// implies are the anomalies of which it is a special case.
	implies []Anomaly
	source  string
}

var catalogue = [numAnomalies]description{
	anomalies.G0: {name: "G0", by: words{"G0", "P0 dirty write", "", "G0"}, excluded: []Level{PL1}, implies: []Anomaly{anomalies.G1c},
		what: "a cycle of write dependencies", source: adya},
	anomalies.DuplicateElements: {name: "duplicate-elements", by: words{Elle: "duplicate-elements"}, excluded: []Level{PL1},
		what: "a list has an element twice that was appended once", source: elle},
	anomalies.CyclicVersions: {name: "cyclic-versions", by: words{Elle: "cyclic-versions"}, excluded: []Level{PL2},
		what: "the versions of a key are in no order: each of two comes before the other", source: elle},
	anomalies.G1a: {name: "G1a", by: words{"G1a aborted read", "P1 dirty read", "b AbortedRead", "G1a"}, excluded: []Level{PL2},
		what: "a committed transaction reads from an aborted one", source: adya},
	anomalies.G1b: {name: "G1b", by: words{"G1b intermediate read", "P1 dirty read", "f IntermediateRead", "G1b"}, excluded: []Level{PL2},
		what: "a transaction reads a version that its writer overwrote itself", source: adya},
	anomalies.G1c: {name: "G1c", by: words{"G1c circular information flow", "", "", "G1c"}, excluded: []Level{PL2},
		what: "a cycle of write and read dependencies", source: adya},
	anomalies.ThinAirRead: {name: "thin-air-read", by: words{TAP: "a ThinAirRead", Elle: "garbage read"}, excluded: []Level{PL2},
		what: "a value is read that nobody wrote", source: c4},
	anomalies.FutureRead: {name: "future-read", by: words{TAP: "c FutureRead", Elle: "future-read"}, excluded: []Level{PL2}, implies: []Anomaly{anomalies.Internal},
		what: "a transaction reads what it writes only later", source: c4},
	anomalies.NotMyOwnWrite: {name: "not-my-own-write", by: words{TAP: "d NotMyOwnWrite"}, excluded: []Level{PL2}, implies: []Anomaly{anomalies.Internal},
		what: "a transaction wrote a key, and reads the version of another", source: c4},
	anomalies.NotMyLastWrite: {name: "not-my-last-write", by: words{TAP: "e NotMyLastWrite"}, excluded: []Level{PL2}, implies: []Anomaly{anomalies.Internal},
		what: "a transaction reads its own write, but not the last before", source: c4},
	anomalies.Internal: {name: "internal", by: words{Elle: "internal"}, excluded: []Level{RA, PL2Plus, PL299},
		what: "a read does not agree with what the same transaction read or wrote before", source: elle},
	anomalies.DirtyUpdate: {name: "dirty-update", by: words{Elle: "dirty-update"}, excluded: []Level{PL2},
		what: "a committed version contains the write of an aborted transaction", source: elle},
	anomalies.IncompatibleOrder: {name: "incompatible-order", by: words{Elle: "incompatible-order"}, excluded: []Level{PL2},
		what: "two reads of a list do not have a common order: one of them is of a state that was not to last", source: elle},
	anomalies.GMonotonic: {name: "G-monotonic", by: words{Adya: "G-monotonic"}, excluded: []Level{PL2L}, implies: []Anomaly{anomalies.GSingle},
		what: "a read misses a version that the transaction depended on before", source: adya},
	anomalies.NonRepeatableRead: {name: "non-repeatable-read", by: words{Berenson: "P2 non-repeatable read", TAP: "j NonRepeatableRead", Elle: "internal"}, excluded: []Level{RA, PL2Plus, PL299}, implies: []Anomaly{anomalies.GSingleItem, anomalies.Internal},
		what: "a transaction reads two versions of a key and does not write it in between", source: c4 + "; " + bernst},
	anomalies.ReadSkew: {name: "read-skew", by: words{Berenson: "A5A read skew", Elle: "G-single"}, excluded: []Level{PL2Plus, PL299}, implies: []Anomaly{anomalies.GSingleItem},
		what: "a transaction reads a key before and another one after the same update of both", source: bernst},
	anomalies.LostUpdate: {name: "lost-update", by: words{Berenson: "P4 lost update", Elle: "lost-update"}, excluded: []Level{PL2Plus, PL299}, implies: []Anomaly{anomalies.GSingleItem},
		what: "two transactions read one version of a key, and both overwrite it", source: bernst},
	anomalies.GSingleItem: {name: "G-single-item", by: words{Elle: "G-single-item"}, excluded: []Level{PL2Plus, PL299}, implies: []Anomaly{anomalies.GSingle, anomalies.G2Item},
		what: "a cycle with exactly one anti-dependency, on an item", source: elle},
	anomalies.GSingle: {name: "G-single", by: words{Adya: "G-single", Elle: "G-single"}, excluded: []Level{PL2Plus}, implies: []Anomaly{anomalies.G2},
		what: "a cycle with exactly one anti-dependency", source: adya},
	anomalies.LongFork: {name: "long-fork", by: words{Elle: "long-fork"}, excluded: []Level{PC, PLSI, PL299}, implies: []Anomaly{anomalies.GNonadjacentItem},
		what: "two transactions see two writes in opposite orders", source: elle + "; " + cerone},
	anomalies.GNonadjacentItem: {name: "G-nonadjacent-item", by: words{Elle: "G-nonadjacent-item"}, excluded: []Level{PLSI, PL299}, implies: []Anomaly{anomalies.GNonadjacent, anomalies.G2Item},
		what: "a cycle with several anti-dependencies, all on items, and no two in a row", source: elle},
	anomalies.GNonadjacent: {name: "G-nonadjacent", by: words{Elle: "G-nonadjacent"}, excluded: []Level{PLSI}, implies: []Anomaly{anomalies.G2},
		what: "a cycle with several anti-dependencies, and no two in a row", source: elle + "; " + cerone},
	anomalies.WriteSkew: {name: "write-skew", by: words{Berenson: "A5B write skew", Elle: "write-skew"}, excluded: []Level{PL299}, implies: []Anomaly{anomalies.G2Item},
		what: "each of two transactions reads a key that the other one overwrites", source: bernst},
	anomalies.ReadOnlyAnomaly: {name: "read-only-anomaly", excluded: []Level{PL299}, implies: []Anomaly{anomalies.G2Item},
		what: "two updates are serializable, but not with what a third transaction read", source: fekete},
	anomalies.G2Item: {name: "G2-item", by: words{Adya: "G2-item", Elle: "G2-item"}, excluded: []Level{PL299}, implies: []Anomaly{anomalies.G2},
		what: "a cycle with anti-dependencies on items", source: adya},
	anomalies.Phantom: {name: "phantom", by: words{Adya: "G2", Berenson: "P3 phantom", Elle: "G2"}, excluded: []Level{PL3}, implies: []Anomaly{anomalies.G2},
		what: "a cycle with an anti-dependency on the rows that match a predicate", source: bernst},
	anomalies.G2: {name: "G2", by: words{Adya: "G2", Elle: "G2"}, excluded: []Level{PL3},
		what: "a cycle with anti-dependencies", source: adya},
	anomalies.CyclicCO: {name: "cyclic-co", by: words{TAP: "g CyclicCO"}, excluded: []Level{RC},
		what: "a cycle of session order and read dependencies", source: c4},
	anomalies.NonMonoReadCO: {name: "non-monotonic-read-co", by: words{TAP: "h NonMonoReadCO"}, excluded: []Level{RC}, implies: []Anomaly{anomalies.COConflictAO},
		what: "after a read from a transaction, another key that it wrote is read from one of its causal past", source: c4},
	anomalies.NonMonoReadAO: {name: "non-monotonic-read-ao", by: words{TAP: "i NonMonoReadAO"}, excluded: []Level{RA}, implies: []Anomaly{anomalies.ConflictAO},
		what: "after a read from a transaction, another key that it wrote is read from one that RA puts before it", source: c4},
	anomalies.FracturedReadCO: {name: "fractured-read-co", by: words{TAP: "k FracturedReadCO"}, excluded: []Level{RA}, implies: []Anomaly{anomalies.COConflictAO},
		what: "one write of a transaction is read, and for another key that it wrote a version of its causal past", source: c4},
	anomalies.FracturedReadAO: {name: "fractured-read-ao", by: words{TAP: "l FracturedReadAO"}, excluded: []Level{RA}, implies: []Anomaly{anomalies.ConflictAO},
		what: "one write of a transaction is read, and for another key that it wrote a version that RA puts before it", source: c4},
	anomalies.COConflictAO: {name: "co-conflict-ao", by: words{TAP: "m COConflictAO"}, excluded: []Level{CC}, implies: []Anomaly{anomalies.ConflictAO},
		what: "a version is read that was overwritten in the causal past of the reader", source: c4},
	anomalies.ConflictAO: {name: "conflict-ao", by: words{TAP: "n ConflictAO"}, excluded: []Level{CC},
		what: "the versions that causally consistent reads need are in no order", source: c4},

	anomalies.G0Process: {name: "G0-process", by: words{Elle: "G0-process"}, excluded: []Level{RC}, implies: []Anomaly{anomalies.G1cProcess},
		what: "a cycle of write dependencies and session order", source: elle},
	anomalies.G1cProcess: {name: "G1c-process", by: words{Elle: "G1c-process"}, excluded: []Level{RC},
		what: "a cycle of write and read dependencies and session order", source: elle},
	anomalies.GSingleProcess: {name: "G-single-process", by: words{Elle: "G-single-process"}, excluded: []Level{SI}, implies: []Anomaly{anomalies.G2Process},
		what: "a cycle with exactly one anti-dependency, and session order", source: elle},
	anomalies.GNonadjacentProcess: {name: "G-nonadjacent-process", by: words{Elle: "G-nonadjacent-process"}, excluded: []Level{SI}, implies: []Anomaly{anomalies.G2Process},
		what: "a cycle with several anti-dependencies, no two in a row, and session order", source: elle},
	anomalies.G2ItemProcess: {name: "G2-item-process", by: words{Elle: "G2-item-process"}, excluded: []Level{SER}, implies: []Anomaly{anomalies.G2Process},
		what: "a cycle with anti-dependencies on items and session order", source: elle},
	anomalies.G2Process: {name: "G2-process", by: words{Elle: "G2-process"}, excluded: []Level{SER},
		what: "a cycle with anti-dependencies and session order", source: elle},

	anomalies.G0Realtime: {name: "G0-realtime", by: words{Elle: "G0-realtime"}, excluded: []Level{GSI}, implies: []Anomaly{anomalies.G1cRealtime},
		what: "a cycle of write dependencies and real-time order", source: elle},
	anomalies.G1cRealtime: {name: "G1c-realtime", by: words{Elle: "G1c-realtime"}, excluded: []Level{GSI},
		what: "a cycle of write and read dependencies and real-time order", source: elle},
	anomalies.GSingleRealtime: {name: "G-single-realtime", by: words{Elle: "G-single-realtime"}, excluded: []Level{StrongSI}, implies: []Anomaly{anomalies.G2Realtime},
		what: "a cycle with exactly one anti-dependency, and real-time order", source: elle},
	anomalies.GNonadjacentRealtime: {name: "G-nonadjacent-realtime", by: words{Elle: "G-nonadjacent-realtime"}, excluded: []Level{StrongSI}, implies: []Anomaly{anomalies.G2Realtime},
		what: "a cycle with several anti-dependencies, no two in a row, and real-time order", source: elle},
	anomalies.G2ItemRealtime: {name: "G2-item-realtime", by: words{Elle: "G2-item-realtime"}, excluded: []Level{SSER}, implies: []Anomaly{anomalies.G2Realtime},
		what: "a cycle with anti-dependencies on items and real-time order", source: elle},
	anomalies.G2Realtime: {name: "G2-realtime", by: words{Elle: "G2-realtime"}, excluded: []Level{SSER},
		what: "a cycle with anti-dependencies and real-time order", source: elle},
	anomalies.BackwardSession: {name: "backward-session", excluded: []Level{SSSI},
		what: "a transaction follows another one in its session, but had ended before it began", source: viper + "; " + crooks},
}

// special[a] is the set of anomalies of which a is a special case, itself
// included.
var special = func() (sets [numAnomalies]uint64) {
	var close func(a Anomaly) uint64
	close = func(a Anomaly) uint64 {
		if sets[a] == 0 {
			sets[a] = 1 << a
			for _, b := range catalogue[a].implies {
				sets[a] |= close(b)
			}
		}
		return sets[a]
	}
	for a := range numAnomalies {
		close(a)
	}
	return sets
}()

// Anomalies gives all anomalies.
func Anomalies() []Anomaly {
	out := make([]Anomaly, numAnomalies)
	for a := range numAnomalies {
		out[a] = a
	}
	return out
}

// String is the name of the anomaly: G1a, lost-update, …
func (a Anomaly) String() string { return catalogue[a].name }

// What says what the anomaly is.
func (a Anomaly) What() string { return catalogue[a].what }

// Source says where the anomaly is defined.
func (a Anomaly) Source() string { return catalogue[a].source }

// Name is the name of the anomaly in a vocabulary, empty if it has none.
func (a Anomaly) Name(v Vocabulary) string { return catalogue[a].by[v] }

// Names gives the names of the anomaly in a vocabulary: its own, or else those of
// the anomalies of which it is a special case, without those that these imply.
func (a Anomaly) Names(v Vocabulary) []string {
	if n := a.Name(v); n != "" {
		return []string{n}
	}
	var out []string
	for _, b := range catalogue[a].implies {
		for _, n := range b.Names(v) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// Implies tells whether whoever shows a shows b, too.
func (a Anomaly) Implies(b Anomaly) bool { return special[a]>>b&1 != 0 }

// ExcludedBy gives the weakest levels that exclude the anomaly: the weakest that a
// history with it violates.
func (a Anomaly) ExcludedBy() []Level { return slices.Clone(catalogue[a].excluded) }

// Excludes tells whether no history of the level has the anomaly. False says
// only that it is not known to exclude it.
func (l Level) Excludes(a Anomaly) bool {
	return slices.ContainsFunc(catalogue[a].excluded, l.Implies)
}

// Excluded gives all anomalies that a level excludes.
func (l Level) Excluded() []Anomaly {
	return slices.DeleteFunc(Anomalies(), func(a Anomaly) bool { return !l.Excludes(a) })
}

// ParseAnomaly gives the anomaly of a name in any vocabulary. A name that
// several have is that of the most general one.
func ParseAnomaly(name string) (Anomaly, error) {
	found, ok := Anomaly(0), false
	for a := range numAnomalies {
		if plain(a.String()) == plain(name) {
			return a, nil
		}
		for v := range numVocabularies {
			n := a.Name(v)
			_, words, _ := strings.Cut(n, " ")
			if n != "" && (plain(n) == plain(name) || words != "" && plain(words) == plain(name)) && (!ok || found.Implies(a)) {
				found, ok = a, true
			}
		}
	}
	if !ok {
		return 0, fmt.Errorf("there is no anomaly %q", name)
	}
	return found, nil
}
