package main

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// platforms are those that `make release` builds for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// TestPlatforms checks the types of the command without cgo for each platform. That takes
// less time than to build it.
func TestPlatforms(t *testing.T) {
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			system, arch, _ := strings.Cut(platform, "/")
			ps, err := packages.Load(&packages.Config{Context: t.Context(), Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
				Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes}, ".")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			packages.Visit(ps, nil, func(p *packages.Package) {
				n++
				for _, e := range p.Errors {
					t.Error(e)
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
