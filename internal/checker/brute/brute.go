package brute

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// MaxTxns is how many transactions of known or unknown outcome a history may have.
const MaxTxns = 12

// Options say what to check.
type Options struct {
	// Levels are those to decide; all that are defined here if empty.
	Levels []isolation.Level
}

// Levels are those that are defined here, weaker ones first.
func Levels() []isolation.Level {
	return []isolation.Level{
		isolation.PL2, isolation.PL2L, isolation.PL2Plus, isolation.PL299, isolation.PLSI, isolation.PL3, isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SI, isolation.SER,
		isolation.GSI, isolation.SSSI, isolation.StrongSI, isolation.SSER,
	}
}

// model is a level as a definition.
type model struct {
	// axiom tells what a read sees, for the weak levels; nil for the others.
	axiom visibility
	// The commit order contains the session order, or the real-time order.
	sessions, realTime bool
	// The snapshot contains all that precede in real time, or that commit before.
	recent, serial bool
	// Concurrent transactions do not write one key.
	exclusive bool
	// Adya's levels have version orders, and no commit order.
	versions bool
	excludes phenomenon
}

func modelOf(l isolation.Level) (m model, ok bool) {
	switch l {
	case isolation.PL2:
		return model{versions: true}, true
	case isolation.PL2L:
		return model{versions: true, excludes: gMonotonic}, true
	case isolation.PL2Plus:
		return model{versions: true, excludes: gSingle}, true
	case isolation.PL299:
		return model{versions: true, excludes: g2Item}, true
	case isolation.RC:
		return model{axiom: readCommitted, sessions: true}, true
	case isolation.RA:
		return model{axiom: readAtomic, sessions: true}, true
	case isolation.CC:
		return model{axiom: causal, sessions: true}, true
	case isolation.PC:
		return model{sessions: true}, true
	case isolation.SI:
		return model{sessions: true, exclusive: true}, true
	case isolation.SER:
		return model{sessions: true, serial: true}, true
	case isolation.PLSI:
		return model{exclusive: true}, true
	case isolation.PL3:
		return model{serial: true}, true
	case isolation.GSI:
		return model{realTime: true, exclusive: true}, true
	case isolation.SSSI:
		return model{sessions: true, realTime: true, exclusive: true}, true
	case isolation.StrongSI:
		return model{sessions: true, realTime: true, exclusive: true, recent: true}, true
	case isolation.SSER:
		return model{sessions: true, realTime: true, serial: true}, true
	}
	return model{}, false
}

// Check decides levels of a history by their definitions. The error is that of
// the context.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	levels := o.Levels
	if len(levels) == 0 {
		levels = Levels()
	}
	r := &checker.Result{}
	for _, l := range levels {
		a := checker.Answer{Level: l}
		m, ok := modelOf(l)
		n := 0
		for t := range history.Txn(h.NumTxns()) {
			if h.Status(t) != history.Aborted && t != history.InitialTxn {
				n++
			}
		}
		switch {
		case !ok:
			a.Why = fmt.Sprintf("%s has no definition here.", l)
		case n > MaxTxns:
			a.Why = fmt.Sprintf("The history has %d transactions, and %d are the most that this checker tries.", n, MaxTxns)
		default:
			s := &search{ctx: ctx, h: h, model: m}
			s.sides()
			if key, unknown := s.unknownState(); unknown {
				a.Why = fmt.Sprintf("It is not known what %s was initially.", h.KeyName(key))
				break
			}
			a.Verdict = checker.Violated
			if order, ok := s.outcomes(); ok {
				a.Verdict, a.Order = checker.Satisfied, order
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Answers = append(r.Answers, a)
	}
	return r, nil
}

// search looks for a commit order of one model.
type search struct {
	ctx context.Context
	h   *history.History
	model
	committed, unknown []history.Txn // without the initial one
	// free are the keys whose initial value is not known, and initial is what is
	// tried for it.
	free    []history.Key
	initial map[history.Key]history.Value
	// fixed is the only commit order to try, if there is one.
	fixed []history.Txn

	// Of the outcome that is tried.
	txns  []history.Txn
	reads map[history.Txn][]observation
}

func (s *search) sides() {
	h := s.h
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		switch h.Status(t) {
		case history.Committed:
			s.committed = append(s.committed, t)
		case history.Unknown:
			s.unknown = append(s.unknown, t)
		}
	}
	s.initial = map[history.Key]history.Value{}
	for k := range history.Key(h.NumKeys()) {
		if h.Value(history.Op(k)) == history.NoValue {
			s.free = append(s.free, k)
		}
	}
}

func (s *search) unknownState() (history.Key, bool) {
	for _, k := range s.free {
		if t := s.h.Type(k); t != history.Register && t != history.Untyped {
			return k, true
		}
	}
	return 0, false
}

// outcomes tries all outcomes of the unknown transactions and all initial values
// that are not known.
func (s *search) outcomes() ([]history.Txn, bool) {
	for set := range 1 << len(s.unknown) {
		s.txns = append([]history.Txn(nil), s.committed...)
		for i, t := range s.unknown {
			if set>>i&1 != 0 {
				s.txns = append(s.txns, t)
			}
		}
		if order, ok := s.initials(s.free); ok {
			return order, true
		}
	}
	return nil, false
}

func (s *search) initials(free []history.Key) ([]history.Txn, bool) {
	if s.ctx.Err() != nil {
		return nil, false
	}
	if len(free) > 0 {
		k := free[0]
		for _, v := range append(s.valuesOf(k), history.NoValue) { // NoValue equals nothing that is read
			s.initial[k] = v
			if order, ok := s.initials(free[1:]); ok {
				return order, true
			}
		}
		return nil, false
	}
	if !s.observe() {
		return nil, false
	}
	switch {
	case s.versions:
		return s.adya()
	case s.axiom != nil:
		return s.sources()
	}
	return s.snapshots()
}

// valuesOf gives the values that are read of a register.
func (s *search) valuesOf(k history.Key) []history.Value {
	h := s.h
	var out []history.Value
	for o := range history.Op(h.NumOps()) {
		switch {
		case !h.Known(o):
		case h.Kind(o) == history.Read && h.Key(o) == k:
			out = append(out, h.Value(o))
		case h.Kind(o) == history.ReadRange:
			r := h.Range(o)
			for i, l := range r.LiveKeys {
				if l == k {
					out = append(out, r.LiveValues[i])
				}
			}
			for i, d := range r.DeadKeys {
				if d == k {
					out = append(out, r.DeadRows[i])
				}
			}
		}
	}
	return out
}

// before gives the transactions that have to be before t in any commit order, by
// sessions and real time.
func (s *search) before(t history.Txn) []history.Txn {
	var out []history.Txn
	for _, u := range s.txns {
		if u != t && (s.sessions && s.inSession(u, t) || s.realTime && s.h.Precedes(u, t)) {
			out = append(out, u)
		}
	}
	return out
}

// inSession tells whether t follows u in its session.
func (s *search) inSession(u, t history.Txn) bool {
	return s.h.SessionOf(u) == s.h.SessionOf(t) && s.h.Position(u) < s.h.Position(t)
}

// Verify makes sure of a witness: that a level holds with just this commit order
// of the transactions that took effect, without the initial one. The error says
// that it does not, or that the level has no definition here.
func Verify(h *history.History, l isolation.Level, order []history.Txn) error {
	m, ok := modelOf(l)
	if !ok {
		return fmt.Errorf("%s has no definition here", l)
	}
	for i, t := range order {
		if i > 0 && slices.Contains(order[:i], t) || h.Status(t) == history.Aborted || t == history.InitialTxn {
			return fmt.Errorf("transaction %d is twice or did not commit", t)
		}
	}
	s := &search{ctx: context.Background(), h: h, model: m, fixed: order}
	s.sides()
	for _, t := range s.committed {
		if !slices.Contains(order, t) {
			return fmt.Errorf("transaction %d is missing", t)
		}
	}
	s.txns = order
	if _, ok := s.initials(s.free); !ok {
		return fmt.Errorf("the commit order does not fit %s", l)
	}
	return nil
}
