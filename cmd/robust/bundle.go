package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// bundles is what a folder is that has everything about a fault of this program.
var bundles = folder.Kind{Mark: "bundle.json", Ours: func(name string) bool {
	return slices.Contains([]string{"bundle.json", "program.litmus", "sources", "witness"}, name)
}}

// bundle is bundle.json.
type bundle struct {
	Version string `json:"version"`
	// Program is its name, Flags those that were given, and Sources the files that it
	// was read from, as they were named, in the order of the folder sources.
	Program    string                 `json:"program"`
	Flags      []string               `json:"flags"`
	Inputs     []string               `json:"inputs"`
	Sources    []string               `json:"sources"`
	Error      string                 `json:"error"`
	Judgements []crosscheck.Judgement `json:"judgements"`
	// Replay is what a server did, nil if it was not asked.
	Replay *witness.Replay `json:"replay,omitempty"`
	// Faults are parts of the work that ended in a panic, with the stack.
	Faults []*fault.Fault `json:"faults,omitempty"`
}

// mistake is what a bundle is about: a witness that somebody contradicts, or (witness is
// nil) parts of the work that ended in a panic.
type mistake struct {
	err        string
	witness    *witness.Witness
	trace      *crosscheck.Trace
	judgements []crosscheck.Judgement
	replay     *witness.Replay
	faults     []*fault.Fault
}

// survived writes a bundle of the parts of the work that ended in a panic, and says where
// it is, the n-th one of the program. The rest of the work has its result all the same.
func (f *checkFlags) survived(ctx context.Context, std streams, p *program, inputs []string, several bool, n int, faults []*fault.Fault) error {
	var said []string
	for _, x := range faults {
		said = append(said, x.Error())
		if os.Getenv("ROBUST_DEBUG") != "" {
			fmt.Fprintln(std.err, x.Stack)
		}
	}
	text := strings.Join(said, "; ")
	dir, err := f.bundleFor(ctx, p, inputs, several, n, &mistake{err: text, faults: faults})
	if err != nil {
		return fmt.Errorf("%s; nor can a bundle be written: %w", text, err)
	}
	fmt.Fprintf(std.err, "%s: %s; the result is that of the other parts; the stack and the sources are in %s, please report it with that\n", p.Name, oneLine(text), dir)
	return nil
}

// bundled writes the bundle of a disagreement, if err is one, and says where. An
// error with that is told beside it.
func (f *checkFlags) bundled(ctx context.Context, p *program, inputs []string, several bool, err error) error {
	d, ok := errors.AsType[*crosscheck.Disagreement](err)
	if !ok {
		return err
	}
	c := &mistake{err: d.Error(), witness: d.Witness, trace: d.Trace, judgements: d.Judgements}
	dir, fault := f.bundleFor(ctx, p, inputs, several, 0, c)
	if fault != nil {
		return fmt.Errorf("%w; nor can a bundle be written: %w", err, fault)
	}
	return fmt.Errorf("%w; what reproduces it is in %s, please report it with that", err, dir)
}

// refusals writes a bundle for each execution that a server should do and does not, and
// says where.
func (f *checkFlags) refusals(ctx context.Context, std streams, p *program, inputs []string, several bool, rep *report.Report) error {
	for i, x := range rep.Refused {
		if rep.Stricter || x.Status == report.Suspected {
			continue
		}
		c := &mistake{err: x.Replay.String(), witness: x.Witness, trace: x.Trace, judgements: x.Validation, replay: x.Replay}
		dir, err := f.bundleFor(ctx, p, inputs, several, i, c)
		if err != nil {
			return fmt.Errorf("a bundle of what a server does not do cannot be written: %w", err)
		}
		fmt.Fprintf(std.err, "%s: %s: %s; what reproduces it is in %s, please report it with that\n", p.Name, strings.Join(x.Cycle, " -> "), x.Replay, dir)
	}
	return nil
}

// bundleFor writes the n-th bundle of a program, and gives its folder.
func (f *checkFlags) bundleFor(ctx context.Context, p *program, inputs []string, several bool, n int, c *mistake) (dir string, err error) {
	if dir = f.bundle; dir == "" {
		if dir, err = os.MkdirTemp("", "robust-bundle-"); err != nil {
			return "", err
		}
	} else if dir = folderOf(dir, p, several); n > 0 {
		dir = fmt.Sprintf("%s-%d", dir, n+1)
	}
	return dir, f.writeBundle(ctx, p, inputs, c, dir)
}

func (f *checkFlags) writeBundle(ctx context.Context, p *program, inputs []string, c *mistake, dir string) error {
	b := bundle{Version: version(), Program: p.Name, Flags: []string{}, Inputs: inputs, Sources: []string{}, Error: c.err, Judgements: c.judgements, Replay: c.replay, Faults: c.faults}
	f.given.Visit(func(g *flag.Flag) { b.Flags = append(b.Flags, "-"+g.Name+"="+g.Value.String()) })
	var histories []codec.File
	if c.trace != nil {
		var err error
		if histories, err = crosscheck.Files(ctx, c.trace); err != nil {
			return err
		}
	}
	var files []codec.File
	if c.witness != nil {
		var err error
		if files, err = c.witness.Files(histories); err != nil {
			return err
		}
	}
	for i := range files {
		files[i].Name = "witness/" + files[i].Name
	}
	files = append(files, codec.File{Name: "program.litmus", Text: []byte(p.Program.String())})
	for i, path := range p.read {
		text, _ := p.disk.Text(path)
		b.Sources = append(b.Sources, path)
		files = append(files, codec.File{Name: fmt.Sprintf("sources/%03d-%s", i+1, quote.FileName(filepath.Base(path))), Text: text})
	}
	js, err := quote.EncodeJSON(b, "  ")
	if err != nil {
		return err
	}
	return bundles.Write(dir, func(put folder.Put) error {
		for _, x := range append(files, codec.File{Name: "bundle.json", Text: js}) {
			if err := put(x.Name, x.Text); err != nil {
				return err
			}
		}
		return nil
	})
}
