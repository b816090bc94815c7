package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// begins are the methods by whose names the source tells that a transaction begins. Callback says
// that it is one if it gets a function only.
var begins = map[string]struct{ callback bool }{
	"Begin": {}, "BeginTx": {}, "Beginx": {}, "BeginTxx": {}, "MustBegin": {}, "MustBeginTx": {},
	"BeginFunc": {true}, "BeginTxFunc": {true}, "RunInTx": {true}, "RunInTransaction": {true}, "Transaction": {true},
}

// sitesOf counts the calls in the source of a module, without its tests and what it has of
// others, that begin a transaction by their names. It knows no types: what only looks
// like such a call counts, too.
func sitesOf(dir string) (int, error) {
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			name := d.Name()
			if path != dir && (nested == nil || name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // the check says so
		}
		ast.Inspect(f, func(node ast.Node) bool {
			if c, ok := node.(*ast.CallExpr); ok && isBegin(c) {
				n++
			}
			return true
		})
		return nil
	})
	return n, err
}

// isBegin reports whether a call begins a transaction by its name.
func isBegin(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	kind, ok := begins[s.Sel.Name]
	if !ok || !kind.callback {
		return ok
	}
	for _, a := range c.Args {
		switch a.(type) {
		case *ast.FuncLit, *ast.Ident, *ast.SelectorExpr:
			return true
		}
	}
	return false
}
