// Package apart looks for what is not in one transaction in files of SQL: procedures that begin several, or none, and scripts whose
// variables go from one transaction into the next. Package stale says what a note is.
package apart

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/stale"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// step is a statement of a session, and the transactions one of which it belongs to.
type step struct {
	from, to ir.Pos
	units    []string
}

// sessions are the steps of templates, by their names.
type sessions map[string][]step

// of gives the transactions one of which a statement belongs to, none where that is not known.
func (s sessions) of(t *ir.Txn, at ir.Pos) []string {
	var best step
	for _, x := range s[t.Name] {
		if x.from.File == at.File && !before(at, x.from) && !before(x.to, at) && !before(x.from, best.from) {
			if x.from == best.from {
				x.units = slices.Concat(best.units, x.units) // on several paths
			}
			best = x
		}
	}
	return best.units
}

func before(a, b ir.Pos) bool {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) < 0
}

// Loader reads files of SQL as sessions, and tells of which transactions one each statement of a session belongs to.
type Loader func(ctx context.Context, sessions func(template string, from, to ir.Pos, units []string)) (*ir.Program, error)

// Load is the Loader of paths, with options.
func Load(paths []string, opt sqlmodel.Options) Loader {
	return func(ctx context.Context, told func(template string, from, to ir.Pos, units []string)) (*ir.Program, error) {
		opt.Sessions = told
		return sqlmodel.Load(ctx, paths, opt)
	}
}

// Find looks for writes that rest on what another transaction has read, in the files of which p was made. The result is never nil. Where
// there is no time for it, p has a note.
func Find(ctx context.Context, p *ir.Program, load Loader) []report.Apart {
	if end, ok := ctx.Deadline(); ok { // the rest is for the verdict
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/4)
		defer cancel()
	}
	out := []report.Apart{}
	s := sessions{}
	q, err := load(ctx, func(template string, from, to ir.Pos, units []string) {
		s[template] = append(s[template], step{from, to, units})
	})
	var notes []stale.Note
	if err == nil {
		notes, err = stale.Find(ctx, q, s.of, p)
	}
	switch {
	case ctx.Err() != nil:
		p.Notes = append(p.Notes, ir.Note{Text: "there was no time to look for what is not in one transaction"})
		return out
	case err != nil:
		p.Notes = append(p.Notes, ir.Note{Text: "what is not in one transaction was not looked for: " + err.Error()})
		return out
	}
	slices.SortStableFunc(notes, func(a, b stale.Note) int { return len(s[a.Root]) - len(s[b.Root]) })
	for _, n := range notes {
		place := func(at ir.Pos) report.ApartPlace {
			return report.ApartPlace{Position: witness.Position{File: at.File, Line: at.Line, Col: at.Col}, Function: n.Root}
		}
		a := Of(n, n.Root, place(n.Write), place(n.Read), "its lock ended with that transaction")
		same := func(o report.Apart) bool {
			return o.Code == a.Code && o.Write.Position == a.Write.Position && o.Read.Position == a.Read.Position
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b report.Apart) int {
		return cmp.Or(Positions(a.Write.Position, b.Write.Position), Positions(a.Read.Position, b.Read.Position), strings.Compare(a.Code, b.Code))
	})
	return out
}

// Positions orders places by file, line and column.
func Positions(a, b witness.Position) int {
	return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Col-b.Col)
}

// Of is a note as reports have it, about a function and the places of the write and the read in it. Lock says what became of the lock of
// the read, if it took one.
func Of(n stale.Note, function string, write, read report.ApartPlace, lock string) report.Apart {
	code, verb := codes.StaleWrite, "updates"
	switch n.Kind {
	case stale.Value:
	case stale.Check:
		code = codes.StaleCheck
	case stale.Insert:
		code, verb = codes.StaleInsert, "inserts into"
	default:
		panic("apart: unknown kind of a note")
	}
	if n.Deletes {
		verb = "deletes from"
	}
	if !n.Locked {
		lock = ""
	}
	return findings.NewApart(code, function, n.Table, n.Columns, write, read, verb, lock, findings.Disk)
}
