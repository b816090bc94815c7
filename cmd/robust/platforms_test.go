package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// platforms are those that `make release` builds for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// declarations reads files, those outside of a folder without the bodies of functions.
func declarations(root string, files *token.FileSet, name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil || strings.HasPrefix(name, root) {
		return f, err
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			d.Body = nil
		}
	}
	return f, nil
}

// TestPlatforms checks the types of the command without cgo for each platform. That takes
// less time than to build it.
func TestPlatforms(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root += string(filepath.Separator)
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			system, arch, _ := strings.Cut(platform, "/")
			ps, err := packages.Load(&packages.Config{Context: t.Context(),
				ParseFile: func(files *token.FileSet, name string, src []byte) (*ast.File, error) {
					return declarations(root, files, name, src)
				},
				Env:  append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
				Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes}, ".")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			packages.Visit(ps, nil, func(p *packages.Package) {
				n++
				for _, e := range p.Errors {
					// Without bodies, imports are not used.
					if e.Kind != packages.TypeError || strings.HasPrefix(p.PkgPath, "github.com/txrobust/robust") {
						t.Error(e)
					}
				}
				if p.PkgPath == "runtime/cgo" {
					t.Error("it needs cgo")
				}
			})
			if n < 100 {
				t.Errorf("there are %d packages", n)
			}
		})
	}
}
