package program

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// GeneratedBy gives the program that generated the file which a function is in, "" if it is not known.
func (p *Program) GeneratedBy(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := ObjectOf(f); o != nil && o.Pos().IsValid() && len(p.generators) > 0 {
		return p.generators[p.FileOf(o.Pos())]
	}
	return ""
}

// StandsAlone reports whether a function is looked at by itself. A generated function that a library models at its calls
// is not, unless it is also used as a value.
func (p *Program) StandsAlone(f *ssa.Function) bool {
	by := p.GeneratedBy(f)
	if by == "" || !slices.ContainsFunc(p.Know.list, func(n *Names) bool { return slices.Contains(n.Generators, by) }) {
		return true
	}
	o := ObjectOf(outermost(f))
	return slices.ContainsFunc(p.values, func(v *ssa.Function) bool { return ObjectOf(v) == o })
}
