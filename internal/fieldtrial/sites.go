package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/gomod"
)

// begins are the methods by whose names the source tells that a transaction begins. Callback says
// that it is one if it gets a function only.
var begins = map[string]struct{ callback bool }{
	"Begin": {}, "BeginTx": {}, "Beginx": {}, "BeginTxx": {}, "MustBegin": {}, "MustBeginTx": {},
	"BeginFunc": {true}, "BeginTxFunc": {true}, "RunInTx": {true}, "RunInTransaction": {true}, "Transaction": {true},
}

// sitesOf counts the calls in the packages of a module that patterns name, without its tests and what it has of
// others, that begin a transaction by their names. It knows no types: what only looks
// like such a call counts, too.
func sitesOf(dir string, patterns []string) (int, error) {
	n := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			if file != dir && (gomod.Is(file) || name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || !named(dir, filepath.Dir(file), patterns) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // the check says so
		}
		ast.Inspect(f, func(node ast.Node) bool {
			if c, ok := node.(*ast.CallExpr); ok && isBegin(f, c) {
				n++
			}
			return true
		})
		return nil
	})
	return n, err
}

// named reports whether one of the patterns names the package in a folder: ./a is that in a, ./a/... those below it, too.
// A pattern that does not begin with a dot is taken to name all.
func named(dir, folder string, patterns []string) bool {
	rel, err := filepath.Rel(dir, folder)
	if err != nil {
		return false
	}
	at := "./" + filepath.ToSlash(rel) + "/"
	if rel == "." {
		at = "./"
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		if !strings.HasPrefix(p, ".") {
			return true
		}
		if below, all := strings.CutSuffix(p, "..."); all {
			return strings.HasPrefix(at, below)
		}
		return at == strings.TrimSuffix(p, "/")+"/"
	})
}

// isBegin reports whether a call in a file begins a transaction by its name. A function of
// another package does only if it gets a function.
func isBegin(f *ast.File, c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	kind, ok := begins[s.Sel.Name]
	if !ok {
		return false
	}
	if !kind.callback {
		x, isName := s.X.(*ast.Ident)
		return !isName || !imports(f, x.Name)
	}
	for _, a := range c.Args {
		switch a.(type) {
		case *ast.FuncLit, *ast.Ident, *ast.SelectorExpr:
			return true
		}
	}
	return false
}

// imports reports whether a file imports a package that it calls by a name, or that may have it.
func imports(f *ast.File, name string) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		if i.Name != nil {
			return i.Name.Name == name
		}
		return path.Base(strings.Trim(i.Path.Value, `"`)) == name
	})
}
