package program

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
)

// IsProgram reports whether the packages that were read are a program, with all that it
// imports of its modules: nobody else calls its functions.
func (p *Program) IsProgram() bool {
	return p.Places.Whole && slices.ContainsFunc(p.Pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg.Name() == "main" })
}

// Dead gives the functions that no live function of the program mentions. A function with a comment
// that names its transaction is live. So is one that code outside of the program may call: a method of a
// value that such code gets, or an exported function of a package that no main package imports.
func (p *Program) Dead() map[*ssa.Function]bool {
	out := map[*ssa.Function]bool{}
	if !p.IsProgram() {
		return out
	}
	imported := p.imported()
	for more := true; more; {
		more = false
		for _, f := range p.Funcs {
			if !out[f] && p.closed(f, imported) && !slices.ContainsFunc(p.Users[f], func(u *ssa.Function) bool { return !out[outermost(u)] }) {
				out[f], more = true, true
			}
		}
	}
	return out
}

// closed reports whether only functions of the program can call a function. imported are the
// packages of the programs.
func (p *Program) closed(f *ssa.Function, imported map[*types.Package]bool) bool {
	if f.Parent() != nil || f.Pkg == nil || IsEntry(f) || p.Notes.Names[f.Pos()] != "" || p.Know.Calls(f) || p.CalledOutside(f) {
		return false
	}
	return imported[f.Pkg.Pkg] || strings.Contains("/"+f.Pkg.Pkg.Path()+"/", "/internal/")
}

// CalledOutside reports whether a function is a method that somebody outside of the program may call.
func (p *Program) CalledOutside(f *ssa.Function) bool {
	recv := f.Signature.Recv()
	if recv == nil {
		return false
	}
	if p.handed == nil {
		p.handed = p.handedTypes()
	}
	n := gotypes.NamedOf(recv.Type())
	return n == nil || p.handed[n.Obj()]
}

// GivenOutside reports whether code that is not read may call a function: it is a literal or a value, or a
// method that only others call.
func (p *Program) GivenOutside(f *ssa.Function) bool {
	switch o := ObjectOf(f); {
	case p.Know.Calls(f):
		return false
	case f.Parent() != nil:
		return true
	case o != nil && slices.ContainsFunc(p.values, func(v *ssa.Function) bool { return ObjectOf(v) == o }):
		return true
	}
	return len(p.Users[f]) == 0 && p.CalledOutside(f)
}

// imported gives the main packages, and all that they import.
func (p *Program) imported() map[*types.Package]bool {
	out := map[*types.Package]bool{}
	var visit func(pkg *types.Package)
	visit = func(pkg *types.Package) {
		if out[pkg] {
			return
		}
		out[pkg] = true
		for _, i := range pkg.Imports() {
			visit(i)
		}
	}
	for _, pkg := range p.Pkgs {
		if pkg.Pkg.Name() == "main" {
			visit(pkg.Pkg)
		}
	}
	return out
}

// IsEntry reports whether Go itself calls a function: main, or one that makes a package ready.
func IsEntry(f *ssa.Function) bool {
	return f.Parent() == nil && f.Signature.Recv() == nil && f.Pkg != nil && (f.Name() == "main" && f.Pkg.Pkg.Name() == "main" || f.Name() == "init" || strings.HasPrefix(f.Name(), "init#"))
}

// outermost is the function around a function literal.
func outermost(f *ssa.Function) *ssa.Function {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return f
}
