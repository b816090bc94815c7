package rooms

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// IsPublic reports whether users of the library may import a package: it is not below a
// folder internal, and it is no command.
func IsPublic(p *packages.Package) bool {
	return p.Name != "main" && !hidden(p.PkgPath)
}

func hidden(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }

// Exported gives the names that a package exports: constants, variables, functions and
// types, in order. Fields and methods do not count.
func Exported(p *packages.Package) []string {
	var out []string
	for _, name := range p.Types.Scope().Names() {
		if p.Types.Scope().Lookup(name).Exported() {
			out = append(out, name)
		}
	}
	return out
}

// Leak is a type below a folder internal that a public declaration names, although no public
// package has a name for it.
type Leak struct {
	Type string // with the path of its package
	At   string // the declaration, with the field or method: PACKAGE.NAME.FIELD
}

// Leaks gives the leaks of the public packages among some, in their order. A type of which an
// alias is exported is no leak: users can name it.
func Leaks(list []*packages.Package) []Leak {
	l := leaks{named: map[*types.TypeName]bool{}}
	for _, p := range list {
		if !IsPublic(p) {
			continue
		}
		for _, name := range Exported(p) {
			o := p.Types.Scope().Lookup(name)
			if t, ok := types.Unalias(o.Type()).(*types.Named); ok && isAlias(o) {
				l.named[t.Obj()] = true
			}
		}
	}
	for _, p := range list {
		if !IsPublic(p) {
			continue
		}
		for _, name := range Exported(p) {
			l.declaration(p.Types.Scope().Lookup(name), p.PkgPath+"."+name)
		}
	}
	return l.found
}

func isAlias(o types.Object) bool {
	t, ok := o.(*types.TypeName)
	return ok && t.IsAlias()
}

type leaks struct {
	named map[*types.TypeName]bool // by an exported alias
	found []Leak
}

func (l *leaks) declaration(o types.Object, at string) {
	t, ok := o.Type().(*types.Named)
	if _, isType := o.(*types.TypeName); !isType || !ok {
		if !isAlias(o) {
			l.visit(o.Type(), at)
		}
		return
	}
	l.visit(t.Underlying(), at)
	for m := range t.Methods() {
		if m.Exported() {
			l.visit(m.Type(), at+"."+m.Name())
		}
	}
}

// visit looks for internal types in what a type is written with.
func (l *leaks) visit(t types.Type, at string) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic, *types.TypeParam:
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && hidden(o.Pkg().Path()) && !l.named[o] {
			l.found = append(l.found, Leak{types.TypeString(t, nil), at})
		}
		for arg := range t.TypeArgs().Types() {
			l.visit(arg, at)
		}
	case *types.Map:
		l.visit(t.Key(), at)
		l.visit(t.Elem(), at)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		l.visit(t.Elem(), at)
	case *types.Signature:
		for v := range t.Params().Variables() {
			l.visit(v.Type(), at)
		}
		for v := range t.Results().Variables() {
			l.visit(v.Type(), at)
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				l.visit(f.Type(), at+"."+f.Name())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				l.visit(m.Type(), at+"."+m.Name())
			}
		}
	default:
		panic(fmt.Sprintf("rooms: unknown type %T", t))
	}
}
