package lint

import (
	"context"
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/txrobust/robust/internal/infile"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// maxSource bounds the bytes of a file that a position is in.
const maxSource = 256 << 20

// places are positions in files, as a pass has them.
type places struct {
	fset  *token.FileSet
	files map[string]*token.File
}

// newPlaces begins with the files of a pass. Others that its file set has are not
// to be used: those of packages that were imported as export data have made-up
// lines, as many as the exported declarations need.
func newPlaces(pass *analysis.Pass) *places {
	x := &places{pass.Fset, map[string]*token.File{}}
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		x.files[file.Name()] = file
	}
	return x
}

// diagnostic is a finding as go/analysis has it.
func (x *places) diagnostic(f *report.Finding) analysis.Diagnostic {
	at, ok := f.Pivot()
	if !ok && f.Witness != nil && len(f.Witness.Transactions) > 0 {
		at = f.Witness.Transactions[0].Position
	}
	d := analysis.Diagnostic{Pos: x.pos(at), Category: f.Code}
	if f.Status == report.Suspected {
		d.Message = "suspected "
	}
	d.Message += fmt.Sprintf("%s (%s) %s: %s", f.Kind, f.Code, f.At(), quote.Line(strings.Join(f.Cycle, " -> ")))
	for _, e := range f.Edges {
		d.Message += "; " + quote.Line(e.Text)
		for _, p := range []witness.Position{e.FromPosition, e.ToPosition} {
			if p != at {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: x.pos(p), Message: quote.Line(e.Text)})
			}
		}
	}
	for _, doubt := range f.Doubts {
		d.Message += "; suspected only: " + quote.Line(doubt.Text) + "; to settle it, " + quote.Line(doubt.Settle)
	}
	for _, o := range f.Also {
		d.Message += "; the same read is part of " + quote.Line(strings.Join(o.Cycle, " -> "))
	}
	return d
}

// note is a note about what is not in one transaction as go/analysis has it.
func (x *places) note(a *report.Apart) analysis.Diagnostic {
	return analysis.Diagnostic{Pos: x.pos(a.Write.Position), Category: a.Code, Message: fmt.Sprintf("%s (%s): %s", a.Kind, a.Code, quote.Line(a.Text)),
		Related: []analysis.RelatedInformation{{Pos: x.pos(a.Read.Position), Message: "what the write rests on is read here"}}}
}

// pos finds a place; it is not valid where there is none. Files of other packages
// are added.
func (x *places) pos(p witness.Position) token.Pos {
	file := x.files[p.File]
	if file == nil {
		text, err := infile.Read(context.Background(), p.File, maxSource, "")
		if err != nil {
			return token.NoPos
		}
		file = x.fset.AddFile(p.File, -1, len(text))
		file.SetLinesForContent(text)
		x.files[p.File] = file
	}
	if p.Line < 1 || p.Line > file.LineCount() {
		return token.NoPos
	}
	return file.LineStart(p.Line) + token.Pos(max(p.Col-1, 0))
}
