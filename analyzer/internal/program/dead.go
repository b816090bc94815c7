package program

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsProgram reports whether the packages that were read are a program, with all that it
// imports of its modules: nobody else calls its functions.
func (p *Program) IsProgram() bool {
	return p.Places.Whole && slices.ContainsFunc(p.Pkgs, func(pkg *ssa.Package) bool { return pkg.Pkg.Name() == "main" })
}

// Dead gives the functions of a program that nobody in it mentions, or only such as are dead.
// Those with a comment are not, nor are methods, which libraries may call, and what a package
// exports that others may import.
func (p *Program) Dead() map[*ssa.Function]bool {
	out := map[*ssa.Function]bool{}
	if !p.IsProgram() {
		return out
	}
	for more := true; more; {
		more = false
		for _, f := range p.Funcs {
			if !out[f] && p.closed(f) && !slices.ContainsFunc(p.Users[f], func(u *ssa.Function) bool { return !out[outermost(u)] }) {
				out[f], more = true, true
			}
		}
	}
	return out
}

// closed reports whether only functions of the program can call a function, by its name.
func (p *Program) closed(f *ssa.Function) bool {
	if f.Parent() != nil || f.Signature.Recv() != nil || f.Pkg == nil || IsEntry(f) || p.Notes.Names[f.Pos()] != "" || p.Know.Calls(f) {
		return false
	}
	path := "/" + f.Pkg.Pkg.Path() + "/"
	return f.Pkg.Pkg.Name() == "main" || strings.Contains(path, "/internal/")
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
