package allocate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// cell says what is known of a transaction at a level, with the others as recommended.
func (a *allocator) cell(t *ir.Txn, l levels.Level) (*Cell, error) {
	of := maps.Clone(a.best)
	of[t] = l
	why, proved, err := a.proved(t, of)
	switch {
	case err != nil:
		return nil, err
	case proved:
		return &Cell{Answer: Proved, Why: why}, nil
	}
	f, err := a.finding(t, of)
	if err != nil {
		return nil, err
	}
	c := &Cell{Answer: Unknown, Why: why}
	if s := a.settled[t]; l == levels.ReadCommitted && s.Standing == readcommitted.Unsettled {
		at := position(s.Pos)
		c.Position = &at
	}
	if f == nil {
		return c, nil
	}
	finding := &Finding{Code: f.Code, Kind: string(f.Kind), Fingerprint: f.Fingerprint, Cycle: f.Cycle}
	text := fmt.Sprintf("%s: %s [%s]", f.Kind, strings.Join(f.Cycle, " -> "), f.Code)
	if at, ok := f.Pivot(); ok {
		c.Position = &at
	}
	c.Finding, c.Repairs = finding, f.Repairs
	if f.Status == report.Confirmed {
		c.Answer, c.Why = Anomaly, text
	} else {
		c.Why = "suspected " + text + ": " + f.Doubts[0].Text
	}
	return c, nil
}

// proved reports whether some levels are proved, which differ from the recommended ones in those
// of one transaction at the most, and why, or why not.
func (a *allocator) proved(t *ir.Txn, of map[*ir.Txn]levels.Level) (why string, ok bool, err error) {
	same := of[t] == a.best[t]
	s := a.settled[t]
	if of[t] == levels.ReadCommitted && s.Standing == readcommitted.Unsettled {
		return "it is not known that it does nothing else than at REPEATABLE READ: " + s.Reason, false, nil
	}
	onTop := a.atTop && !slices.ContainsFunc(a.p.Txns, func(t *ir.Txn) bool { return of[t] != levels.Serializable })
	switch {
	case same && a.how == nothing:
		return a.unproved(t), false, nil
	case onTop:
		return "all run at SERIALIZABLE", true, nil
	case same, a.how == onSnapshots, a.how == onCommits && !a.atomic(t):
		return a.reason(t, of[t]), true, nil
	case a.how == onCommits:
		rep, err := a.check(of, 0.2, true)
		if err != nil || rep.Verdict != report.Robust {
			return "its snapshot may be older than its locks there, and no proof was found", false, err
		}
		return a.reason(t, of[t]), true, nil
	case a.how == onRefusals:
		why, ok := a.refused(of)
		if ok {
			return a.reason(t, of[t]), true, nil
		}
		return why, false, nil
	}
	return a.unproved(t), false, nil
}

// refused reports whether SERIALIZABLE refuses every dangerous structure at some levels. Else it
// names one that it does not refuse.
func (a *allocator) refused(of map[*ir.Txn]levels.Level) (why string, ok bool) {
	pivots := a.pivots(of)
	a.structures.Find(a.ctx, pivots)
	for _, t := range pivots {
		if s, ok := a.structures.Protected(t, func(x *ir.Txn) bool { return of[x] == levels.Serializable }); !ok {
			return "no proof excludes that " + s + " overwrite each other's reads, which SERIALIZABLE refuses only if all of these run there", false
		}
	}
	return "", true
}

// reason says why a level is proved.
func (a *allocator) reason(t *ir.Txn, l levels.Level) string {
	switch {
	case l == levels.ReadCommitted && a.atomic(t):
		return "nobody changes what it has seen until it commits"
	case l == levels.ReadCommitted:
		return "it sees one snapshot"
	case l == levels.RepeatableRead && a.how == onRefusals:
		return "it is part of no dangerous structure"
	case a.how == onRefusals:
		return "SERIALIZABLE refuses the dangerous structures that it is part of"
	case a.how == onTop:
		return "all run at SERIALIZABLE"
	case a.how == onCommits:
		return "the transactions at READ COMMITTED do what they would do alone at their commits, and the rest is proved at REPEATABLE READ"
	}
	return "the program is proved at REPEATABLE READ"
}

// unproved says why nothing below SERIALIZABLE, or not even that, is proved of a transaction.
func (a *allocator) unproved(t *ir.Txn) string {
	for _, x := range a.there.Transactions {
		switch {
		case x.Name != t.Name:
		case x.Standing == codes.Undecided:
			return x.Why
		case x.Standing == codes.InFindings:
			return "an execution at REPEATABLE READ has no serial order"
		case a.untold != "":
			return "others have executions without a serial order, and " + a.untold
		}
	}
	return "no proof was found"
}

// finding is an execution without a serial order that some levels allow, in which one transaction
// takes part, or nil.
func (a *allocator) finding(t *ir.Txn, of map[*ir.Txn]levels.Level) (*report.Finding, error) {
	if a.ctx.Err() != nil {
		return nil, nil
	}
	if of[t] == levels.ReadCommitted {
		if a.atomic(t) {
			return nil, nil // where the others run at a stretch, it comes after them
		}
		ctx, cancel := a.share(0.1)
		defer cancel()
		return check.Interrupted(ctx, a.p, a.options(of), t)
	}
	var suspected *report.Finding
	for i := range a.there.Findings {
		f := &a.there.Findings[i]
		if !slices.Contains(f.Transactions(), t.Name) {
			continue
		}
		found := a.moved(of, f)
		if found == nil || found.Status != report.Confirmed {
			others, err := a.rotations(f)
			if err != nil {
				return nil, err
			}
			for k := range others {
				if g := a.moved(of, &others[k]); found == nil || g != nil && g.Status == report.Confirmed {
					found = g
				}
			}
		}
		if found != nil && found.Status == report.Confirmed {
			return found, nil
		}
		if suspected == nil {
			suspected = found
		}
	}
	return suspected, nil
}

// moved is an execution of snapshot isolation at some levels, or nil.
func (a *allocator) moved(of map[*ir.Txn]levels.Level, f *report.Finding) *report.Finding {
	return check.Moved(a.ctx, a.p, a.options(of), f)
}

// rotations are further executions along the cycle of a finding.
func (a *allocator) rotations(f *report.Finding) ([]report.Finding, error) {
	if list, is := a.rotated[f.Fingerprint]; is {
		return list, nil
	}
	ctx, cancel := a.share(0.1)
	defer cancel()
	list, err := check.Rotations(ctx, a.p, a.options(a.all(levels.RepeatableRead)), f)
	a.rotated[f.Fingerprint] = list
	return list, err
}
