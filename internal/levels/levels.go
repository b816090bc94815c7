// Package levels says at which isolation level each transaction of a program runs: the one
// that is asked about for all of them, or the one that its source asks for, or else the
// default of the database.
//
// It also says of which programs SERIALIZABLE of PostgreSQL alone is enough (Unserialized).
package levels

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
)

// Level is an isolation level of PostgreSQL, in the words of SQL.
type Level string

// The levels. PostgreSQL takes READ UNCOMMITTED for READ COMMITTED.
const (
	ReadCommitted  Level = "READ COMMITTED"
	RepeatableRead Level = "REPEATABLE READ"
	Serializable   Level = "SERIALIZABLE"
)

// All lists the levels, weaker ones first.
func All() []Level { return []Level{ReadCommitted, RepeatableRead, Serializable} }

// names are the short names of the command line.
var names = map[string]Level{"rc": ReadCommitted, "rr": RepeatableRead, "serializable": Serializable}

// Parse gives the level of a name: rc, rr, serializable, or a name of SQL in any case.
func Parse(name string) (Level, error) {
	if l, ok := names[strings.ToLower(name)]; ok {
		return l, nil
	}
	if l, ok := ofSQL(strings.ReplaceAll(strings.ReplaceAll(name, "-", " "), "_", " ")); ok {
		return l, nil
	}
	return "", fmt.Errorf("there is no level %q; the levels are rc (READ COMMITTED), rr (REPEATABLE READ) and serializable", name)
}

// ofSQL gives the level of a name as SQL has it.
func ofSQL(name string) (Level, bool) {
	name = strings.ToUpper(strings.Join(strings.Fields(name), " "))
	if name == "READ UNCOMMITTED" {
		return ReadCommitted, true
	}
	return Level(name), slices.Contains(All(), Level(name))
}

// Question says which levels are asked about.
type Question struct {
	// Code takes the level that the source asks for, and Default where it asks for none;
	// without it, all run at Default.
	Code    bool
	Default Level
	// Of are the levels of single transactions, by their names.
	Of map[string]Level
}

// Source says where a level is from.
type Source string

// The sources of levels.
const (
	ByDefault Source = "default"
	ByCode    Source = "code"
	ByOption  Source = "option"
)

// Assigned is the level of a transaction. Where the source may ask for one of several, it is
// the lowest, and Above has the others.
type Assigned struct {
	Level  Level
	Above  []Level
	Source Source
}

// May reports whether the transaction may run at a level.
func (a Assigned) May(l Level) bool { return a.Level == l || slices.Contains(a.Above, l) }

// For gives the level of a transaction.
func (q *Question) For(t *ir.Txn) Assigned {
	if l, ok := q.Of[t.Name]; ok {
		return Assigned{Level: l, Source: ByOption}
	}
	if !q.Code {
		return Assigned{Level: q.Default, Source: ByOption}
	}
	var may []Level
	for _, name := range append([]string{t.Level}, t.Above...) {
		l, ok := ofSQL(name)
		if !ok {
			l = q.Default
		}
		may = append(may, l)
	}
	slices.SortFunc(may, func(a, b Level) int { return slices.Index(All(), a) - slices.Index(All(), b) })
	may = slices.Compact(may)
	a := Assigned{Level: may[0], Above: may[1:], Source: ByDefault}
	if _, ok := ofSQL(t.Level); ok || len(a.Above) > 0 {
		a.Source = ByCode
	}
	return a
}

// What may be asked about: snapshot isolation, one level for all transactions, or for each
// the one that the source asks for.
const (
	AtSnapshot       = "si"
	AtReadCommitted  = "rc"
	AtRepeatableRead = "rr"
	AtSerializable   = "serializable"
	AtCode           = "code"
)

// Models of distributed stores that may be asked about as well, for the engine of the literature
// (package weak).
const (
	AtParallelSnapshot = "psi"
	AtPrefix           = "pc"
	AtCausal           = "cc"
)

// models are their names in words.
var models = map[string]string{AtParallelSnapshot: "parallel snapshot isolation", AtPrefix: "prefix consistency", AtCausal: "causal consistency"}

// Model gives the name of a model in words, "" if the question is about no model of distributed
// stores.
func Model(question string) string { return models[question] }

// OfDatabases lists the questions about levels of databases.
func OfDatabases() []string {
	return []string{AtSnapshot, AtReadCommitted, AtRepeatableRead, AtSerializable, AtCode}
}

// Questions lists all of them.
func Questions() []string {
	return append(OfDatabases(), AtParallelSnapshot, AtPrefix, AtCausal)
}

// Known reports an error if there is no such question; "" is that about snapshot isolation.
func Known(question string) error {
	if question != "" && !slices.Contains(Questions(), question) {
		return fmt.Errorf("there is no isolation %q; it is si (snapshot isolation), rc (READ COMMITTED), rr (REPEATABLE READ), serializable, code (what each transaction asks for, or else the default of the database), or with the engine si psi (parallel snapshot isolation), pc (prefix consistency) or cc (causal consistency)", question)
	}
	return nil
}

// Named reads the levels of single transactions of a program.
func Named(p *ir.Program, list map[string]string) (map[string]Level, error) {
	out := map[string]Level{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if p.Txn(name) == nil {
			var known []string
			for _, t := range p.Txns {
				known = append(known, t.Name)
			}
			slices.Sort(known)
			return nil, fmt.Errorf("%s has no transaction %q; it has %s", p.Name, name, strings.Join(known, ", "))
		}
		l, err := Parse(list[name])
		if err != nil {
			return nil, err
		}
		out[name] = l
	}
	return out, nil
}

// Default is the level at which a database runs transactions that ask for none.
func Default(e *engine.Profile) Level {
	return Level(cmp.Or(e.DefaultLevel, string(RepeatableRead)))
}
