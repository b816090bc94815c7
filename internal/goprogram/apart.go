package goprogram

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/apart"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/stale"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
	"github.com/txrobust/robust/sqlmodel"
)

// Apart looks for writes that rest on what another transaction has read, in the
// functions of the program, of which p was made. The result is never nil. Notes that are certain come first: both
// statements are sent by what is a transaction, or the database, for sure. Where
// several functions do the same by calling each other, it is a note about the
// smallest. Invariants of the code are left out: no note depends on one.
func (s *Source) Apart(ctx context.Context, p *ir.Program) ([]report.Apart, error) {
	out := []report.Apart{}
	list, err := s.found.Traces(ctx)
	if err != nil {
		return nil, err
	}
	traces := map[string]*analyzer.Trace{}
	var txns []*client.Txn
	for i, t := range list {
		t.Body.Name = strconv.Itoa(i)
		traces[t.Body.Name] = t
		txns = append(txns, t.Body)
	}
	q, err := s.templates(ctx, txns)
	if err != nil {
		return nil, err
	}
	notes, err := stale.Find(ctx, q, func(t *ir.Txn, at ir.Pos) []string {
		step, _ := traces[t.Name].At(at)
		return step.Units
	}, p)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(notes, func(a, b stale.Note) int { return traces[a.Root].Steps - traces[b.Root].Steps })
	type key struct {
		code        string
		write, read witness.Position
	}
	perhaps := map[key]int{}
	keyOf := func(a report.Apart) key { return key{a.Code, a.Write.Position, a.Read.Position} }
	for _, n := range notes {
		a := noteOf(n, traces[n.Root])
		rank := 0
		if n.Perhaps {
			rank = 1
		}
		k := keyOf(a)
		if was, seen := perhaps[k]; seen {
			perhaps[k] = min(rank, was)
			continue
		}
		perhaps[k] = rank
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b report.Apart) int {
		return cmp.Or(perhaps[keyOf(a)]-perhaps[keyOf(b)], apart.Positions(a.Write.Position, b.Write.Position), apart.Positions(a.Read.Position, b.Read.Position), strings.Compare(a.Code, b.Code))
	})
	return out, nil
}

// ApartInTime is Apart for a fourth of the time that is left at the most: the rest is for the verdict. Where
// that is not enough, the result is nil, and p has a note.
func (s *Source) ApartInTime(ctx context.Context, p *ir.Program) ([]report.Apart, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/4)
		defer cancel()
	}
	out, err := s.Apart(ctx, p)
	if err != nil && ctx.Err() != nil {
		p.Notes = append(p.Notes, ir.Note{Text: "there was no time to look for what is not in one transaction"})
		return nil, nil
	}
	return out, err
}

// templates makes templates of traces, without those that cannot be read.
func (s *Source) templates(ctx context.Context, txns []*client.Txn) (*ir.Program, error) {
	opt := s.options(s.lenient)
	p, err := sqlmodel.Client(ctx, s.strict, txns, opt)
	if _, ok := errors.AsType[*ir.Error](err); !ok {
		return p, err
	}
	var good []*client.Txn
	for _, t := range txns {
		if _, err := sqlmodel.Client(ctx, s.strict, []*client.Txn{t}, opt); err == nil {
			good = append(good, t)
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return sqlmodel.Client(ctx, s.strict, good, opt)
}

// noteOf is a note as reports have it.
func noteOf(n stale.Note, t *analyzer.Trace) report.Apart {
	place := func(at ir.Pos) report.ApartPlace {
		s, _ := t.At(at)
		return report.ApartPlace{Position: witness.Position{File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col}, Function: s.Func}
	}
	lock := "its lock ended with that transaction"
	if read, _ := t.At(n.Read); read.Alone() {
		lock = "its lock ended with that statement, which is no transaction with others"
	}
	return apart.Of(n, t.Name, place(n.Write), place(n.Read), lock)
}
