// Package typed reads the Go packages of a program with their types, without having them compiled.
//
// packages.Load takes the types of imported packages from what the go command compiled, and for that
// has it compile the packages that are asked for as well, though their types come from their sources:
// after a change of one file this took longer than all the rest. Here only what these packages import
// from elsewhere is asked for.
//
// Only what is plain is read so. In every other case Load gives nothing, and the caller asks packages.Load,
// whose errors are those that reports tell.
package typed

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// Load gives the packages with the paths, in the order of packages.Load, with their trees and types and those of what
// they import, as packages.Load would with cfg. known are packages that packages.Load found by
// their names, with all that they import and with the files that they embed (NeedDeps, NeedEmbedFiles), so that a missing one is an error.
//
// It gives nothing where a package has an error of any kind, generated or foreign sources, functions
// without bodies, directives for the compiler, or no module; where files have an overlay; where a package from elsewhere imports one of
// these; and where ctx of cfg has ended.
// What only a compiler refuses is not found, such as a frame that is too large.
func Load(cfg *packages.Config, known []*packages.Package, paths []string) []*packages.Package {
	l := &loading{cfg: cfg, own: map[*packages.Package]*packages.Package{}, imports: map[string]*packages.Package{}}
	if len(cfg.Overlay) > 0 || !l.choose(known, paths) || !l.elsewhere() || !l.parse() || !l.check() {
		return nil
	}
	return l.order
}

// loading is one call of Load.
type loading struct {
	cfg *packages.Config
	// own has, for each package to read as it was found, the one that is read; order has the latter, each behind
	// those that it imports.
	own   map[*packages.Package]*packages.Package
	found []*packages.Package // of each in order
	order []*packages.Package
	// imports are those from elsewhere, by the paths of packages.
	imports map[string]*packages.Package
}

// choose finds the packages to read among those that known import.
func (l *loading) choose(known []*packages.Package, paths []string) bool {
	byPath := map[string]*packages.Package{}
	packages.Visit(known, nil, func(p *packages.Package) { byPath[p.ID] = p })
	for _, path := range paths {
		p := byPath[path]
		if p == nil || !plain(p) {
			return false
		}
		l.own[p] = &packages.Package{ID: p.ID, Name: p.Name, PkgPath: p.PkgPath, Dir: p.Dir, GoFiles: p.GoFiles, CompiledGoFiles: p.CompiledGoFiles,
			IgnoredFiles: p.IgnoredFiles, Module: p.Module, Fset: l.cfg.Fset, Imports: map[string]*packages.Package{}}
	}
	seen := map[*packages.Package]bool{}
	ok := true
	var visit func(p *packages.Package, outside bool)
	visit = func(p *packages.Package, outside bool) {
		if read := l.own[p]; read != nil && outside {
			ok = false // what is compiled rests on what is read here
		}
		if seen[p] {
			return
		}
		seen[p] = true
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			visit(p.Imports[path], l.own[p] == nil)
		}
		if read := l.own[p]; read != nil {
			l.found, l.order = append(l.found, p), append(l.order, read)
		}
	}
	for _, path := range paths {
		visit(byPath[path], false)
	}
	return ok && len(l.order) == len(paths)
}

// plain reports whether a package is Go source alone, without errors.
func plain(p *packages.Package) bool {
	return len(p.Errors) == 0 && p.Name != "" && p.ID == p.PkgPath && len(p.GoFiles) > 0 && len(p.OtherFiles) == 0 &&
		slices.Equal(p.GoFiles, p.CompiledGoFiles) && p.Module != nil && p.Module.Error == nil && p.Module.GoVersion != ""
}

// elsewhere loads what the packages import and is not among them.
func (l *loading) elsewhere() bool {
	var paths []string
	for _, p := range l.found {
		for _, q := range p.Imports {
			if l.own[q] == nil && q.ID != "unsafe" {
				paths = append(paths, q.ID)
			}
		}
	}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) == 0 {
		return false // nothing tells the sizes of types
	}
	cfg := *l.cfg
	cfg.ParseFile = nil
	cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedModule
	pkgs, err := packages.Load(&cfg, paths...)
	if err != nil {
		return false
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 || p.Types == nil || !p.Types.Complete() {
			return false
		}
		l.imports[p.ID] = p
	}
	l.imports["unsafe"] = &packages.Package{ID: "unsafe", Name: "unsafe", PkgPath: "unsafe", Fset: l.cfg.Fset, Types: types.Unsafe}
	for i, p := range l.found {
		l.order[i].TypesSizes = pkgs[0].TypesSizes
		for path, q := range p.Imports {
			to := l.own[q]
			if to == nil {
				to = l.imports[q.ID]
			}
			if to == nil {
				return false
			}
			l.order[i].Imports[path] = to
		}
	}
	return true
}

// parse reads the files of the packages.
func (l *loading) parse() bool {
	parseFile := l.cfg.ParseFile
	if parseFile == nil {
		parseFile = func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
		}
	}
	var group errgroup.Group
	group.SetLimit(20) // as packages.Load
	for _, p := range l.order {
		p.Syntax = make([]*ast.File, len(p.CompiledGoFiles))
		for i, name := range p.CompiledGoFiles {
			group.Go(func() error {
				if err := l.ctx().Err(); err != nil {
					return err
				}
				text, err := os.ReadFile(name)
				if err == nil {
					p.Syntax[i], err = parseFile(l.cfg.Fset, name, text)
				}
				return err
			})
		}
	}
	return group.Wait() == nil && !slices.ContainsFunc(l.order, compilers)
}

func (l *loading) ctx() context.Context {
	if l.cfg.Context == nil {
		return context.Background()
	}
	return l.cfg.Context
}

// compilers reports whether a package has what only a compiler refuses: a function without a body, or a
// directive but of a build, a generator, or a folder that is embedded.
func compilers(p *packages.Package) bool {
	return slices.ContainsFunc(p.Syntax, func(f *ast.File) bool {
		directives := 0
		for _, group := range f.Comments {
			directives += count(group)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
				return true
			}
			if g, ok := d.(*ast.GenDecl); ok && embedsFolder(g) {
				directives -= count(g.Doc)
			}
		}
		return directives != 0
	})
}

// count gives how many lines of comments are directives for the compiler.
func count(g *ast.CommentGroup) (n int) {
	if g == nil {
		return 0
	}
	for _, c := range g.List {
		if strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:build ") && !strings.HasPrefix(c.Text, "//go:generate ") {
			n++
		}
	}
	return n
}

// embedsFolder reports whether a declaration is of one embed.FS, with no other directives than the one for it.
func embedsFolder(g *ast.GenDecl) bool {
	if g.Tok != token.VAR || g.Lparen.IsValid() {
		return false
	}
	v := g.Specs[0].(*ast.ValueSpec)
	t, ok := v.Type.(*ast.SelectorExpr)
	if !ok || len(v.Names) != 1 || len(v.Values) > 0 || t.Sel.Name != "FS" || g.Doc == nil {
		return false
	}
	x, ok := t.X.(*ast.Ident)
	return ok && x.Name == "embed" && !slices.ContainsFunc(g.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// check finds the types of the packages, of several at a time.
func (l *loading) check() bool {
	done := map[*packages.Package]chan struct{}{}
	for _, p := range l.order {
		done[p] = make(chan struct{})
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range l.order { // what a package waits for was begun before it
		group.Go(func() error {
			defer close(done[p])
			for _, q := range p.Imports {
				if ready := done[q]; ready != nil {
					<-ready
				}
			}
			return l.typesOf(p)
		})
	}
	return group.Wait() == nil
}

// typesOf finds the types of a package whose imports have theirs.
func (l *loading) typesOf(p *packages.Package) error {
	if err := l.ctx().Err(); err != nil {
		return err
	}
	p.Types = types.NewPackage(p.PkgPath, p.Name)
	p.TypesInfo = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	cfg := &types.Config{Importer: importer(p.Imports), Sizes: p.TypesSizes, GoVersion: "go" + p.Module.GoVersion}
	return types.NewChecker(cfg, l.cfg.Fset, p.Types, p.TypesInfo).Files(p.Syntax)
}

// importer finds packages by the paths of imports.
type importer map[string]*packages.Package

func (m importer) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil && p.Types != nil && p.Types.Complete() {
		return p.Types, nil
	}
	return nil, fmt.Errorf("no types of package %s", path)
}
