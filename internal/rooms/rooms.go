// Package rooms measures the inside of Go packages: how large they are, and how much of
// them refers to each other in circles. What refers to each other can only be understood,
// tested and changed together.
//
// The package is meant for tests only.
package rooms

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Mode is what packages.Load has to give for Measure.
const Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedModule |
	packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo

// Figures are the measures of a package or of its largest part. Names say which part that
// is. Tests and generated files do not count.
type Figures struct {
	Lines     int // of all files
	File      int // lines of the largest file
	Function  int // lines of the longest function
	Methods   int // of the receiver that has most
	Recursive int // functions in the largest group that call each other
	Cycle     int // files in the largest group that refer to each other's functions
	Partial   int // type switches without a default that miss a type of a sealed interface of the module
	Names     map[string]string
}

// Measure measures a package, which Mode has loaded.
func Measure(p *packages.Package) Figures {
	m := &measurer{module: p.Module.Path, info: p.TypesInfo, fset: p.Fset, near: append([]*types.Package{p.Types}, p.Types.Imports()...), file: map[*types.Func]string{}, f: Figures{Names: map[string]string{}}}
	methods := map[string]int{}
	var files []*ast.File
	for _, f := range p.Syntax {
		if !ast.IsGenerated(f) {
			files = append(files, f)
		}
	}
	for _, f := range files {
		name := filepath.Base(p.Fset.Position(f.Pos()).Filename)
		lines := p.Fset.File(f.Pos()).LineCount()
		m.f.Lines += lines
		largest(&m.f.File, lines, m.f.Names, "file", name)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				m.function(fn, name)
				if fn.Recv != nil {
					methods[receiver(fn)]++
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		largest(&m.f.Methods, methods[name], m.f.Names, "methods", name)
	}
	m.circles(files)
	m.switches(files)
	return m.f
}

type measurer struct {
	module string
	info   *types.Info
	fset   *token.FileSet
	near   []*types.Package       // the package, and what it imports
	file   map[*types.Func]string // where functions of the package are
	f      Figures
}

// largest keeps the larger number and the name of what has it.
func largest(most *int, n int, names map[string]string, what, name string) {
	if n > *most {
		*most, names[what] = n, name
	}
}

func (m *measurer) function(fn *ast.FuncDecl, file string) {
	if o, ok := m.info.Defs[fn.Name].(*types.Func); ok {
		m.file[o] = file
	}
	lines := m.fset.Position(fn.End()).Line - m.fset.Position(fn.Pos()).Line + 1
	largest(&m.f.Function, lines, m.f.Names, "function", fn.Name.Name)
}

// receiver is the name of the type that a method belongs to.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// circles finds the largest groups of functions, and of files, that refer to each other.
func (m *measurer) circles(files []*ast.File) {
	functions, between := map[string][]string{}, map[string][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			from, ok := m.info.Defs[fn.Name].(*types.Func)
			if !ok {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if to, ok := m.info.Uses[id].(*types.Func); ok && m.file[to.Origin()] != "" {
						functions[from.FullName()] = append(functions[from.FullName()], to.Origin().FullName())
						between[m.file[from]] = append(between[m.file[from]], m.file[to.Origin()])
					}
				}
				return true
			})
		}
	}
	group := component(functions)
	m.f.Recursive = len(group)
	m.f.Cycle = len(component(between))
	if len(group) > 0 {
		m.f.Names["recursive"] = slices.Min(group)
	}
}

// component gives the nodes of the largest strongly connected component that has an edge
// (Tarjan 1972).
func component(edges map[string][]string) []string {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack, best []string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for _, w := range edges[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		group := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, w := range group {
			on[w] = false
		}
		if (len(group) > 1 || slices.Contains(edges[v], v)) && len(group) > len(best) {
			best = group
		}
	}
	for _, v := range slices.Sorted(maps.Keys(edges)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return best
}

// switches counts the type switches over sealed interfaces that say nothing of some type.
func (m *measurer) switches(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if sw, ok := n.(*ast.TypeSwitchStmt); ok && m.partial(sw) {
				m.f.Partial++
				m.f.Names["partial"] = m.fset.Position(sw.Pos()).String()
			}
			return true
		})
	}
}

// partial reports whether a type switch over a sealed interface of the module has neither a default nor a case
// for each type that implements it, in the package of the interface or near. An interface is sealed if it has a
// method that only its own package can give a type, or one that is named Is like the interface.
func (m *measurer) partial(sw *ast.TypeSwitchStmt) bool {
	named, ok := types.Unalias(m.info.TypeOf(subject(sw))).(*types.Named)
	if !ok {
		return false
	}
	sealed, ok := named.Underlying().(*types.Interface)
	if pkg := named.Obj().Pkg(); !ok || !isSealed(named.Obj().Name(), sealed) || pkg.Path() != m.module && !strings.HasPrefix(pkg.Path(), m.module+"/") {
		return false
	}
	var covered []types.Type
	for _, c := range sw.Body.List {
		list := c.(*ast.CaseClause).List
		if list == nil {
			return false
		}
		for _, e := range list {
			covered = append(covered, m.info.TypeOf(e))
		}
	}
	if misses(named.Obj().Pkg(), sealed, covered) {
		return true
	}
	return slices.ContainsFunc(m.near, func(p *types.Package) bool { return misses(p, sealed, covered) })
}

// misses reports whether a type of a package implements an interface and is not covered.
func misses(p *types.Package, sealed *types.Interface, covered []types.Type) bool {
	has := func(t types.Type) bool {
		return slices.ContainsFunc(covered, func(c types.Type) bool { return types.Identical(c, t) })
	}

	scope := p.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		ptr := types.NewPointer(t.Type())
		value := types.Implements(t.Type(), sealed)
		if (value || types.Implements(ptr, sealed)) && !has(ptr) && !(value && has(t.Type())) {
			return true
		}
	}
	return false
}

// subject is the expression whose type a switch asks for.
func subject(sw *ast.TypeSwitchStmt) ast.Expr {
	switch s := sw.Assign.(type) {
	case *ast.AssignStmt:
		return s.Rhs[0].(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		return s.X.(*ast.TypeAssertExpr).X
	}
	panic("rooms: a type switch over nothing")
}

func isSealed(name string, t *types.Interface) bool {
	for i := range t.NumMethods() {
		if m := t.Method(i); !m.Exported() || m.Name() == "Is"+name {
			return true
		}
	}
	return false
}
