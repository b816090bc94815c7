package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/gomod"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/phases"
)

// isGo reports whether an input names packages of Go: a pattern, or a directory
// with Go files that are no tests.
func isGo(input string) bool {
	if strings.HasSuffix(input, ".sql") || strings.HasSuffix(input, ".litmus") {
		return false
	}
	if strings.HasSuffix(input, "...") {
		return true
	}
	info, err := os.Stat(input)
	if err != nil || !info.IsDir() {
		return false
	}
	source, _ := filepath.Glob(filepath.Join(escape(input), "*.go"))
	return slices.ContainsFunc(source, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
}

// golang gives the inputs that name packages of Go.
func (s *sources) golang() []string {
	var out []string
	for _, in := range s.inputs {
		if isGo(in) {
			if !filepath.IsAbs(in) && !strings.HasPrefix(in, ".") {
				if _, err := os.Stat(strings.TrimSuffix(in, "...")); err == nil {
					in = "./" + in
				}
			}
			out = append(out, in)
		}
	}
	return out
}

// loadGo reads Go packages as one application.
func (s *sources) loadGo(ctx context.Context, patterns []string, show func(done, total int, what string)) (*program, error) {
	timing := phases.Start()
	parsed := &parsedFiles{texts: map[string][]byte{}}
	opt := analyzer.Options{Env: withoutKey(), Progress: show, Parsed: parsed.note, Loaded: func() { timing.End("load the packages") }}
	if s.clock != nil {
		// What is found in half of the time is checked in the other half.
		opt.Within, opt.Loaded = s.clock.Limit/2, func() { timing.End("load the packages"); s.clock.Start() }
	}
	found, err := analyzer.Load(ctx, patterns, opt)
	var pattern *analyzer.PatternError
	if errors.As(err, &pattern) {
		return nil, usagef("%v", err)
	}
	if err != nil {
		return nil, err
	}
	timing.End("find the transactions")
	if s.transactionsOnly {
		goprogram.TransactionsOnly(found)
	}
	if len(found.Txns) == 0 {
		return nil, nothingFound(patterns, s.transactionsOnly, found.Notes)
	}
	roots, err := goprogram.Roots(goprogram.Relative(found.Modules))
	if err != nil {
		return nil, err
	}
	show(0, 0, "reading the schema and the statements")
	reading := goprogram.Options{Schema: s.schemas, Roots: roots, Rows: s.init == "file", MySQL: s.dialect == "mysql", Txns: s.txns, Files: s.files,
		SearchPath: s.searchPath}
	source, err := goprogram.Open(ctx, found, reading)
	if _, ok := errors.AsType[goprogram.NoRows](err); ok {
		return nil, usagef("-init file: %v", err)
	}
	if err != nil {
		return nil, err
	}
	p, err := source.Program(ctx)
	if err != nil {
		return nil, misnamed(err)
	}
	timing.End("read the schema and the statements")
	p.Name = goName(patterns)
	out := &program{Program: p, sql: true, golang: found, inputs: patterns, phases: timing, faults: fault.All(errors.Join(found.Faults...)), disk: s.files, mysql: source.MySQL()}
	if err := parsed.take(ctx, s.files, found.Files); err != nil {
		return nil, err
	}
	out.read = slices.Concat(goprogram.Relative(found.Files), source.Files())
	slices.Sort(out.read)
	out.read = slices.Compact(out.read)
	switch {
	case slices.Equal(found.Drivers, []analyzer.Database{analyzer.MySQL}):
		p.Notes = append(p.Notes, ir.Note{Text: "the program imports a driver of MySQL and none of PostgreSQL: it is taken to run on MySQL, unless -engine says otherwise"})
	case out.mysql && s.dialect != "mysql":
		p.Notes = append(p.Notes, ir.Note{Text: "the schema is in the dialect of MySQL, and the program imports no driver: it is taken to run on MySQL, unless -engine says otherwise"})
	}
	if s.notes && len(s.txns) == 0 {
		show(0, 0, "looking for what is not in one transaction")
		defer timing.End("look for what is not in one transaction")
		out.apart, err = source.ApartInTime(ctx, out.Program)
		return out, err
	}
	return out, nil
}

// goName names the application in packages: ./... is the path of its module.
func goName(patterns []string) string {
	var out []string
	for _, pattern := range patterns {
		dir, all := strings.CutSuffix(pattern, "...")
		root := ""
		if info, err := os.Stat(cmp.Or(dir, ".")); err == nil && info.IsDir() {
			root, err = filepath.Abs(cmp.Or(dir, "."))
			if err != nil {
				root = ""
			}
		}
		name := packagePath(root)
		switch {
		case name == "":
			name = pattern
		case all && !gomod.Is(root):
			name += "/..."
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// packagePath gives the path of the package in a folder, as the module that the folder is in
// names it, or "".
func packagePath(dir string) string {
	if dir == "" {
		return ""
	}
	root := gomod.Root(dir)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	rel, errRel := filepath.Rel(root, dir)
	name := modfile.ModulePath(text)
	if root == "" || err != nil || errRel != nil || name == "" {
		return ""
	}
	return path.Join(name, filepath.ToSlash(rel))
}

// withoutKey is the environment for the go command, which runs what packages ask for:
// without the key of the cache.
func withoutKey() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, cacheKey+"=") })
}

// parsedFiles has the texts of Go files as they were when they were parsed.
type parsedFiles struct {
	mu    sync.Mutex
	texts map[string][]byte // by full names
}

func (p *parsedFiles) note(name string, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts[name] = slices.Clone(text)
}

// take gives the texts of files of a program to its Reader, by the names that
// reports use. Those that are not parsed, such as go.mod, are read.
func (p *parsedFiles) take(ctx context.Context, disk *infile.Reader, files []string) error {
	for i, name := range goprogram.Relative(files) {
		text, ok := p.texts[files[i]]
		if !ok {
			var err error
			if text, err = infile.Read(ctx, name, maxInput, "leave the package out"); err != nil {
				return err
			}
		}
		disk.Note(name, text)
	}
	return nil
}

// nothingFound is the error where there is no transaction. Nothing would be proved
// of nothing, but a program whose library is not one that is understood, or one
// that was named by mistake, would look as if it had been.
func nothingFound(patterns []string, transactionsOnly bool, notes []ir.Note) error {
	text := "there is no transaction in these packages, and no statement by itself; docs/go.md says which libraries are understood"
	if transactionsOnly {
		text = "there is no transaction in these packages; statements by themselves are looked at with -autocommit"
	}
	for _, n := range notes { // such as functions that nobody calls
		text += "; " + n.Text
	}
	return ir.Errorf(ir.Pos{File: strings.Join(patterns, " ")}, "%s", text)
}
