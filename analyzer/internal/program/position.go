package program

import (
	"cmp"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/ir"
)

// ComparePos orders places by file, line and column.
func ComparePos(a, b ir.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// Position gives a place in the source; of a call, where its name stands.
func (p *Program) Position(pos token.Pos) ir.Pos {
	if start, ok := p.starts[pos]; ok {
		pos = start
	}
	at := p.fset.Position(pos)
	if !at.IsValid() {
		return ir.Pos{}
	}
	name := at.Filename
	if p.dir != "" {
		if rel, err := filepath.Rel(p.dir, name); err == nil && !strings.HasPrefix(rel, "..") {
			name = rel
		}
	}
	return ir.Pos{File: name, Line: at.Line, Col: at.Column}
}

// ByPlace compares functions by where they stand. Their token.Pos depends on the
// order in which files were read.
func (p *Program) ByPlace(a, b *ssa.Function) int {
	return ComparePos(p.Position(a.Pos()), p.Position(b.Pos()))
}
