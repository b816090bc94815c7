package evalorder

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/interp"
	"golang.org/x/tools/go/ssa/ssautil"
)

var cases = map[string]func() (int, error){"plain": plain, "named": named, "field": field, "byMethod": byMethod, "throughPointer": throughPointer,
	"nested": nested, "star": star, "element": element, "ofMap": ofMap, "length": length, "lengthOfList": lengthOfList, "ofList": ofList, "sum": sum,
	"negative": negative, "converted": converted, "argument": argument, "variadicArgument": variadicArgument, "secondArgument": secondArgument,
	"afterwards": afterwards, "ofPackage": ofPackage, "captured": captured, "assigned": assigned, "added": added, "inLiteral": inLiteral, "inList": inList, "inLiteralUsedLater": inLiteralUsedLater,
	"compared": compared, "before": before, "beforeBoth": beforeBoth, "fieldBefore": fieldBefore, "fieldAndBefore": fieldAndBefore,
	"starBefore": starBefore, "mapBefore": mapBefore, "made": made, "receiver": receiver, "madeTwice": madeTwice}

// TestSettle runs each case in SSA form, and as the compiler has made it.
func TestSettle(t *testing.T) {
	settled, unsettled := run(t, Settle), run(t, func(*ssa.Program) {})
	differ := 0
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		n, _ := cases[name]()
		want := fmt.Sprint(n)
		if settled[name] != want {
			t.Errorf("%s gives %s in SSA form, and %s compiled", name, settled[name], want)
		}
		if unsettled[name] != want {
			differ++
		}
	}
	if differ < 20 {
		t.Errorf("only %d cases depend on the order", differ)
	}
}

// run gives what the cases give in SSA form after a change of it.
func run(t *testing.T, change func(*ssa.Program)) map[string]string {
	text, err := os.ReadFile("cases_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var calls strings.Builder
	for name := range cases {
		fmt.Fprintf(&calls, "\tn, _ = %s()\n\tout += %q + digits(n) + \"\\n\"\n", name, name+" ")
	}
	source := strings.Replace(string(text), "package evalorder", "package main", 1) + digits + "\nfunc main() {\n\tvar n int\n\tout := \"\\n\"\n" + calls.String() + "\tpanic(out)\n}\n"
	fset := token.NewFileSet()
	prog := parsed(t, fset, "runtime", "package runtime\ntype errorString string\nfunc (e errorString) Error() string { return string(e) }\n", nil)
	main := parsed(t, fset, "main", source, prog.Prog)
	change(main.Prog)
	got := map[string]string{}
	for line := range strings.Lines(panicked(t, main)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			got[name] = value
		}
	}
	return got
}

// digits writes small numbers, without a package of the library.
const digits = `
func digits(n int) string {
	if n < 0 {
		return "-" + digits(-n)
	}
	return string("0123456789"[n])
}
`

// panicked runs a program, and gives what it panics with.
func panicked(t *testing.T, main *ssa.Package) string {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	interp.Interpret(main, 0, &types.StdSizes{WordSize: 8, MaxAlign: 8}, "main", nil)
	os.Stderr = stderr
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(text), "panic: ")
}

// parsed builds a package in a program, or (nil) in a new one.
func parsed(t *testing.T, fset *token.FileSet, name, source string, prog *ssa.Program) *ssa.Package {
	file, err := parser.ParseFile(fset, name+".go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{file}
	if prog == nil {
		pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage(name, ""), files, ssa.InstantiateGenerics)
		if err != nil {
			t.Fatal(err)
		}
		return pkg
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	p := types.NewPackage(name, "")
	if err := types.NewChecker(&types.Config{}, fset, p, info).Files(files); err != nil {
		t.Fatal(err)
	}
	pkg := prog.CreatePackage(p, files, info, true)
	pkg.Build()
	return pkg
}
