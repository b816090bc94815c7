package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// maxRest bounds how many programs without some transactions are checked.
const maxRest = 32

// suppressor takes the accepted findings out of a report.
type suppressor struct {
	ctx  context.Context
	p    *ir.Program
	opt  Options
	rep  *report.Report
	used map[*ir.Ignore]bool
	// left are the sets of transactions to check the program without, seen those
	// that were checked or will be.
	left   [][]string
	seen   map[string]bool
	faults []error
}

// suppress moves the findings of a report that are accepted, and goes on with
// what is left of the program. The error is one of a comment that accepts
// nothing. faults are those of this program, before and now.
func suppress(ctx context.Context, p *ir.Program, opt Options, rep *report.Report, before []error) (faults []error, err error) {
	s := &suppressor{ctx: ctx, p: p, opt: opt, rep: rep, used: map[*ir.Ignore]bool{}, seen: map[string]bool{}, faults: before}
	err = s.suppress()
	return s.faults, err
}

func (s *suppressor) suppress() error {
	rep := s.rep
	s.opt.Explain, s.opt.Graph, s.opt.Keep = false, false, nil
	s.acceptApart()
	found := rep.Findings
	rep.Findings = []report.Finding{}
	s.sort(found, nil)
	if c := rep.ReadCommitted; c != nil {
		n := len(c.Findings)
		c.Findings = slices.DeleteFunc(c.Findings, func(f report.Finding) bool { by, _ := s.accepted(&f); return by != nil })
		c.Accepted = n - len(c.Findings)
	}
	if len(rep.Suppressed) > 0 && len(rep.Findings) == 0 {
		rep.Open = nil // what Options.All left open is asked again, of the rest
	}
	decided, err := s.rest()
	if err != nil {
		return err
	}
	if atCommitted(rep) && decided && len(rep.Suppressed) > 0 && len(rep.Findings) == 0 {
		// Each pair of transactions has one finding: there may be others of it.
		decided = false
		rep.Open = &report.Open{Cycles: [][]string{}, Settle: []string{},
			Reason: "READ COMMITTED is refuted, not proved, and what else is wrong with the transactions of the findings that are suppressed was not searched"}
	}
	if len(rep.Suppressed) > 0 {
		switch {
		case len(rep.Confirmed()) > 0:
			rep.Rest = report.NotRobust
		case decided && len(rep.Findings) == 0:
			rep.Rest = report.Robust
		default:
			rep.Rest = report.Unknown
		}
	}
	if !decided || len(rep.Findings) > 0 || rep.Verdict == report.Unknown || len(s.faults) > 0 {
		return nil // what is stale is not known
	}
	return s.stale()
}

// acceptApart finds the comments that accept notes about what is not in one
// transaction.
func (s *suppressor) acceptApart() {
	for i := range s.rep.Apart {
		for _, g := range s.p.Ignores {
			if findings.Accept(&s.rep.Apart[i], g) {
				s.used[g] = true
				break
			}
		}
	}
}

// sort puts findings of the program without some transactions where they belong.
// Those that are accepted say what to check next.
func (s *suppressor) sort(found []report.Finding, without []string) {
	for _, f := range found {
		by, next := s.accepted(&f)
		if by == nil {
			s.rep.Findings = append(s.rep.Findings, f)
			continue
		}
		by.Finding = f
		if !slices.ContainsFunc(s.rep.Suppressed, func(o report.Suppressed) bool { return o.Finding.Fingerprint == f.Fingerprint }) {
			s.rep.Suppressed = append(s.rep.Suppressed, *by)
		}
		for _, names := range next {
			set := slices.Concat(without, names)
			slices.Sort(set)
			set = slices.Compact(set)
			if key := strings.Join(set, "\n"); !s.seen[key] {
				s.seen[key] = true
				s.left = append(s.left, set)
			}
		}
	}
}

// accepted says what accepts a finding, or gives nil, and which transactions the
// program is to be checked without then. Where a comment accepts everything about
// a transaction, that is this one. Otherwise other findings about the same
// transactions count: they do without one of them, since the search looks for
// executions that need all of theirs.
func (s *suppressor) accepted(f *report.Finding) (by *report.Suppressed, next [][]string) {
	for _, g := range s.p.Ignores {
		in := findings.In(f, g.Covers)
		if len(in) == 0 || !codes.Accepts(g.Code, f.Code) {
			continue
		}
		s.used[g] = true
		if by == nil {
			by = &report.Suppressed{By: codes.ByComment, Reason: g.Reason, Position: witness.Position{File: g.Pos.File, Line: g.Pos.Line, Col: g.Pos.Col}}
			if declared := declared(f, g.Covers); g.Code == "" && len(declared) > 0 {
				next = [][]string{declared}
			}
		}
	}
	if by == nil && s.opt.Baseline.Has(f) {
		by = &report.Suppressed{By: codes.ByBaseline, Position: witness.Position{File: s.opt.Baseline.File}}
	}
	if by != nil && next == nil {
		for _, name := range f.Transactions() {
			next = append(next, []string{name})
		}
	}
	return by, next
}

// declared gives the transactions of a finding that a part of the source declares.
func declared(f *report.Finding, covers func(ir.Pos) bool) []string {
	var out []string
	for _, t := range f.Witness.Transactions {
		if covers(ir.Pos{File: t.Position.File, Line: t.Position.Line, Col: t.Position.Col}) && !slices.Contains(out, t.Name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// rest checks what is left of the program, until there is a finding that is not
// accepted. decided says that there is no other one.
func (s *suppressor) rest() (decided bool, err error) {
	decided = true
	open := func(o *report.Open) {
		decided = false
		if s.rep.Open == nil {
			s.rep.Open = o
		}
	}
	for checked := 0; len(s.left) > 0 && len(s.rep.Confirmed()) == 0; checked++ {
		without := s.left[0]
		s.left = s.left[1:]
		if checked == maxRest {
			open(&report.Open{Reason: fmt.Sprintf("there is more to check beside the findings that are suppressed than %d programs without their transactions", maxRest),
				Cycles: [][]string{}, Settle: []string{"repairing some of these findings"}})
			break
		}
		q := withoutTxns(s.p, without)
		if len(q.Txns) == 0 {
			continue
		}
		c := newCheck(s.ctx, q, s.opt)
		r, err := c.all()
		s.faults = append(s.faults, c.faults...)
		if err != nil {
			return false, err
		}
		s.rep.Refused = append(s.rep.Refused, r.Refused...)
		s.rep.Stats.Queries += r.Stats.Queries
		s.rep.Stats.SolverMS += r.Stats.SolverMS
		s.rep.Stats.TotalMS += r.Stats.TotalMS
		s.rep.Stats.States += r.Stats.States
		switch r.Verdict {
		case report.Robust:
		case report.Unknown:
			r.Open.Reason = "without " + strings.Join(without, ", ") + ": " + r.Open.Reason
			open(r.Open)
		case report.NotRobust:
			s.sort(r.Findings, without)
		default:
			panic("check: unknown verdict " + string(r.Verdict))
		}
	}
	return decided, nil
}

// withoutTxns is a program without some of its transactions.
func withoutTxns(p *ir.Program, names []string) *ir.Program {
	gone := func(t *ir.Txn) bool { return slices.Contains(names, t.Name) }
	q := *p
	q.Txns = slices.DeleteFunc(slices.Clone(p.Txns), gone)
	q.Processes = nil
	for _, pr := range p.Processes {
		c := *pr
		if c.Txns = slices.DeleteFunc(slices.Clone(pr.Txns), gone); len(c.Txns) > 0 {
			q.Processes = append(q.Processes, &c)
		}
	}
	return &q
}

// stale finds comments and entries of the baseline that accept nothing. They count
// where the program has something.
func (s *suppressor) stale() error {
	for _, g := range s.p.Ignores {
		if c, ok := codes.ByID(g.Code); ok && !c.Finding() && s.opt.Apart == nil {
			continue // what it accepts was not looked for
		}
		if s.searched(g) && !s.used[g] && slices.ContainsFunc(s.p.Txns, func(t *ir.Txn) bool { return inPart(t, g) }) {
			return ir.Errorf(g.Pos, "this ignores nothing: no finding%s has a statement here that is not ignored already; remove the comment", withCode(g))
		}
	}
	if s.opt.Baseline == nil {
		return nil
	}
	for _, e := range s.opt.Baseline.Entries {
		if !slices.ContainsFunc(s.rep.Suppressed, func(f report.Suppressed) bool { return f.Finding.Fingerprint == e.Fingerprint }) {
			s.rep.Stale = append(s.rep.Stale, e)
		}
	}
	return nil
}

// searched reports whether what a comment accepts was looked for: what is wrong at
// READ COMMITTED only is not always, and nothing is where SERIALIZABLE keeps all apart.
func (s *suppressor) searched(g *ir.Ignore) bool {
	if codes.AtCommitted(g.Code) {
		return s.rep.ReadCommitted != nil
	}
	at := levelsOf(s.p, s.opt)
	return at == nil || slices.ContainsFunc(s.p.Txns, func(t *ir.Txn) bool { return at[t].Level != levels.Serializable && inPart(t, g) })
}

func withCode(g *ir.Ignore) string {
	if g.Code == "" {
		return ""
	}
	return " " + g.Code
}

// inPart reports whether a transaction has to do with the part of an Ignore.
func inPart(t *ir.Txn, g *ir.Ignore) bool {
	in := g.Covers(t.Pos)
	ir.Walk(t.Body, func(s ir.Stmt) { in = in || g.Covers(s.Position()) })
	return in
}

// knownCodes makes sure that comments name codes that there are.
func knownCodes(p *ir.Program) error {
	for _, g := range p.Ignores {
		if g.Code == "" {
			continue
		}
		if c, ok := codes.ByID(g.Code); !ok || !c.Accepted() {
			return ir.Errorf(g.Pos, "%s is no code of a finding; robust help codes lists them", g.Code)
		}
	}
	return nil
}
