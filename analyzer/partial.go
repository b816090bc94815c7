package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/txrobust/robust/internal/fault"
)

// typeChecked leaves of a package what type-checks, and gives the names of the functions and
// variables whose bodies and values are left out: those in which there is an error, or that
// use what another package with errors does not have.
func typeChecked(p *packages.Package) (left []string) {
	if !p.IllTyped {
		return nil
	}
	left = undeclared(p)
	bad := faulty(p)
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && bad(d) {
				d.Body = nil
				left = append(left, d.Name.Name)
			}
		}
	}
	p.TypesInfo.InitOrder = slices.DeleteFunc(slices.Clone(p.TypesInfo.InitOrder), func(i *types.Initializer) bool {
		if !bad(i.Rhs) {
			return false
		}
		for _, v := range i.Lhs {
			left = append(left, v.Name())
		}
		return true
	})
	return left
}

// undeclared takes the declarations out of a package that it does not have, and gives their names: those of names that are declared
// before, and of files of another package.
func undeclared(p *packages.Package) (left []string) {
	has := func(names ...*ast.Ident) bool {
		for _, n := range names {
			if p.TypesInfo.Defs[n] == nil {
				left = append(left, n.Name)
				return false
			}
		}
		return true
	}
	for _, f := range p.Syntax {
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			switch d := d.(type) {
			case *ast.FuncDecl:
				return !has(d.Name)
			case *ast.GenDecl:
				d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool {
					switch s := s.(type) {
					case *ast.ValueSpec:
						return !has(s.Names...)
					case *ast.TypeSpec:
						return !has(s.Name)
					}
					return false
				})
			}
			return false
		})
	}
	return left
}

// faulty gives a test of whether a part of a package does not type-check.
func faulty(p *packages.Package) func(ast.Node) bool {
	var at []token.Pos
	for _, e := range p.TypeErrors {
		if !e.Soft { // such as a variable that is not used
			at = append(at, e.Pos)
		}
	}
	return func(part ast.Node) bool {
		if slices.ContainsFunc(at, func(pos token.Pos) bool { return part.Pos() <= pos && pos < part.End() }) {
			return true
		}
		found := false
		ast.Inspect(part, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BadExpr, *ast.BadStmt, *ast.BadDecl:
				found = true
			case ast.Expr:
				t, known := p.TypesInfo.Types[n]
				found = found || known && !t.IsBuiltin() && isInvalid(t.Type) // of len of a constant, none is recorded
			}
			return !found
		})
		return found
	}
}

// isInvalid reports whether a type is one that is not known, or made of such a one.
func isInvalid(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return isInvalid(t.Elem())
	case *types.Slice:
		return isInvalid(t.Elem())
	case *types.Array:
		return isInvalid(t.Elem())
	case *types.Chan:
		return isInvalid(t.Elem())
	case *types.Map:
		return isInvalid(t.Key()) || isInvalid(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if isInvalid(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return isInvalid(t.Params()) || isInvalid(t.Results())
	}
	return false
}

// build gives packages in SSA form. Those that cannot be, because of what other packages
// with errors lack, are in left.
func build(pkgs []*packages.Package) (list []*ssa.Package, left []*packages.Package) {
	packages.Visit(pkgs, nil, func(p *packages.Package) { p.IllTyped = false }) // what does not type-check was taken out
	_, built := ssautil.Packages(pkgs, ssa.InstantiateGenerics)
	for i, s := range built {
		if s == nil {
			continue
		}
		if f := fault.Guard("the types of package "+pkgs[i].PkgPath, s.Build); f != nil {
			for _, m := range s.Members {
				if g, ok := m.(*ssa.Function); ok {
					g.Blocks = nil
				}
			}
			left = append(left, pkgs[i])
			continue
		}
		if len(pkgs[i].Syntax) > 0 {
			list = append(list, s)
		}
	}
	return list, left
}
