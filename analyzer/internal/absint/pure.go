package absint

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/session"
)

// pure are the packages of the standard library whose functions compute what they give from their arguments.
var pure = map[string]bool{"bytes": true, "cmp": true, "container": true, "crypto": true, "encoding": true, "fmt": true, "hash": true, "html": true, "maps": true,
	"math": true, "net/netip": true, "net/url": true, "path": true, "regexp": true, "slices": true, "sort": true, "strconv": true, "strings": true, "text": true, "time": true, "unicode": true}

// computing does what a call of an unknown function of a package does. In a trace, its result is computed from the arguments if
// the function seems only to compute (computes). Functions that ask somebody else mostly get a context.
func computing(in *interp, inv *session.Invocation, pkg *types.Package, unknown func() memory.Value) (result memory.Value) {
	if in.Trace == nil || !computes(in, inv, pkg) {
		return unknown()
	}
	from := inv.Args
	if inv.Fn != nil {
		from = append([]memory.Value{inv.Fn}, from...)
	}
	var ts []types.Type
	for _, a := range inv.C.Args {
		ts = append(ts, a.Type())
	}
	memory.Computed(in.Memory, from, memory.ElementsOf(in.Memory, ts), func() { result = unknown() })
	return result
}

// computes reports whether a function of a package, nil for a function that is not known, seems to compute what it gives.
func computes(in *interp, inv *session.Invocation, pkg *types.Package) bool {
	if slices.ContainsFunc(inv.Args, func(v memory.Value) bool { return in.Holds(v, memory.IsHandle) }) {
		return false
	}
	sig := inv.C.Signature()
	for v := range sig.Params().Variables() {
		if gotypes.IsContext(v.Type()) {
			return false
		}
	}
	if pkg == nil || slices.ContainsFunc(in.P.Pkgs, func(p *ssa.Package) bool { return p.Pkg == pkg }) {
		return true
	}
	path := pkg.Path()
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		for ; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
			if pure[path] {
				return true
			}
		}
		return false
	}
	// A function of another library seems to compute if it gets plain values only.
	return !slices.ContainsFunc(inv.C.Args, func(a ssa.Value) bool {
		return !gotypes.Storable(a.Type()) && !gotypes.IsTime(a.Type()) && !isBasic(a.Type())
	})
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// packageOf gives the package of a function, also of a method or an instance; nil if it has none.
func packageOf(f *ssa.Function) *types.Package {
	if f.Object() != nil {
		return f.Object().Pkg()
	}
	if f.Pkg != nil {
		return f.Pkg.Pkg
	}
	return nil
}
