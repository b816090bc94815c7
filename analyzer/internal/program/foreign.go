package program

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxFields bounds how deep a handle is in the structs of a library that are taken to hold it.
const maxFields = 3

// Foreign reports whether a call gives a handle to a function or method of a library that is not known, by
// the types of its arguments. The standard library, and what is known only to hold a database, send nothing
// by themselves.
func (p *Program) Foreign(c *ssa.CallCommon) bool {
	pkg := p.foreignPackage(c)
	return pkg != nil && !within(pkg.Path(), p.Know.folders()) && slices.ContainsFunc(c.Args, p.gives)
}

// foreignPackage gives the package of what a call calls, nil if that is read or does nothing that matters.
func (p *Program) foreignPackage(c *ssa.CallCommon) *types.Package {
	var called types.Object
	if c == nil { // a library calls it
		return nil
	}
	if c.IsInvoke() {
		called = c.Method
	} else if f := c.StaticCallee(); f != nil {
		called = f.Object()
		if o := f.Origin(); o != nil {
			called = o.Object()
		}
	}
	if called == nil || called.Pkg() == nil {
		return nil
	}
	pkg := called.Pkg()
	first, _, _ := strings.Cut(pkg.Path(), "/")
	if !strings.Contains(first, ".") || p.Know.IsIdle(pkg.Path()) || within(pkg.Path(), p.Know.holding) ||
		slices.ContainsFunc(p.Pkgs, func(read *ssa.Package) bool { return read.Pkg == pkg || p.Know.generated(pkg) }) {
		return nil
	}
	return pkg
}

// gives reports whether an argument is a handle, or a struct of a library that holds one.
func (p *Program) gives(v ssa.Value) bool {
	if p.HandleType(v.Type()) != "" {
		return true
	}
	switch w := v.(type) {
	case *ssa.MakeInterface:
		return p.gives(w.X)
	case *ssa.ChangeInterface:
		return p.gives(w.X)
	case *ssa.Slice: // a list that is written out, as that of a variadic function
		if a, ok := w.X.(*ssa.Alloc); ok {
			return slices.ContainsFunc(elements(a), p.gives)
		}
	}
	return p.holdsHandle(v.Type(), 0)
}

// elements gives what is stored in the elements of an array by their indexes.
func elements(a *ssa.Alloc) (list []ssa.Value) {
	for _, r := range *a.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *at.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == at {
				list = append(list, s.Val)
			}
		}
	}
	return list
}

// holdsHandle reports whether a type of a library that is not known has a handle in its fields.
func (p *Program) holdsHandle(t types.Type, depth int) bool {
	if pt, ok := t.Underlying().(*types.Pointer); ok {
		t = pt.Elem()
	}
	n, named := types.Unalias(t).(*types.Named)
	s, ok := t.Underlying().(*types.Struct)
	if !named || !ok || n.Obj().Pkg() == nil || depth == maxFields {
		return false
	}
	path := n.Obj().Pkg().Path()
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") || within(path, p.Know.folders()) || slices.ContainsFunc(p.Pkgs, func(read *ssa.Package) bool { return read.Pkg == n.Obj().Pkg() }) {
		return false
	}
	for f := range s.Fields() {
		if k := p.Know.namedHandle(f.Type()); k != "" || p.holdsHandle(f.Type(), depth+1) {
			return true
		}
	}
	return false
}

// folders gives the packages of the libraries that are known: of each the folder of its module.
func (k *Knowledge) folders() map[string]bool {
	if k.known == nil {
		k.known = map[string]bool{}
		add := func(path string) {
			parts := strings.SplitN(path, "/", 4)
			k.known[strings.Join(parts[:min(len(parts), 3)], "/")] = true
		}
		for path := range k.Paths {
			add(path)
		}
		for name := range k.users {
			if path, ok := packageOf(name); ok {
				add(path)
			}
		}
	}
	return k.known
}

// packageOf gives the path of the package in the full name of a function or method.
func packageOf(name string) (path string, ok bool) {
	name = strings.TrimLeft(name, "(*")
	slash := strings.LastIndexByte(name, '/')
	if slash < 0 {
		return "", false
	}
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return "", false
	}
	return name[:slash+dot], true
}
