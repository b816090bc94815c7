package value

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Rows are the arguments of an aggregate: those of a row in a list. ordered says that
// the statement gives them their order; otherwise they may have any.
type Rows struct {
	List    [][]ir.Value
	Ordered bool
}

// Fold computes an aggregate. The error is that of ir.Function.
type Fold func(r Rows) (ir.Value, error)

// FoldFamily gives the aggregate for arguments and a result of some types; nil where it
// is not known for them.
type FoldFamily func(args []*Type, result *Type) Fold

// Aggregates are the aggregates whose value is known, by signature, such as
// "sum(int4)". Those WITHIN GROUP are in OrderedSets.
var Aggregates = map[string]FoldFamily{}

// DefineAggregates adds aggregates.
func DefineAggregates(list map[string]FoldFamily) {
	for name, f := range list {
		if Aggregates[name] != nil {
			panic("value: " + name + " is defined twice")
		}
		Aggregates[name] = f
	}
}

// Aggregate gives what is known of the aggregate with a signature of the catalog. The
// types are those of FunctionOf. Its Eval takes the arguments of all rows, row after
// row, with NULLs or without. Of an aggregate WITHIN GROUP it takes the direct
// arguments and then the others, in their order, without NULLs.
//
// ordered says that the rows come in the order that the statement gives them. Without
// it a value that depends on the order is not known.
func Aggregate(signature string, ordered bool, args []*Type, result *Type) *ir.Function {
	name := "aggregate " + signature + " of (" + typeKeys(args) + ") " + result.Identifier()
	if ordered {
		name += " in order"
	}
	return Interned(name, func() *ir.Function {
		f := &ir.Function{Name: name, Settings: settingsOf(signature, args)}
		if set := OrderedSets[signature]; set != nil {
			f.Eval = guarded(set(args, result), func(i int) *Type { return args[min(i, len(args)-1)] })
		} else if family := Aggregates[signature]; family != nil {
			if compute := family(args, result); compute != nil {
				f.Eval = guarded(func(a []ir.Value) (ir.Value, error) {
					return compute(Rows{slices.Collect(slices.Chunk(a, max(len(args), 1))), ordered})
				}, func(i int) *Type { return args[i%len(args)] })
			}
		}
		return f
	})
}

// Known drops the rows with a NULL, which most aggregates do not look at.
func (r Rows) Known() Rows {
	return Rows{slices.DeleteFunc(slices.Clone(r.List), AnyNull), r.Ordered}
}

// alike reports whether all rows are equal, so that their order does not matter.
func (r Rows) alike() bool {
	for _, row := range r.List {
		if !slices.Equal(row, r.List[0]) {
			return false
		}
	}
	return true
}

// Determined reports whether the value may depend on the order of the rows.
func (r Rows) Determined() bool { return r.Ordered || r.alike() }

// Firsts gives the first arguments of the rows.
func (r Rows) Firsts() []ir.Value {
	out := make([]ir.Value, len(r.List))
	for i, row := range r.List {
		out[i] = row[0]
	}
	return out
}
