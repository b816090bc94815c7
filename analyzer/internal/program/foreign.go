package program

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// maxFields bounds how deep a handle is in types that are taken to hold it.
const maxFields = 3

// Foreign reports whether a call gives a handle to a function or method of a library that is not known, by
// the types of its arguments and what the function puts into them. The standard library, and what is known
// only to hold a database, send nothing by themselves.
func (p *Program) Foreign(c *ssa.CallCommon) bool { return p.GivesAway(c) != "" }

// GivesAway says what such a call gives: "db" for a database, "tx" or "either" if it may be a transaction, ""
// for nothing.
func (p *Program) GivesAway(c *ssa.CallCommon) string {
	if c == nil || !p.Unread(calledBy(c)) { // nil: a library calls it
		return ""
	}
	g := giving{p: p, seen: map[ssa.Value]bool{}}
	for _, a := range c.Args {
		g.look(a)
	}
	return g.kind
}

// calledBy gives the function or method that a call names, nil for one of a value.
func calledBy(c *ssa.CallCommon) types.Object {
	if c.IsInvoke() {
		return c.Method
	}
	if f := c.StaticCallee(); f != nil {
		return ObjectOf(f)
	}
	return nil
}

// ObjectOf gives the declaration of a function, of a generic one that of the origin; nil if it has none.
func ObjectOf(f *ssa.Function) types.Object {
	if o := f.Origin(); o != nil {
		f = o
	}
	return f.Object()
}

// Unread reports whether a function or method is one of a library that is not known.
func (p *Program) Unread(called types.Object) bool {
	if called == nil || called.Pkg() == nil {
		return false
	}
	path := called.Pkg().Path()
	if path == "reflect" { // its values have all methods
		return called.Name() == "ValueOf"
	}
	return p.isForeign(called.Pkg()) && !p.Know.IsIdle(path) && !within(path, p.Know.holding) && !p.Know.generated(called.Pkg())
}

// isForeign reports whether a package is one of a library that is not known, and not read.
func (p *Program) isForeign(pkg *types.Package) bool {
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return strings.Contains(first, ".") && !within(pkg.Path(), p.Know.folders()) && !p.isRead(pkg)
}

// isRead reports whether a package is one of those that were read.
func (p *Program) isRead(pkg *types.Package) bool {
	return p.PackageOf(pkg) != nil
}

// PackageOf gives the package that was read for a package of types, nil if it was not.
func (p *Program) PackageOf(pkg *types.Package) *ssa.Package {
	at := slices.IndexFunc(p.Pkgs, func(read *ssa.Package) bool { return read.Pkg == pkg })
	if at < 0 {
		return nil
	}
	return p.Pkgs[at]
}

// giving looks for handles in what a call gives to a library.
type giving struct {
	p    *Program
	seen map[ssa.Value]bool
	kind string
}

func (g *giving) look(v ssa.Value) {
	if v == nil || g.seen[v] || isNil(v) {
		return
	}
	g.seen[v] = true
	if k := g.p.reaches(v.Type(), 0); k != "" && g.kind != "tx" {
		g.kind = k
	}
	for _, w := range g.p.madeOf(v) {
		g.look(w)
	}
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// madeOf gives values that a function puts into another one.
func (p *Program) madeOf(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return []ssa.Value{v.X}
	case *ssa.ChangeInterface:
		return []ssa.Value{v.X}
	case *ssa.ChangeType:
		return []ssa.Value{v.X}
	case *ssa.Slice:
		return []ssa.Value{v.X}
	case *ssa.UnOp:
		return []ssa.Value{v.X}
	case *ssa.Phi:
		return v.Edges
	case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.Alloc:
		return p.storedIn(v)
	case *ssa.MakeClosure:
		if v.Fn.(*ssa.Function).Synthetic != "" { // a method value
			return v.Bindings
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return v.Call.Args
		}
		return p.returned(v.Call.StaticCallee())
	}
	return nil
}

// returned gives the results of a function that is read.
func (p *Program) returned(f *ssa.Function) (list []ssa.Value) {
	if f == nil || f.Pkg == nil || !p.isRead(f.Pkg.Pkg) {
		return nil
	}
	for _, b := range f.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			list = append(list, r.Results...)
		}
	}
	return list
}

// storedIn gives what is stored in a variable, its elements, or its fields. Only methods of the program get
// at the fields of its structs.
func (p *Program) storedIn(v ssa.Value) (list []ssa.Value) {
	if v.Referrers() == nil || p.IsOwnStruct(v.Type()) {
		return nil
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == v {
				list = append(list, r.Val)
			}
		case *ssa.MapUpdate:
			if r.Map == v {
				list = append(list, r.Key, r.Value)
			}
		case *ssa.Send:
			if r.Chan == v {
				list = append(list, r.X)
			}
		case *ssa.IndexAddr:
			list = append(list, p.storedIn(r)...)
		case *ssa.FieldAddr:
			list = append(list, p.storedIn(r)...)
		default: // it stores nothing there
		}
	}
	return list
}

// IsOwnStruct reports whether a type is a struct that a package which is read declares, or a pointer to one.
func (p *Program) IsOwnStruct(t types.Type) bool {
	n := gotypes.NamedOf(t)
	if n == nil || !p.isRead(n.Obj().Pkg()) {
		return false
	}
	_, ok := n.Underlying().(*types.Struct)
	return ok
}

// reaches says of what kind a handle is that code outside of the program gets at in values of a type.
func (p *Program) reaches(t types.Type, depth int) string {
	if k := p.HandleType(t); k != "" || depth > maxFields {
		return k
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		for a := range n.TypeArgs().Types() {
			if k := p.reaches(a, depth+1); k != "" {
				return k
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.reaches(u.Elem(), depth)
	case *types.Slice:
		return p.reaches(u.Elem(), depth+1)
	case *types.Array:
		return p.reaches(u.Elem(), depth+1)
	case *types.Chan:
		return p.reaches(u.Elem(), depth+1)
	case *types.Map:
		return cmp.Or(p.reaches(u.Elem(), depth+1), p.reaches(u.Key(), depth+1))
	case *types.Signature:
		return p.gives(u)
	case *types.Interface:
		for m := range u.Methods() {
			if k := p.gives(m.Signature()); k != "" {
				return k
			}
		}
	case *types.Struct:
		return p.inFields(t, u, depth)
	}
	return ""
}

// gives says of what kind a handle is that a function gives.
func (p *Program) gives(sig *types.Signature) string {
	for v := range sig.Results().Variables() {
		if k := p.Know.namedHandle(v.Type()); k != "" {
			return k
		}
	}
	return ""
}

// inFields says of what kind a handle in the fields of a struct is, of one of the program in those that are
// embedded: others get at its methods, and at nothing else.
func (p *Program) inFields(t types.Type, s *types.Struct, depth int) string {
	n, named := types.Unalias(t).(*types.Named)
	if named && n.Obj().Pkg() != nil && !p.isRead(n.Obj().Pkg()) && !p.isForeign(n.Obj().Pkg()) {
		return "" // of a library that is known
	}
	own := !named || n.Obj().Pkg() == nil || p.isRead(n.Obj().Pkg())
	for f := range s.Fields() {
		if own && !f.Embedded() {
			continue
		}
		if k := p.Know.namedHandle(f.Type()); k != "" {
			return k
		}
		if _, isInterface := f.Type().Underlying().(*types.Interface); !isInterface {
			if k := p.inStruct(f.Type(), depth+1); k != "" {
				return k
			}
		}
	}
	return ""
}

// inStruct is inFields of a struct with a name, or of a pointer to one.
func (p *Program) inStruct(t types.Type, depth int) string {
	n := gotypes.NamedOf(t)
	if n == nil || depth >= maxFields {
		return ""
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	return p.inFields(n, s, depth)
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
