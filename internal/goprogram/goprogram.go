package goprogram

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/client"
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

// Roots gives where to look for the schema of a program in modules: there, and
// then in all modules of their workspace.
func Roots(modules []string) ([][]string, error) {
	out := [][]string{modules}
	if len(modules) == 0 {
		return out, nil
	}
	all, err := schemafind.Roots(modules[0])
	if len(all) > 1 {
		out = append(out, all)
	}
	return out, err
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
	b.models(found)
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

// TransactionsOnly leaves the statements outside of transactions out of what was
// found, with a note.
func TransactionsOnly(found *analyzer.Result) {
	all := len(found.Txns)
	found.Txns = slices.DeleteFunc(found.Txns, func(t *client.Txn) bool { return t.Auto })
	if n := all - len(found.Txns); n > 0 {
		found.Notes = append(found.Notes, ir.Note{Text: fmt.Sprintf("statements outside of transactions that are left out, since -autocommit is off: %d; what they do is no part of the verdict", n)})
	}
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

// models adds the tables that GORM makes of structs, as far as the schema does not
// name them, and says what is not known without a schema.
func (b *builder) models(found *analyzer.Result) {
	none := len(b.strict)+len(b.lenient) == 0
	named := b.names()
	var tables []string
	var at ir.Pos
	var list []sqlmodel.File
	for _, d := range found.Schema() {
		m := d.Model
		if !none && (!m.Migrated || named[strings.ToLower(m.Table[strings.LastIndexByte(m.Table, '.')+1:])]) {
			continue
		}
		if !slices.Contains(tables, m.Table) {
			tables = append(tables, m.Table)
		}
		if !at.IsValid() || m.Migrated {
			at = m.Pos
		}
		// One line, at that of the model.
		list = append(list, sqlmodel.File{Name: m.Pos.File, Text: strings.Repeat("\n", max(m.Pos.Line-1, 0)) + oneLine.Replace(d.SQL)})
	}
	b.lenient = append(b.lenient, list...)
	switch text := strings.Join(tables, ", ") + ": that these tables are as GORM's AutoMigrate makes them is taken for granted"; {
	case none && len(tables) == 0:
		b.note(ir.Pos{}, "no schema was found: which columns are keys is not known, so that concurrent insertions are not told apart; name it with -schema")
	case none:
		b.note(at, "no schema was found; %s; name another schema with -schema", text)
	case len(tables) > 0:
		b.note(at, "the schema does not name %s", text)
	}
}

var oneLine = strings.NewReplacer("(\n  ", "(", ",\n  ", ", ", "\n)", ")")

var anyName = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_$]*`)

// names are the names in the schema, in lower case.
func (b *builder) names() map[string]bool {
	out := map[string]bool{}
	for _, f := range slices.Concat(b.strict, b.lenient) {
		for _, name := range anyName.FindAllString(f.Text, -1) {
			out[strings.ToLower(name)] = true
		}
	}
	return out
}
