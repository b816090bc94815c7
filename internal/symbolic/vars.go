package symbolic

import (
	"slices"

	"github.com/txrobust/robust/internal/prepare"
)

// vars are the values of the variables of a template. A copy shares them, part by
// part, until one of the two is changed: there are many copies, and few changes.
type vars struct {
	of    *prepare.Places
	parts []*part // shared, if owner is not mine
	owner *owner  // of parts
	mine  *owner
}

const partSize = 16

// part is the values of partSize variables.
type part struct {
	vals  [partSize]Val
	owner *owner
}

// owner stands for the vars that may change a part. It has a size, so that no two
// are the same.
type owner struct{ _ byte }

// newVars makes variables without values.
func newVars(p *prepare.Places) vars {
	v := vars{of: p, mine: &owner{}}
	v.owner = v.mine
	for range (len(p.Names) + partSize - 1) / partSize {
		v.parts = append(v.parts, &part{owner: v.mine})
	}
	return v
}

// copied gives a copy; neither of the two changes with the other.
func (v *vars) copied() vars {
	v.mine = &owner{}
	return vars{v.of, v.parts, v.owner, &owner{}}
}

// get gives the value of a variable.
func (v *vars) get(name string) Val {
	i := v.of.Index(name)
	return v.parts[i/partSize].vals[i%partSize]
}

// set changes the value of a variable.
func (v *vars) set(name string, val Val) {
	v.setAt(v.of.Index(name), val)
}

func (v *vars) setAt(i int, val Val) {
	n := i / partSize
	if v.parts[n].owner != v.mine {
		if v.owner != v.mine {
			v.parts, v.owner = slices.Clone(v.parts), v.mine
		}
		v.parts[n] = &part{v.parts[n].vals, v.mine}
	}
	v.parts[n].vals[i%partSize] = val
}

// merge gives each variable whose value in other is another one the value that
// choose makes of the two.
func (v *vars) merge(other *vars, choose func(theirs, ours Val) Val) {
	for n, p := range other.parts {
		if p == v.parts[n] {
			continue
		}
		for k, theirs := range p.vals {
			if ours := v.parts[n].vals[k]; theirs != ours {
				v.setAt(n*partSize+k, choose(theirs, ours))
			}
		}
	}
}
