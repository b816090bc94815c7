package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
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
	found, err := analyzer.Load(ctx, patterns, analyzer.Options{Progress: show})
	var pattern *analyzer.PatternError
	if errors.As(err, &pattern) {
		return nil, usagef("%v", err)
	}
	if err != nil {
		return nil, err
	}
	opt := sqlmodel.Options{Txns: s.txns}
	var files []sqlmodel.File
	var notes []ir.Note
	if len(s.schemas) > 0 {
		paths, err := expand(s.schemas)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files = append(files, sqlmodel.File{Name: path, Text: string(text)})
		}
	} else {
		schema, err := schemafind.Find(ctx, relative(found.Modules), "")
		if err != nil {
			return nil, err
		}
		for _, f := range schema.Files() {
			opt.Schema = append(opt.Schema, sqlmodel.File{Name: f.Name, Text: f.Text})
		}
		notes = append(notes, schema.Notes...)
		for _, c := range schema.Chosen {
			notes = append(notes, ir.Note{Pos: ir.Pos{File: c.Path}, Text: fmt.Sprintf("the schema was found here (%s); name another one with -schema", c.Kind)})
		}
		if len(schema.Chosen) == 0 {
			notes = append(notes, ir.Note{Text: "no schema was found: which columns are keys is not known, so that concurrent insertions are not told apart; name it with -schema"})
		}
	}
	for _, x := range found.Invariants {
		opt.Schema = append(opt.Schema, sqlmodel.File{Name: x.Pos.File, Text: x.SQL()})
	}
	p, err := sqlmodel.Client(ctx, files, found.Txns, opt)
	if err != nil {
		return nil, err
	}
	p.Name, p.Ignores = strings.Join(patterns, " "), found.Ignores
	p.Notes = append(append(notes, found.Notes...), p.Notes...)
	return &program{Program: p, sql: true, golang: found, only: s.txns}, nil
}

// relative makes paths relative to the current directory, if that makes them
// shorter.
func relative(dirs []string) []string {
	here, err := os.Getwd()
	var out []string
	for _, d := range dirs {
		if rel, relErr := filepath.Rel(here, d); err == nil && relErr == nil && !strings.HasPrefix(rel, "..") {
			d = rel
		}
		out = append(out, d)
	}
	return out
}
