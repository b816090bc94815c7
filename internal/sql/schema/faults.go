package schema

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Note tells of something once.
func (l *Schema) Note(pos ir.Pos, format string, args ...any) {
	n := ir.Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(l.Notes, n) {
		l.Notes = append(l.Notes, n)
	}
}

// Fail refuses the input for a fault at pos.
func (l *Schema) Fail(pos ir.Pos, format string, args ...any) { panic(ir.Errorf(pos, format, args...)) }

// Premise records what is taken for granted, where it matters first.
func (l *Schema) Premise(pos ir.Pos, text string) {
	if !slices.ContainsFunc(l.Prog.Premises, func(n ir.Note) bool { return n.Text == text }) {
		l.Prog.Premises = append(l.Prog.Premises, ir.Note{Pos: pos, Text: text})
	}
}

// Ended is the error of the context.
func (l *Schema) Ended() error {
	if l.In.Ctx == nil {
		return nil
	}
	return l.In.Ctx.Err()
}
