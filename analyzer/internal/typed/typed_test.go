package typed

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// config is that of the analyzer.
func config(dir string) *packages.Config {
	return &packages.Config{Context: context.Background(), Dir: dir, Fset: token.NewFileSet(), Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
		packages.NeedTypesInfo | packages.NeedModule}
}

// find gives the packages in a folder, with all that they import, and the paths of those that match.
func find(t *testing.T, dir string) (known []*packages.Package, paths []string) {
	t.Helper()
	known, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
		packages.NeedEmbedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range known {
		paths = append(paths, p.PkgPath)
	}
	slices.Sort(paths)
	return known, paths
}

// describe writes what is known of packages: files, imports, sizes, and for each identifier and expression where it stands and
// what it is.
func describe(fset *token.FileSet, pkgs []*packages.Package) string {
	var out strings.Builder
	at := func(n ast.Node) string { return fset.Position(n.Pos()).String() }
	for _, p := range pkgs {
		fmt.Fprintln(&out, p.ID, p.Name, p.PkgPath, p.Dir, p.GoFiles, p.CompiledGoFiles, p.Module.Path, p.IllTyped, p.Errors, p.TypesSizes.Sizeof(types.Typ[types.Uintptr]))
		var lines []string
		for path, q := range p.Imports {
			lines = append(lines, fmt.Sprint("import ", path, " ", q.ID, " ", q.Types.Complete(), " ", q.Types.Scope().Names()))
		}
		for _, f := range p.Syntax {
			lines = append(lines, fmt.Sprint("file ", at(f), " ", len(f.Comments), " ", p.TypesInfo.FileVersions[f]))
		}
		for x, tv := range p.TypesInfo.Types {
			lines = append(lines, fmt.Sprint("type ", at(x), " ", types.ExprString(x), " ", tv.Type, " ", tv.Value))
		}
		for _, m := range []map[*ast.Ident]types.Object{p.TypesInfo.Defs, p.TypesInfo.Uses} {
			for x, o := range m {
				lines = append(lines, fmt.Sprint("name ", at(x), " ", o))
			}
		}
		for x, s := range p.TypesInfo.Selections {
			lines = append(lines, fmt.Sprint("selection ", at(x), " ", s, " ", s.Index()))
		}
		for x, i := range p.TypesInfo.Instances {
			lines = append(lines, fmt.Sprint("instance ", at(x), " ", i.Type, " ", i.TypeArgs.Len()))
		}
		lines = append(lines, fmt.Sprint("implicits ", len(p.TypesInfo.Implicits), " scopes ", len(p.TypesInfo.Scopes)))
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return out.String()
}

// TestAsPackagesLoad compares the packages of the analyzer's test data, which use its libraries, with what packages.Load gives.
func TestAsPackagesLoad(t *testing.T) {
	modules, err := filepath.Glob("../../testdata/src/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 10 {
		t.Fatalf("%d modules, want those of the analyzer", len(modules))
	}
	read := 0
	for _, mod := range modules {
		dir := filepath.Dir(mod)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			known, paths := find(t, dir)
			cfg := config(dir)
			got := Load(cfg, known, paths)
			if got == nil {
				return
			}
			read++
			other := config(dir)
			want, err := packages.Load(other, paths...)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := describe(cfg.Fset, got), describe(other.Fset, want); a != b {
				t.Errorf("differs from packages.Load in:\n%s", difference(a, b))
			}
		})
	}
	if read*10 < len(modules)*8 {
		t.Errorf("%d of %d modules were read", read, len(modules))
	}
}

// difference gives the first lines in which two texts differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "got  " + x[i] + "\nwant " + y[i]
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(x), len(y))
}

// TestLeft has packages that are left to packages.Load, each beside its twin that is not.
func TestLeft(t *testing.T) {
	const good = "package p\n\nimport \"strings\"\n\nfunc F() string { return strings.ToUpper(\"a\") }\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		ok    bool
	}{
		{"plain", nil, true},
		{"two packages", map[string]string{"q/q.go": "package q\n\nimport \"ex.org/m/p\"\n\nvar X = p.F()\n"}, true},
		{"wrong type", map[string]string{"q/q.go": "package q\n\nimport \"ex.org/m/p\"\n\nvar X int = p.F()\n"}, false},
		{"unused name", map[string]string{"q/q.go": "package q\n\nimport \"ex.org/m/p\"\n\nfunc G() { x := p.F() }\n"}, false},
		{"syntax", map[string]string{"q/q.go": "package q\n\nfunc {\n"}, false},
		{"no such package", map[string]string{"q/q.go": "package q\n\nimport _ \"ex.org/m/r\"\n"}, false},
		{"cycle", map[string]string{"q/q.go": "package q\n\nimport _ \"ex.org/m/r\"\n", "r/r.go": "package r\n\nimport _ \"ex.org/m/q\"\n"}, false},
		{"no body", map[string]string{"q/q.go": "package q\n\nfunc G()\n"}, false},
		{"assembler", map[string]string{"q/q.go": "package q\n\nfunc G() {}\n", "q/q.s": "// nothing\n"}, false},
		{"another language version", map[string]string{"go.mod": "module ex.org/m\n\ngo 1.17\n", "q/q.go": "package q\n\nfunc G[T any](t T) T { return t }\n"}, false},
		{"this language version", map[string]string{"go.mod": "module ex.org/m\n\ngo 1.18\n", "q/q.go": "package q\n\nfunc G[T any](t T) T { return t }\n"}, true},
		{"missing embedded file", map[string]string{"q/q.go": "package q\n\nimport _ \"embed\"\n\n//go:embed none.txt\nvar X string\n"}, false},
		{"embedded folder", map[string]string{"q/q.go": "package q\n\nimport \"embed\"\n\n//go:embed some\nvar X embed.FS\n", "q/some/a.txt": "x"}, true},
		{"missing embedded folder", map[string]string{"q/q.go": "package q\n\nimport \"embed\"\n\n//go:embed some\nvar X embed.FS\n"}, false},
		{"embedded text", map[string]string{"q/q.go": "package q\n\nimport _ \"embed\"\n\n//go:embed some\nvar X string\n", "q/some/a.txt": "x", "q/some/b.txt": "x"}, false},
		{"embedded in a function", map[string]string{"q/q.go": "package q\n\nimport \"embed\"\n\nfunc F() {\n\t//go:embed some\n\tvar x embed.FS\n\t_ = x\n}\n", "q/some/a.txt": "x"}, false},
		{"generator", map[string]string{"q/q.go": "package q\n\n//go:generate true\n\nfunc G() {}\n"}, true},
		{"directive", map[string]string{"q/q.go": "package q\n\n//go:linkname G strings.ToUpper\n\nfunc G() {}\n"}, false},
		{"nothing from elsewhere", map[string]string{"p/p.go": "package p\n"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"go.mod": "module ex.org/m\n\ngo 1.21\n", "p/p.go": good}
			for name, text := range c.files {
				files[name] = text
			}
			for name, text := range files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			known, paths := find(t, dir)
			if got := Load(config(dir), known, paths) != nil; got != c.ok {
				t.Errorf("read: %t, want %t", got, c.ok)
			}
			cfg := config(dir)
			cfg.Overlay = map[string][]byte{filepath.Join(dir, "p/p.go"): []byte(good)}
			if Load(cfg, known, paths) != nil {
				t.Error("read with an overlay")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			cfg = config(dir)
			cfg.Context = ctx
			if Load(cfg, known, paths) != nil {
				t.Error("read after the end of the context")
			}
		})
	}
}
