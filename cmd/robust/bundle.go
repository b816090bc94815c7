package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/txrobust/robust/crosscheck"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/quote"
)

// bundles is what a folder is that has everything about a disagreement.
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
}

// bundled writes the bundle of a disagreement, if err is one, and says where. An
// error with that is told beside it.
func (f *checkFlags) bundled(ctx context.Context, p *program, inputs []string, several bool, err error) error {
	d, ok := errors.AsType[*crosscheck.Disagreement](err)
	if !ok {
		return err
	}
	dir := f.bundle
	switch {
	case dir != "":
		dir = folderOf(dir, p, several)
	default:
		var fault error
		if dir, fault = os.MkdirTemp("", "robust-bundle-"); fault != nil {
			return fmt.Errorf("%w; nor can a bundle be written: %w", err, fault)
		}
	}
	if fault := f.writeBundle(ctx, p, inputs, d, dir); fault != nil {
		return fmt.Errorf("%w; nor can a bundle be written: %w", err, fault)
	}
	return fmt.Errorf("%w; what reproduces it is in %s, please report it with that", err, dir)
}

func (f *checkFlags) writeBundle(ctx context.Context, p *program, inputs []string, d *crosscheck.Disagreement, dir string) error {
	b := bundle{Version: version(), Program: p.Name, Flags: []string{}, Inputs: inputs, Sources: []string{}, Error: d.Error(), Judgements: d.Judgements}
	f.given.Visit(func(g *flag.Flag) { b.Flags = append(b.Flags, "-"+g.Name+"="+g.Value.String()) })
	var histories []codec.File
	if d.Trace != nil {
		var err error
		if histories, err = d.Trace.Files(ctx); err != nil {
			return err
		}
	}
	files, err := d.Witness.Files(p.files, histories)
	if err != nil {
		return err
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
