package analyzer

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Options direct Load.
type Options struct {
	// Dir is where patterns are looked up, and what names of files are relative
	// to; "" is the current directory.
	Dir string
	// Env are the environment variables for the go command, nil for those of the
	// process.
	Env []string
	// Absolute keeps the names of files as they are.
	Absolute bool
	// Progress, if not nil, is told what is being done.
	Progress func(done, total int, what string)
	// Parsed, if not nil, is given the text of each Go file that is parsed, by its
	// full name, as it was then. It may be called by several goroutines.
	Parsed func(name string, text []byte)
	// Loaded, if not nil, is called when the packages have been read, before
	// transactions are looked for in them.
	Loaded func()
}

// Load reads the Go packages that patterns name, with those of the same modules
// that they import, and finds their transactions. Packages that have errors are
// left out, with a note; where they import a library for databases, a transaction
// that may do anything stands for theirs. If no package is left, the error says why.
func Load(ctx context.Context, patterns []string, opt Options) (*Result, error) {
	if opt.Progress == nil {
		opt.Progress = func(int, int, string) {}
	}
	dir := opt.Dir
	if dir == "" {
		dir, _ = os.Getwd()
	}
	roots, paths, modules, err := find(ctx, dir, patterns, opt)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	pkgs, err := parse(ctx, fset, dir, paths, opt)
	if err != nil {
		return nil, err
	}
	var notes []ir.Note
	var files []*ast.File
	var good []*packages.Package
	var missing []*client.Txn
	for _, p := range pkgs {
		if len(p.Errors) > 0 || p.IllTyped || p.Types == nil {
			if usesLibrary(roots, p.PkgPath) {
				missing = append(missing, unread(p.PkgPath, errorPos(dir, p)))
			}
			notes = append(notes, ir.Note{Pos: errorPos(dir, p), Text: fmt.Sprintf("package %s has errors and is left out: %s", p.PkgPath, firstError(p))})
			continue
		}
		good = append(good, p)
		files = append(files, p.Syntax...)
	}
	if len(good) == 0 {
		if len(notes) > 0 {
			return nil, &ir.Error{Pos: notes[0].Pos, Msg: notes[0].Text}
		}
		return nil, fmt.Errorf("%s: no Go package matches", strings.Join(patterns, " "))
	}
	list := build(good)
	if opt.Absolute {
		dir = ""
	}
	if opt.Loaded != nil {
		opt.Loaded()
	}
	e, err := newExtractor(fset, dir, list, files)
	if err != nil {
		return nil, err
	}
	e.P.Places.Whole = len(notes) == 0
	databases := drivers(good)
	e.P.MySQL = len(databases) == 1 && databases[0] == MySQL
	res, err := e.extract(ctx, func(done, total int) { opt.Progress(done, total, "reading the functions") })
	if err != nil {
		return nil, err
	}
	res.Notes = append(notes, res.Notes...)
	res.Txns = append(res.Txns, missing...)
	res.Modules, res.Files = modules, filesOf(pkgs, modules)
	res.Drivers = databases
	return res, nil
}

// find gives the packages that patterns name (roots), and the paths of those to read
// with the folders of their modules.
func find(ctx context.Context, dir string, patterns []string, opt Options) (roots []*packages.Package, paths, modules []string, err error) {
	opt.Progress(0, 0, "finding the packages")
	roots, err = packages.Load(&packages.Config{Context: ctx, Dir: dir, Env: opt.Env, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule}, patterns...)
	if err != nil {
		return nil, nil, nil, loadError(err)
	}
	for _, r := range roots {
		if len(r.Errors) > 0 && len(r.GoFiles)+len(r.CompiledGoFiles) == 0 && len(r.OtherFiles) == 0 {
			return nil, nil, nil, &PatternError{r.PkgPath, patternFault(r)}
		}
	}
	paths, modules = toRead(roots)
	if len(paths) == 0 {
		return nil, nil, nil, &PatternError{strings.Join(patterns, " "), "no Go package matches"}
	}
	return roots, paths, modules, nil
}

// parse reads packages, with their types.
func parse(ctx context.Context, fset *token.FileSet, dir string, paths []string, opt Options) ([]*packages.Package, error) {
	cfg := &packages.Config{Context: ctx, Dir: dir, Env: opt.Env, Fset: fset, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
		packages.NeedTypesInfo | packages.NeedModule}
	if opt.Parsed != nil {
		cfg.ParseFile = func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			opt.Parsed(name, text)
			return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
		}
	}
	opt.Progress(0, 0, "reading the packages")
	pkgs, err := packages.Load(cfg, paths...)
	if err != nil {
		return nil, loadError(err)
	}
	return pkgs, nil
}

// build gives packages in SSA form.
func build(pkgs []*packages.Package) []*ssa.Package {
	_, built := ssautil.Packages(pkgs, ssa.InstantiateGenerics)
	var list []*ssa.Package
	for _, s := range built {
		if s != nil {
			s.Build()
			list = append(list, s)
		}
	}
	return list
}

// filesOf are the files of packages and modules.
func filesOf(pkgs []*packages.Package, modules []string) []string {
	var out []string
	for _, p := range pkgs {
		out = append(out, p.GoFiles...)
	}
	for _, m := range modules {
		for _, name := range []string{"go.mod", "go.sum"} {
			if _, err := os.Stat(filepath.Join(m, name)); err == nil {
				out = append(out, filepath.Join(m, name))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// PatternError is a pattern that names no packages.
type PatternError struct{ Pattern, Msg string }

func (e *PatternError) Error() string { return e.Pattern + ": " + e.Msg }

// patternFault says why nothing matches a pattern.
func patternFault(p *packages.Package) string {
	msg := strings.TrimPrefix(firstError(p), "pattern "+p.PkgPath+": ")
	if strings.Contains(msg, "main module") {
		msg += "; run this in the folder of a module, where its go.mod is"
	}
	return msg
}

// toRead gives the packages to read: those that match, and what they import of
// the modules that are worked on, and of those inside them; with the folders of
// those modules.
func toRead(roots []*packages.Package) (paths, modules []string) {
	own := map[string]bool{}
	for _, r := range roots {
		if r.Module != nil {
			own[r.Module.Path] = true
			if !slices.Contains(modules, r.Module.Dir) {
				modules = append(modules, r.Module.Dir)
			}
		}
	}
	seen := map[*packages.Package]bool{}
	var visit func(p *packages.Package, root bool)
	visit = func(p *packages.Package, root bool) {
		if seen[p] {
			return
		}
		seen[p] = true
		nested := p.Module != nil && inside(own, p.Module)
		if nested && !slices.Contains(modules, p.Module.Dir) {
			modules = append(modules, p.Module.Dir)
		}
		if root || nested || p.Module != nil && (own[p.Module.Path] || p.Module.Main) {
			if p.PkgPath != "" && len(p.CompiledGoFiles)+len(p.GoFiles) > 0 || len(p.Errors) > 0 {
				paths = append(paths, p.PkgPath)
			}
		}
		for _, imp := range p.Imports {
			visit(imp, false)
		}
	}
	for _, r := range roots {
		visit(r, true)
	}
	slices.Sort(paths)
	return slices.Compact(paths), modules
}

// unread stands for the transactions of a package that has errors.
func unread(pkg string, pos ir.Pos) *client.Txn {
	return &client.Txn{Pos: pos, Name: "package " + pkg, Body: []client.Stmt{
		&client.Unknown{At: client.At{Pos: pos}, Reason: "package " + pkg + ", which has errors"}}}
}

// usesLibrary reports whether a package among roots, or that they import, imports a
// library for databases, directly or not.
func usesLibrary(roots []*packages.Package, pkg string) bool {
	libraries := names().Paths
	found := false
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.PkgPath == pkg {
			packages.Visit([]*packages.Package{p}, nil, func(q *packages.Package) { found = found || libraries[q.PkgPath] })
		}
	})
	return found
}

// inside reports whether a module stands in a directory, and its path is one in a
// module of own: it is a part of the same repository.
func inside(own map[string]bool, m *packages.Module) bool {
	if m.Replace == nil || m.Replace.Version != "" {
		return false
	}
	for path := range own {
		if strings.HasPrefix(m.Path, path+"/") {
			return true
		}
	}
	return false
}

func loadError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	msg := err.Error()
	if _, said, ok := strings.Cut(msg, "stderr: "); ok {
		msg = strings.TrimPrefix(said, "go: ")
	}
	if m := modFault.FindStringSubmatch(msg); m != nil {
		return &ir.Error{Pos: placeOf("", m[1]), Msg: strings.TrimSpace(m[2])}
	}
	return fmt.Errorf("the Go packages cannot be loaded: %s", strings.TrimSpace(msg))
}

// modFault finds what the go command says of a faulty go.mod or go.work.
var modFault = regexp.MustCompile(`(?m)(\S*go\.(?:mod|work):\d+(?::\d+)?): (.*)$`)

// firstError gives the first error of a package in one line, without its place.
func firstError(p *packages.Package) string {
	for _, e := range p.Errors {
		for line := range strings.SplitSeq(e.Msg, "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				return goPlace.ReplaceAllString(line, "")
			}
		}
	}
	return "something that it imports has errors"
}

// goPlace is the place at the beginning of a message.
var goPlace = regexp.MustCompile(`^\S+\.go:\d+(:\d+)?: `)

// errorPos gives the place of the first error of a package, or its first file.
func errorPos(dir string, p *packages.Package) ir.Pos {
	for _, e := range p.Errors {
		if strings.Contains(e.Pos, ":") {
			return placeOf(dir, e.Pos)
		}
	}
	for _, name := range p.GoFiles {
		return placeOf(dir, name)
	}
	return ir.Pos{File: p.PkgPath}
}

// placeOf reads FILE, FILE:LINE or FILE:LINE:COL, relative to a folder. A line
// without a column is its beginning.
func placeOf(dir, place string) ir.Pos {
	parts := strings.Split(place, ":")
	pos := ir.Pos{File: parts[0]}
	if rel, err := filepath.Rel(dir, pos.File); err == nil && !strings.HasPrefix(rel, "..") {
		pos.File = rel
	}
	for i, n := range []*int{&pos.Line, &pos.Col} {
		if i+1 < len(parts) {
			*n, _ = strconv.Atoi(parts[i+1]) // 0 where it is no number
		}
	}
	if pos.Line > 0 {
		pos.Col = max(pos.Col, 1)
	}
	return pos
}

// Package finds the transactions of one package, of which the imports are known
// by their types only.
func Package(fset *token.FileSet, pkg *types.Package, info *types.Info, sizes types.Sizes, files []*ast.File) (*Result, error) {
	prog := ssa.NewProgram(fset, ssa.InstantiateGenerics)
	made := map[*types.Package]bool{}
	var imports func(list []*types.Package)
	imports = func(list []*types.Package) {
		for _, p := range list {
			if !made[p] {
				made[p] = true
				prog.CreatePackage(p, nil, nil, true)
				imports(p.Imports())
			}
		}
	}
	imports(pkg.Imports())
	s := prog.CreatePackage(pkg, files, info, false)
	s.Build()
	e, err := newExtractor(fset, "", []*ssa.Package{s}, files)
	if err != nil {
		return nil, err
	}
	return e.extract(context.Background(), func(int, int) {})
}
