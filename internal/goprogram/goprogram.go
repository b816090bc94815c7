package goprogram

import (
	"context"
	"fmt"
	"os"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// Options direct Read.
type Options struct {
	// Schema are files and directories of DDL that were named.
	Schema []string
	// Roots are where the schema is looked for without them: directories of
	// modules. The first group in which there is one counts.
	Roots [][]string
	// Rows says that the initial rows are those of the schema.
	Rows bool
	// Txns restricts the templates to the transactions with these names.
	Txns []string
}

// NoRows is the error where initial rows are wanted of no schema in particular.
type NoRows struct{}

func (NoRows) Error() string {
	return "the initial rows of a Go program are those of a schema that is named with -schema"
}

// Read makes the program. Its Notes have those of the analyzer, too. Faults of
// the schema are *ir.Error.
func Read(ctx context.Context, found *analyzer.Result, opt Options) (*ir.Program, error) {
	b := builder{ctx: ctx, opt: opt}
	if err := b.schema(); err != nil {
		return nil, err
	}
	for _, x := range found.Invariants {
		b.lenient = append(b.lenient, sqlmodel.File{Name: x.Pos.File, Text: x.SQL()})
	}
	p, err := sqlmodel.Client(ctx, b.strict, found.Txns, sqlmodel.Options{Schema: b.lenient, Txns: opt.Txns})
	if err != nil {
		return nil, err
	}
	p.Ignores = found.Ignores
	p.Notes = append(append(b.notes, found.Notes...), p.Notes...)
	return p, nil
}

// builder puts a program together.
type builder struct {
	ctx context.Context
	opt Options
	// strict are files of which everything has to be read.
	strict, lenient []sqlmodel.File
	notes           []ir.Note
}

func (b *builder) note(pos ir.Pos, format string, args ...any) {
	b.notes = append(b.notes, ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// schema reads the schema that was named, or finds one.
func (b *builder) schema() error {
	switch {
	case len(b.opt.Schema) > 0:
		return b.named()
	case b.opt.Rows:
		return NoRows{}
	}
	for _, roots := range b.opt.Roots {
		s, err := schemafind.Find(b.ctx, roots, "")
		if err != nil {
			return err
		}
		if len(s.Chosen) == 0 {
			continue
		}
		for _, f := range s.Files() {
			b.lenient = append(b.lenient, sqlmodel.File(f))
		}
		b.notes = append(b.notes, s.Notes...)
		for _, c := range s.Chosen {
			b.note(ir.Pos{File: c.Path}, "the schema was found here (%s); name another one with -schema", c.Kind)
		}
		return nil
	}
	b.note(ir.Pos{}, "no schema was found: which columns are keys is not known, so that concurrent insertions are not told apart; name it with -schema")
	return nil
}

// named reads the schema that was named.
func (b *builder) named() error {
	into := &b.strict
	for _, path := range b.opt.Schema {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.IsDir() && !b.opt.Rows {
			into = &b.lenient
		}
	}
	list, err := schemafind.ReadAll(b.opt.Schema)
	if err != nil {
		return err
	}
	for _, f := range list {
		*into = append(*into, sqlmodel.File(f))
	}
	return nil
}
