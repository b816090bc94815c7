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
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/typed"
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
	// Overlay has texts of files that count in the place of those on the disk, by
	// their full names.
	Overlay map[string][]byte
	// Absolute keeps the names of files as they are.
	Absolute bool
	// Progress, if not nil, is told what is being done.
	Progress func(done, total int, what string)
	// Parsed, if not nil, is given the text of each Go file that is parsed, by its
	// full name, as it was then. It may be called by several goroutines.
	Parsed func(name string, text []byte)
	// Within, if not 0, bounds the time to look for transactions once the packages have
	// been read. What is left then may do anything, with a note.
	Within time.Duration
	// Loaded, if not nil, is called when the packages have been read, before
	// transactions are looked for in them.
	Loaded func()
}

// Load reads the Go packages that patterns name, with those of the same modules
// that they import, and finds their transactions. What does not type-check is
// left out, function by function, with a note about each package; where that imports a
// library for databases, a transaction that may do anything stands for what is missing. If no
// package is left, or there is no transaction in what is, the error says why.
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
	pkgs, err := parse(ctx, fset, dir, roots, paths, opt)
	if err != nil {
		return nil, err
	}
	r := &reading{dir: dir, roots: roots}
	list := r.good(pkgs)
	if len(list) == 0 {
		if len(r.notes) > 0 {
			return nil, &ir.Error{Pos: r.notes[0].Pos, Msg: r.notes[0].Text}
		}
		return nil, fmt.Errorf("%s: no Go package matches", strings.Join(patterns, " "))
	}
	if opt.Absolute {
		dir = ""
	}
	if opt.Loaded != nil {
		opt.Loaded()
	}
	e, err := newExtractor(fset, dir, list, r.files)
	if err != nil {
		return nil, err
	}
	e.P.Places.Whole, e.P.Places.Left = len(r.notes) == 0, r.left
	databases, sqlite := drivers(r.read)
	e.P.MySQL = len(databases) == 1 && databases[0] == MySQL
	res, err := e.extract(ctx, opt.Within, func(done, total int) { opt.Progress(done, total, "reading the functions of the Go code") })
	if err != nil {
		return nil, err
	}
	res.Notes = append(r.notes, res.Notes...)
	if sqlite && len(databases) == 0 {
		res.Notes = slices.Insert(res.Notes, 0, ir.Note{Text: "the program imports a driver of SQLite and none of a server: it is judged as if it ran on PostgreSQL, or on what -engine names. SQLite runs transactions that write one after the other, so that findings may be false there, and what it refuses as busy is not modelled"})
	}
	res.Txns = append(res.Txns, r.missing...)
	if len(res.Txns) == 0 && len(r.notes) > 0 {
		return nil, &ir.Error{Pos: r.notes[0].Pos, Msg: r.notes[0].Text}
	}
	res.Modules, res.Files = modules, filesOf(pkgs, modules)
	res.Drivers = databases
	return res, nil
}

// reading is what is read of packages.
type reading struct {
	dir   string
	roots []*packages.Package
	read  []*packages.Package
	files []*ast.File
	// notes say what is left out, missing stands for what that may do.
	notes   []ir.Note
	missing []*client.Txn
	// left are the packages of which something is left out, nil if it is not known what one of them imports.
	left    []*types.Package
	unknown bool
}

// good gives what type-checks of packages.
func (r *reading) good(pkgs []*packages.Package) []*ssa.Package {
	var some []*packages.Package
	for _, p := range pkgs {
		if p.Types == nil || p.TypesInfo == nil || len(p.Syntax) == 0 {
			p.Syntax = nil
			r.leave(p, nil)
		} else if left := typeChecked(p); len(left) > 0 || len(p.Errors) > 0 {
			r.leave(p, left)
		}
		if p.Types != nil {
			some = append(some, p)
		}
	}
	list, unbuilt := build(some)
	for _, p := range unbuilt {
		p.Syntax = nil
		r.leave(p, nil)
	}
	for _, p := range some {
		if len(p.Syntax) > 0 {
			r.read = append(r.read, p)
			r.files = append(r.files, p.Syntax...)
		}
	}
	return list
}

// leave notes what of a package with errors is left out: functions, or (nil) all of it.
func (r *reading) leave(p *packages.Package, functions []string) {
	text := fmt.Sprintf("package %s has errors and is left out: %s", p.PkgPath, firstError(p))
	if len(p.Syntax) > 0 && len(functions) == 0 { // nothing is missing
		text = fmt.Sprintf("package %s has errors: %s", p.PkgPath, firstError(p))
	} else if len(functions) > 0 {
		n := len(functions)
		if n > 5 {
			functions = append(functions[:5:5], "…")
		}
		text = fmt.Sprintf("package %s has errors: %s; what does not type-check is left out (%d): %s", p.PkgPath, firstError(p), n, strings.Join(functions, ", "))
	}
	if r.unknown = r.unknown || p.Types == nil || len(p.Syntax) == 0 || lost(p); r.unknown {
		r.left = nil
	} else {
		r.left = append(r.left, p.Types)
	}
	pos := errorPos(r.dir, p)
	if note := (ir.Note{Pos: pos, Text: text}); !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
	known := slices.ContainsFunc(r.missing, func(x *client.Txn) bool { return x.Pos == pos })
	if !known && ((len(p.Syntax) == 0 || len(functions) > 0) && usesLibrary(r.roots, p.PkgPath) || lost(p) && usesLibrary(r.roots, "")) {
		r.missing = append(r.missing, unread(p.PkgPath, pos))
	}
}

// lost reports whether a part of the source of a package is not known, and so what it imports: a file cannot be found
// or parsed, or an import cannot be loaded. An error of syntax may hide any code behind it.
func lost(p *packages.Package) bool {
	return slices.ContainsFunc(p.Errors, func(e packages.Error) bool {
		if e.Kind == packages.TypeError {
			return strings.HasPrefix(e.Msg, "could not import ") && !strings.HasPrefix(e.Msg, "could not import C ")
		}
		return !besides.MatchString(e.Msg)
	})
}

// besides matches errors that leave all of the Go source: a missing file to embed, and what a compiler of C says.
var besides = regexp.MustCompile(`^(# |pattern .*: (no matching files found|cannot embed))`)

// find gives the packages that patterns name (roots), and the paths of those to read
// with the folders of their modules.
func find(ctx context.Context, dir string, patterns []string, opt Options) (roots []*packages.Package, paths, modules []string, err error) {
	opt.Progress(0, 0, "finding the packages, with the go command")
	roots, err = packages.Load(&packages.Config{Context: ctx, Dir: dir, Env: opt.Env, Overlay: opt.Overlay, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles | packages.NeedEmbedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule}, patterns...)
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

// parse reads the packages with the paths, with their types; roots are what find gave.
func parse(ctx context.Context, fset *token.FileSet, dir string, roots []*packages.Package, paths []string, opt Options) ([]*packages.Package, error) {
	cfg := &packages.Config{Context: ctx, Dir: dir, Env: opt.Env, Overlay: opt.Overlay, Fset: fset, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
		packages.NeedTypesInfo | packages.NeedModule}
	if opt.Parsed != nil {
		cfg.ParseFile = func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			opt.Parsed(name, text)
			return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
		}
	}
	opt.Progress(0, 0, "loading the packages, with the go command")
	if pkgs := typed.Load(cfg, roots, paths); pkgs != nil {
		return pkgs, nil
	}
	pkgs, err := packages.Load(cfg, paths...)
	if err != nil {
		return nil, loadError(err)
	}
	return pkgs, nil
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
// library for databases, directly or not; "" is any of them.
func usesLibrary(roots []*packages.Package, pkg string) bool {
	libraries := names().Paths
	found := false
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.PkgPath == pkg || pkg == "" {
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
	return e.extract(context.Background(), 0, func(int, int) {})
}
