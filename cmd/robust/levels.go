package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/readcommitted"
)

// levelFlag is -level: levels by the names of transactions.
type levelFlag map[string]string

// levelUsage is what -h says of -level.
const levelUsage = "isolation level of one transaction: `NAME=LEVEL`, where LEVEL is rc, rr or serializable (repeatable)"

func (l *levelFlag) String() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(*l)) {
		out = append(out, name+"="+(*l)[name])
	}
	return strings.Join(out, ",")
}

func (l *levelFlag) Set(s string) error {
	name, level, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return usagef("write NAME=LEVEL, such as pay=serializable")
	}
	if _, err := levels.Parse(level); err != nil {
		return err
	}
	if *l == nil {
		*l = levelFlag{}
	}
	if before, given := (*l)[name]; given && before != level {
		return usagef("the level of %s is %s and %s; write one", name, before, level)
	}
	(*l)[name] = level
	return nil
}

// checkLevels finds mistakes in -isolation and -level, and in flags that do not go with them.
func (f *checkFlags) checkLevels() error {
	what := "-isolation " + f.isolation
	switch {
	case len(f.levels) > 0 && (f.isolation == "" || f.isolation == levels.AtSnapshot):
		what = "-level"
	case f.isolation == "" || f.isolation == levels.AtSnapshot:
		return nil
	}
	for name, given := range map[string]bool{"classic": f.classic, "read-committed": f.beside, "proof": f.proof != ""} {
		if given {
			return usagef("%s: -%s is for si", what, name)
		}
	}
	if levels.Model(f.isolation) == "" {
		return nil
	}
	for name, given := range map[string]bool{"level": len(f.levels) > 0, "replay": f.replay.on, "witness": f.witness != ""} {
		if given {
			return usagef("%s: -%s is for levels of databases", what, name)
		}
	}
	return nil
}

// isolationOf is what is asked about a program.
func (f *checkFlags) isolationOf(p *program) string {
	aboutSnapshots := f.classic || f.beside || f.proof != "" || f.eng == "si"
	switch {
	case f.isolation != "":
		return f.isolation
	case p.golang != nil && !aboutSnapshots:
		return levels.AtCode
	}
	return levels.AtSnapshot
}

// assignLevels reads -level, whose names are those of transactions of any of the programs, and
// makes sure that the databases have the level that is asked about.
func (f *checkFlags) assignLevels(programs []*program) error {
	used := map[string]bool{}
	for _, p := range programs {
		e := p.engine(f.eng)
		if levels.Model(f.isolation) != "" && e.Name != engine.SI().Name {
			return usagef("%s: -isolation %s is a model of distributed stores, and %s is a database; write -engine si", p.Name, f.isolation, e.Title)
		}
		if why := readcommitted.Supported(e); why != "" && (f.beside || f.isolation == levels.AtReadCommitted && !e.InnoDB) {
			return usagef("%s: %s", p.Name, why)
		}
		own := map[string]string{}
		for name, level := range f.levels {
			if p.Txn(name) != nil || p.unread {
				own[name], used[name] = level, true
			}
		}
		if p.unread {
			continue
		}
		var err error
		if p.levels, err = levels.Named(p.Program, own); err != nil {
			return usagef("-level: %v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.levels)) {
		if !used[name] {
			return usagef("-level %s=%s: there is no such transaction; there are %s", name, f.levels[name], strings.Join(txnNames(programs), ", "))
		}
	}
	return nil
}

// txnNames are the names of all transactions, sorted.
func txnNames(programs []*program) []string {
	var out []string
	for _, p := range programs {
		for _, t := range p.Txns {
			out = append(out, t.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
