package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Small reports whether a function is simple enough to be interpreted with its
// caller: without loops, short, and without the database, unless it gives a
// function that has to do with it.
func (p *Program) Small(f *ssa.Function) bool {
	if s, ok := p.smalls[f]; ok {
		return s
	}
	p.smalls[f] = false
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Instrs)
	}
	limit := 60
	if givesMap(f) {
		limit = 600
	}
	p.smalls[f] = n <= limit && len(p.Shape(f).Heads) == 0 && (!p.Relevant[f] || givesFunction(f))
	return p.smalls[f]
}

// givesMap reports whether a function gives a map with texts as keys, such as the values of the parameters of a
// statement: each entry takes several instructions.
func givesMap(f *ssa.Function) bool {
	for v := range f.Signature.Results().Variables() {
		if m, ok := v.Type().Underlying().(*types.Map); ok && types.Identical(m.Key(), types.Typ[types.String]) {
			return true
		}
	}
	return false
}

// givesFunction reports whether a function gives another one, which somebody else
// calls: what it captures matters then.
func givesFunction(f *ssa.Function) bool {
	r := f.Signature.Results()
	for i := range r.Len() {
		if _, ok := r.At(i).Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}
