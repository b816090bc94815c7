package session

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/ir"
)

// A transaction whose begin nobody saw comes out of a context, a channel, a package variable, a map or the
// like. What a function sends through such values, with all that it calls, is taken to be one transaction:
// it is open when the function begins.

// untracedMark ends the path of a transaction that began at a place which is not known.
const untracedMark = " (not known)"

// UntracedPath gives the path of the transaction of a function that began at a place which is not known.
func UntracedPath(p *program.Program, f *ssa.Function) string {
	return p.Position(f.Pos()).String() + untracedMark
}

// findUntraced records that the root sends something in a transaction that began at a place which is not known.
// A caller may know where it began, or send more in it.
func (in *Session) findUntraced() {
	if in.Trace != nil {
		return
	}
	if !slices.ContainsFunc(in.Result.Sites, func(s Site) bool { return s.Path == in.Untraced }) {
		in.Result.Sites = append(in.Result.Sites, Site{Path: in.Untraced, Funcs: []*ssa.Function{in.Root}})
	}
	in.Callers("its transaction comes from a place that is not known")
}

// isUntraced reports whether the transaction that is written is the one that began at a place which is not known.
func (in *Session) isUntraced() bool { return in.Site != "" && in.Site == in.Untraced }

// OpenUntraced opens the transaction that began at a place which is not known, if that is written.
func (in *Session) OpenUntraced() {
	if in.isUntraced() {
		in.St.Phase, in.Begun, in.Levels = memory.Open, true, []string{""}
	}
}

// noteUntraced says once what is taken for granted of the transaction that is written, if it is one that
// began at a place which is not known.
func (in *Session) noteUntraced() {
	if !in.isUntraced() || in.BeginPos.IsValid() {
		return
	}
	in.BeginPos = in.P.Position(in.Pos)
	in.Result.Notes = append(in.Result.Notes, ir.Note{Pos: in.BeginPos, Text: "the transaction that is used here comes from a place that is not known: what " + FunctionName(in.Root) +
		" sends through it is taken to be one transaction at the default level; give it as a parameter, to a function whose callers begin it, or say //robust:assume level LEVEL"})
}
