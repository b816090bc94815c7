package session

import (
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
)

// Analysis is what the interpretations of a program have in common.
type Analysis struct {
	P    *program.Program
	Libs []*Library
	// Functions are the models of functions and methods by their full names.
	Functions map[string]CallModel
	Globals   map[*ssa.Global]*memory.Cell
	// Literals are options whose addresses initializers keep in package variables.
	Literals map[*ssa.Alloc]*memory.Cell
	kept     kept
	// stored are the texts that libraries store in fields, nil before they were looked for.
	stored map[*types.Var][]string
	// keys are those under which contexts keep transactions.
	keys []memory.Value
	// parted are the transactions that commit with another context than they begin with.
	parted map[string]bool
	// Late are those with statements of a batch that may not be sent: they are written where they are sent,
	// not where they are queued.
	Late map[string]bool
}

// kept is what was found in places of prepared statements; ready says that all of it
// is there.
type kept struct {
	in    map[program.Place][]keptStmt
	ready bool
	// failed are functions that were not interpreted to their end, lost the places of which
	// some statements may not be known because of these.
	failed []*ssa.Function
	lost   map[program.Place]bool
	// alone are the functions of which interpreting them by themselves told all that they
	// store, whoever calls them.
	alone map[*ssa.Function]bool
}

// NewAnalysis makes what interpretations have in common, without a program.
func NewAnalysis() *Analysis {
	return &Analysis{parted: map[string]bool{}, Late: map[string]bool{}, Literals: map[*ssa.Alloc]*memory.Cell{}, Functions: map[string]CallModel{}, Globals: map[*ssa.Global]*memory.Cell{}, kept: kept{in: map[program.Place][]keptStmt{}, lost: map[program.Place]bool{}, alone: map[*ssa.Function]bool{}}}
}

// Use makes an analysis one of a program with libraries, and gives what their names mean.
func (a *Analysis) Use(p *program.Program, libs []*Library) []*program.Names {
	a.P, a.Libs = p, libs
	var out []*program.Names
	for _, l := range libs {
		out = append(out, &l.Names)
		maps.Copy(a.Functions, l.Functions)
	}
	return out
}

// Fresh gives a value of a type that a library knows, of which nothing else is known; nil for other types.
func (a *Analysis) Fresh(t types.Type) memory.Value {
	for _, l := range a.Libs {
		if l.Fresh != nil {
			if v := l.Fresh(t); v != nil {
				return v
			}
		}
	}
	return nil
}

// InLoop gives what stays known of a handle that a loop replaces, if a library says so.
func (a *Analysis) InLoop(m *memory.Memory, h *memory.Handle) (memory.Value, bool) {
	for _, l := range a.Libs {
		if l.InLoop != nil {
			if v, ok := l.InLoop(m, h); ok {
				return v, true
			}
		}
	}
	return nil, false
}
