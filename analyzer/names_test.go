package analyzer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestNoLibraryNamed makes sure that the packages below the libraries, and the interpreter,
// name none: what one does is in its own package.
func TestNoLibraryNamed(t *testing.T) {
	paths := names().Paths
	named := func(text string) string {
		for path := range paths {
			if path != "database/sql" && strings.Contains(text, path) { // whose options and errors others have, too
				return path
			}
		}
		return ""
	}
	if named("github.com/jackc/pgx/v5.Tx") == "" || named("gorm.io/gorm") == "" {
		t.Fatal("the paths of libraries are not known")
	}
	files := 0
	for _, pkg := range []string{"absint", "session", "memory", "program", "sqltext", "gotypes", "hole", "flow", "consteval"} {
		list, err := filepath.Glob(filepath.Join("internal", pkg, "*.go"))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: no files, %v", pkg, err)
		}
		for _, name := range list {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files++
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && named(text) != "" {
						t.Errorf("%s names %s", fset.Position(lit.Pos()), named(text))
					}
				}
				return true
			})
		}
	}
	if files < 20 {
		t.Errorf("only %d files were looked at", files)
	}
}
