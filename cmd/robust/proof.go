package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/proof"
)

// keep writes the proof of a program to the folder dir.
func (f *checkFlags) keep(std streams, p *program, rep *robust.Report, dir string) error {
	if rep.Evidence == nil {
		fmt.Fprintf(std.err, "robust: there is no proof of %s to write to %s: it is not proved\n", p.Name, dir)
		return nil
	}
	m := &rep.Evidence.Manifest
	m.MadeBy, m.Options.Dialect, m.Options.SearchPath = version(), f.dialect, f.searchPath
	m.Options.Transactions = append(m.Options.Transactions, p.only...)
	for _, path := range p.read {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m.Inputs = append(m.Inputs, proof.Digest(path, text))
	}
	if p.golang != nil {
		m.Options.Packages, m.Options.Schema, m.Options.TransactionsOnly = p.patterns, f.schemas, !f.autocommit
	}
	return rep.Evidence.Write(dir)
}

type verifyFlags struct {
	z3, sources string
	timeout     time.Duration
	alone       bool
}

func verifyCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &verifyFlags{}
	fs.StringVar(&f.z3, "z3", "", "the `program` z3 (default: the one on the PATH)")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time for each script")
	fs.StringVar(&f.sources, "sources", "", "`DIR` that the paths of the inputs start from (default: the current one)")
	fs.BoolVar(&f.alone, "alone", false, "believe what only the sources show, without them")
	return f.run
}

func (f *verifyFlags) run(ctx context.Context, std streams, dirs []string) (int, error) {
	if f.timeout < time.Second {
		return 0, usagef("-timeout %v: z3 counts in seconds", f.timeout)
	}
	if f.alone && f.sources != "" {
		return 0, usagef("-alone leaves the sources out, and -sources says where they are")
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return 0, usagef("%s: this is no folder; name one that robust check -proof wrote", dir)
		}
	}
	code := exitOK
	for _, dir := range dirs {
		ok, err := f.one(ctx, std, dir)
		if err != nil {
			return 0, err
		}
		if !ok {
			code = exitFault
		}
	}
	return code, nil
}

func (f *verifyFlags) one(ctx context.Context, std streams, dir string) (bool, error) {
	show, end := progress(std.err)
	defer end()
	opt := proof.VerifyOptions{Z3: f.z3, Timeout: f.timeout, Progress: show}
	if !f.alone {
		opt.Sources = func(m *proof.Manifest) (proof.Sources, error) { return f.load(ctx, m) }
	}
	v, err := proof.Verify(ctx, dir, opt)
	end()
	if err != nil {
		return false, err
	}
	for _, fault := range v.Faults {
		fmt.Fprintln(std.err, oneLine(filepath.Join(dir, fault)))
	}
	if len(v.Faults) > 0 {
		return false, nil
	}
	for _, what := range v.Unchecked {
		why := "the sources are not there; say where with -sources, or believe it with -alone"
		if f.alone {
			why = "believed, because of -alone"
		}
		fmt.Fprintf(std.err, "%s: not checked: %s (%s)\n", dir, what, why)
	}
	if len(v.Unchecked) > 0 && !f.alone {
		return false, nil
	}
	m := v.Manifest
	what := fmt.Sprintf("%d pieces of walks are impossible, no walk is left", len(m.Refuted))
	if m.Argument != proof.ByGraph {
		what = m.Method
	}
	from := "everything was made anew from the sources"
	if !v.FromSources {
		from = "without the sources"
	}
	fmt.Fprintf(std.out, "%s: the proof that %s is robust is verified: %s; %d scripts unsat by z3; %s\n", dir, m.Program, what, v.Scripts, from)
	return true, nil
}

// load reads the program of a proof, if its files are those that were read.
func (f *verifyFlags) load(ctx context.Context, m *proof.Manifest) (proof.Sources, error) {
	var inputs []string
	for _, in := range m.Inputs {
		path, err := f.input(in)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, path)
	}
	packages := m.Options.Packages
	litmus := func(path string) bool { return strings.HasSuffix(path, ".litmus") }
	if m.Options.Dialect != "postgres" && m.Options.Dialect != "mysql" || len(inputs) == 0 || len(packages) == 0 && slices.ContainsFunc(inputs[1:], litmus) {
		return nil, fmt.Errorf("manifest.json: the inputs are not those of one program")
	}
	src := &sources{txns: m.Options.Transactions, dialect: m.Options.Dialect, dir: f.sources, transactionsOnly: m.Options.TransactionsOnly,
		searchPath: m.Options.SearchPath}
	var p *program
	var err error
	if len(packages) > 0 {
		for _, path := range m.Options.Schema {
			src.schemas = append(src.schemas, f.place(path))
		}
		if m.Options.Init == "file" {
			src.init = m.Options.Init
		}
		p, err = src.loadGo(ctx, packages, func(int, int, string) {})
	} else {
		p, err = src.loadFiles(ctx, inputs)
	}
	if err != nil {
		return nil, fmt.Errorf("the sources: %w", err)
	}
	return robust.Recheck(p.Program, m)
}

// place is where a path of a manifest is now.
func (f *verifyFlags) place(path string) string {
	if f.sources != "" && !filepath.IsAbs(path) {
		return filepath.Join(f.sources, path)
	}
	return path
}

// input finds an input, and makes sure that it is the one that was read.
func (f *verifyFlags) input(in proof.Input) (string, error) {
	path := f.place(in.Path)
	text, err := os.ReadFile(path)
	if err != nil && f.sources != "" && errors.Is(err, fs.ErrNotExist) {
		// The folder may be where the files themselves are now.
		path = filepath.Join(f.sources, filepath.Base(in.Path))
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return "", err
	}
	if got := proof.Digest(in.Path, text); got != in {
		return "", fmt.Errorf("manifest.json: the input %s is not the file that was proved: its SHA-256 is another", path)
	}
	return path, nil
}

// loadFiles reads the files of one program of SQL or litmus.
func (s *sources) loadFiles(ctx context.Context, files []string) (*program, error) {
	s.inputs = files
	programs, err := s.load(ctx, func(int, int, string) {})
	if err != nil {
		return nil, err
	}
	return programs[0], nil
}
