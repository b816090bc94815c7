package goprogram

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Reading reads a program again and again, with other texts of its files than those on the disk. Names
// of files are those of reports.
type Reading struct {
	Patterns []string
	Options  Options
	// Env are the environment variables for the go command.
	Env []string
	// Allowed are the directories that the schema is read from, besides those that Options and the modules name.
	Allowed []string

	// MySQL says, after Begin, that the statements are in MySQL's dialect.
	MySQL bool

	files  []input.File // as they are on the disk
	errors []string     // the notes about packages that have errors
}

// Begin reads the program as it is, and gives the files that decide what it does: those of Go, of the schema and of
// the queries of sqlc.
func (r *Reading) Begin(ctx context.Context) ([]input.File, error) {
	found, source, err := r.open(ctx, nil, &infile.Reader{})
	if err != nil {
		return nil, err
	}
	for _, name := range Relative(found.Files) {
		if strings.HasSuffix(name, ".go") {
			if err := r.add(ctx, name); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range slices.Concat(source.strict, source.lenient) {
		if strings.HasSuffix(f.Name, ".sql") {
			if err := r.add(ctx, f.Name); err != nil {
				return nil, err
			}
		}
	}
	for _, dir := range Relative(found.Modules) {
		if err := r.queries(ctx, dir); err != nil {
			return nil, err
		}
	}
	r.errors, r.MySQL = withErrors(found), source.MySQL()
	return r.files, nil
}

// add reads a file, once.
func (r *Reading) add(ctx context.Context, name string) error {
	if slices.ContainsFunc(r.files, func(f input.File) bool { return f.Name == name }) {
		return nil
	}
	text, err := infile.Read(ctx, name, syntax.MaxFile, syntax.Smaller)
	if err != nil {
		return err
	}
	r.files = append(r.files, input.File{Name: name, Text: string(text)})
	return nil
}

// queries adds the files of queries below a folder from which sqlc generates code, if the program has such code.
func (r *Reading) queries(ctx context.Context, dir string) error {
	if !slices.ContainsFunc(r.files, func(f input.File) bool { return strings.Contains(f.Text, "-- name: ") }) {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules" || name == "testdata"):
			return filepath.SkipDir
		case !d.Type().IsRegular() || !strings.HasSuffix(name, ".sql"):
			return nil
		}
		text, err := infile.Read(ctx, path, syntax.MaxFile, syntax.Smaller)
		if err != nil || !strings.Contains(string(text), "-- name:") {
			return err
		}
		return r.add(ctx, path)
	})
}

// Relative makes paths relative to the current directory, if that makes them
// shorter.
func Relative(paths []string) []string {
	here, err := os.Getwd()
	var out []string
	for _, p := range paths {
		if rel, relErr := filepath.Rel(here, p); err == nil && relErr == nil && !strings.HasPrefix(rel, "..") {
			p = rel
		}
		out = append(out, p)
	}
	return out
}

// Program reads the program with these texts of its files. Where packages have errors that they did not have before, this is
// an *ir.Error.
func (r *Reading) Program(ctx context.Context, files []input.File) (*analyzer.Result, *ir.Program, error) {
	overlay := map[string][]byte{}
	disk := &infile.Reader{}
	for i, f := range files {
		if f.Text == r.files[i].Text {
			continue
		}
		path, err := filepath.Abs(f.Name)
		if err != nil {
			return nil, nil, err
		}
		if strings.HasSuffix(f.Name, ".go") {
			overlay[path] = []byte(f.Text)
			continue
		}
		disk.Note(f.Name, []byte(f.Text))
		disk.Note(path, []byte(f.Text))
	}
	found, source, err := r.open(ctx, overlay, disk)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range withErrors(found) {
		if !slices.Contains(r.errors, text) {
			return nil, nil, ir.Errorf(ir.Pos{File: strings.Join(r.Patterns, " ")}, "%s", text)
		}
	}
	p, err := source.Program(ctx)
	return found, p, err
}

func withErrors(found *analyzer.Result) (out []string) {
	for _, n := range found.Notes {
		if strings.Contains(n.Text, " has errors") {
			out = append(out, n.Text)
		}
	}
	return out
}

// open finds the transactions and the schema.
func (r *Reading) open(ctx context.Context, overlay map[string][]byte, disk *infile.Reader) (*analyzer.Result, *Source, error) {
	found, err := analyzer.Load(ctx, r.Patterns, analyzer.Options{Env: r.Env, Overlay: overlay})
	if err != nil {
		return nil, nil, err
	}
	opt := r.Options
	if opt.Roots, err = Roots(Relative(found.Modules)); err != nil {
		return nil, nil, err
	}
	for _, path := range slices.Concat(r.Allowed, opt.Schema) {
		if err := disk.Allow(path); err != nil {
			return nil, nil, err
		}
	}
	opt.Files = disk
	source, err := Open(ctx, found, opt)
	return found, source, err
}
