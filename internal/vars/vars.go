// Package vars has the values of the variables of a transaction while it is executed in all ways:
// many copies, which differ in little.
package vars

import (
	"slices"

	"github.com/txrobust/robust/internal/prepare"
)

// Vars are the values of the variables of a template. A copy shares them, part by
// part, until one of the two is changed: there are many copies, and few changes.
type Vars[V comparable] struct {
	of    *prepare.Places
	parts []*part[V] // shared, if owner is not mine
	owner *owner     // of parts
	mine  *owner
}

const partSize = 16

// part is the values of partSize variables.
type part[V comparable] struct {
	vals  [partSize]V
	owner *owner
}

// owner stands for the vars that may change a part. It has a size, so that no two
// are the same.
type owner struct{ _ byte }

// New makes variables without values.
func New[V comparable](p *prepare.Places) Vars[V] {
	v := Vars[V]{of: p, mine: &owner{}}
	v.owner = v.mine
	for range (len(p.Names) + partSize - 1) / partSize {
		v.parts = append(v.parts, &part[V]{owner: v.mine})
	}
	return v
}

// Copied gives a copy; neither of the two changes with the other.
func (v *Vars[V]) Copied() Vars[V] {
	v.mine = &owner{}
	return Vars[V]{v.of, v.parts, v.owner, &owner{}}
}

// Get gives the value of a variable.
func (v *Vars[V]) Get(name string) V {
	i := v.of.Index(name)
	return v.parts[i/partSize].vals[i%partSize]
}

// Set changes the value of a variable.
func (v *Vars[V]) Set(name string, val V) {
	v.setAt(v.of.Index(name), val)
}

func (v *Vars[V]) setAt(i int, val V) {
	n := i / partSize
	if v.parts[n].owner != v.mine {
		if v.owner != v.mine {
			v.parts, v.owner = slices.Clone(v.parts), v.mine
		}
		v.parts[n] = &part[V]{v.parts[n].vals, v.mine}
	}
	v.parts[n].vals[i%partSize] = val
}

// Merge gives each variable whose value in other is another one the value that
// choose makes of the two.
func (v *Vars[V]) Merge(other *Vars[V], choose func(theirs, ours V) V) {
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
