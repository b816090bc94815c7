package follow

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Options say what to follow and how.
type Options struct {
	// Levels are those to judge, of those that Levels gives; all of them if empty.
	Levels []isolation.Level
	// Window is how many transactions are looked at together: DefaultWindow if it is 0.
	// At most three times as many are remembered, but for those of unknown outcome.
	Window int
	// Initial: the first transaction is the initial one if it writes nothing but initial values,
	// and is alone in its session (history.AllInitial).
	Initial bool
	// File is what the places of transactions are in.
	File history.File
	// Found, if not nil, is told what violates a level, as soon as it is found.
	Found func(Finding)
	// Lost, if not nil, is told of a level that it has become unknown, and why.
	Lost func(level isolation.Level, why string)
}

// DefaultWindow is how many transactions are looked at together.
const DefaultWindow = 4096

// Levels are those that can be followed, stronger ones first: each implies those after it.
func Levels() []isolation.Level {
	return []isolation.Level{isolation.SER, isolation.SI, isolation.CC, isolation.RA, isolation.RC}
}

// Judgement is what is known about a level.
type Judgement struct {
	Level   isolation.Level
	Verdict isolation.Verdict
	// Why says why the verdict is Unknown, or of Reject what no Finding says.
	Why string
}

// Judge follows one history.
type Judge struct {
	o      Options
	levels []*level // stronger ones first

	keys         []key
	keyIndex     map[history.Name]int32
	sessions     []session
	sessionIndex map[history.Name]int32
	initials     map[int32]history.Name

	// recent are the transactions that are remembered, in the order of the stream.
	recent  []*txn
	writers map[version]*writer
	seen    *seen
	seeds   [2]maphash.Seed
	// late are versions that were read and whose writers were not recorded for so long that
	// the readers are no longer waited for.
	late map[version]*txn

	// epoch counts the changes of where reads come from.
	epoch int64
	// oldest is Txn.Open of the last transaction.
	oldest int64

	// epoch counts the changes of where reads come from.
	seq, closings int64
	fresh         int // transactions since the last step
	unseen        int // transactions since the last look at all that is remembered
	told          map[string]int64
	ops           int64
	maybeInitial  int32 // the session of a first transaction that was taken for the initial one, -1 if there is none
	violations    map[isolation.Anomaly]int
	forgot        bool // some transaction is not remembered, or is not what it looked like
}

// level is what is known about a level so far.
type level struct {
	level    isolation.Level
	rejected bool
	lost     string           // why it is unknown, if it is
	reads    map[version]bool // that the first violation depends on
	// revoked: a violation that was found may be none.
	revoked bool
}

// New gives a judge of a history of which nothing is recorded yet.
func New(o Options) *Judge {
	o.Window = max(2, cmp.Or(o.Window, DefaultWindow))
	j := &Judge{o: o, keyIndex: map[history.Name]int32{}, sessionIndex: map[history.Name]int32{}, initials: map[int32]history.Name{},
		writers: map[version]*writer{}, seen: newSeen(), seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, late: map[version]*txn{}, told: map[string]int64{}, maybeInitial: -1, violations: map[isolation.Anomaly]int{}}
	for _, l := range Levels() {
		if len(o.Levels) == 0 || slices.Contains(o.Levels, l) {
			j.levels = append(j.levels, &level{level: l})
		}
	}
	return j
}

// Txns and Ops are how many transactions and operations there were.
func (j *Judge) Txns() int64 { return j.seq }
func (j *Judge) Ops() int64  { return j.ops }

// SetInitial says what a key held before everything else. It must come before the first
// transaction.
func (j *Judge) SetInitial(key, value history.Name) error {
	if j.seq > 0 {
		return fmt.Errorf("the initial value of %s comes after a transaction; check the whole file without -follow", key)
	}
	j.initials[j.keyOf(key)] = value
	return nil
}

// Add takes the next transaction. The error says what cannot be followed, or is that of the
// context or of a checker.
func (j *Judge) Add(ctx context.Context, in Txn) error {
	if j.o.Initial && j.seq == 0 && j.looksInitial(in) {
		j.maybeInitial = j.sessionOf(in.Session)
		return nil
	}
	t, err := j.take(in)
	if err != nil {
		return err
	}
	if t.session == j.maybeInitial {
		j.maybeInitial, j.forgot = -1, true
		j.revokeAll("the first transaction, which writes initial values only, is not alone in its session")
	}
	j.epoch++
	j.oldest = in.Open
	j.recent = append(j.recent, t)
	j.ops += int64(len(t.ops))
	for i := range t.ops {
		if o := &t.ops[i]; o.writes() {
			j.write(t, i)
		}
	}
	j.fresh++
	j.unseen++
	if j.fresh >= max(1, j.o.Window/4) {
		return j.step(ctx)
	}
	return nil
}

// looksInitial tells whether a transaction writes nothing but initial values: as the first of
// a history, alone in its session, it is the initial one (history.TakeInitial).
func (j *Judge) looksInitial(in Txn) bool {
	for _, o := range in.Ops {
		if o.Kind != history.Write || o.Value.Kind != history.NilName {
			return false
		}
	}
	return in.Status == history.Committed && len(in.Ops) > 0 && j.maybeInitial < 0
}

// write takes a write of a transaction.
func (j *Judge) write(t *txn, at int) {
	o := &t.ops[at]
	v := version{o.key, o.value}
	w := j.writers[v]
	if w == nil {
		w = &writer{}
		j.writers[v] = w
	}
	w.txn, w.op = t, int32(at)
	w.count++
	for _, l := range j.levels {
		if l.reads[v] {
			j.revoke(l, fmt.Sprintf("the value %s of %s, on which a violation depends, was written again by transaction %d (%s)", o.value, j.keys[o.key].name, t.seq, j.where(t)))
		}
	}
	if by := j.late[v]; by != nil {
		delete(j.late, v)
		j.loseAll("transaction %d (%s) read the value %s of %s, which was recorded more than %d transactions later; a larger -window may decide", by.seq, j.where(by), o.value, j.keys[o.key].name, j.o.Window)
	}
	if o.kind == history.Append && j.seen.has(v) {
		for _, u := range j.recent {
			for i := range u.ops {
				if r := &u.ops[i]; r.key == o.key && r.cut > 0 {
					r.doubted = true
				}
			}
		}
	}
}

// open gives the transactions that are not closed.
func (j *Judge) open() []*txn {
	var out []*txn
	for _, t := range j.recent {
		if !t.closed {
			out = append(out, t)
		}
	}
	return out
}

// following gives the levels of which it is not known that they do not hold, stronger ones
// first.
func (j *Judge) following() []*level {
	return slices.DeleteFunc(slices.Clone(j.levels), func(l *level) bool { return l.rejected || l.lost != "" })
}

// step judges what came since the last step, and closes and forgets what is old.
func (j *Judge) step(ctx context.Context) error {
	j.fresh = 0
	live := j.open()
	order, err := j.judge(ctx, live, false)
	if err != nil || ctx.Err() != nil {
		return cmp.Or(err, ctx.Err())
	}
	if len(j.following()) == 0 {
		order = live // the order of the past does not matter any more
		for _, t := range live[:max(0, len(live)-j.o.Window/2)] {
			j.close(t, false, nil)
		}
	} else {
		if err := j.giveUp(live); err != nil {
			return err
		}
		j.closePast(order, live, j.keep(live))
		if left := len(j.open()); left > 2*j.o.Window {
			j.loseAll("%d transactions could not be put in order one after the other; a larger -window may decide", left)
		}
	}
	if j.unseen >= j.o.Window/2 && len(j.following()) < len(j.levels) {
		if err := j.look(ctx, j.levels, false); err != nil {
			return err
		}
	}
	j.forget(j.o.Window)
	return nil
}

// keep is how many of the open transactions stay open: half a window, and up to a whole one of
// those that ended since the oldest transaction began that goes on, for it may read what they
// overwrote.
func (j *Judge) keep(live []*txn) int {
	keep := j.o.Window / 2
	if j.oldest == 0 {
		return keep
	}
	since := 0
	for _, t := range live {
		if t.seq > j.oldest {
			since++
		}
	}
	return min(since+keep, 3*j.o.Window/2)
}

// giveUp no longer waits for the writers of what old transactions read.
func (j *Judge) giveUp(live []*txn) error {
	for _, t := range live {
		if j.seq-t.seq < int64(j.o.Window) {
			break
		}
		for i := range t.ops {
			if t.ops[i].writes() || t.status != history.Committed {
				continue
			}
			s := j.sourceOf(t, i)
			if s.origin != fromPending {
				continue
			}
			o := &t.ops[i]
			values := []history.Name{o.value}
			if j.keys[o.key].kind == history.List {
				values = s.elements
			}
			if slices.ContainsFunc(values, func(e history.Name) bool { return j.seen.has(version{o.key, e}) }) {
				j.loseAll("transaction %d (%s) read a version of %s that is not remembered, or that was not recorded within %d transactions; a larger -window may decide", t.seq, j.where(t), j.keys[o.key].name, j.o.Window)
				continue
			}
			for _, e := range values {
				if v := (version{o.key, e}); j.writers[v] == nil && len(j.late) < j.o.Window {
					j.late[v] = t
				}
			}
			j.loseAll("transaction %d (%s) read a value of %s that nobody wrote within %d transactions", t.seq, j.where(t), j.keys[o.key].name, j.o.Window)
		}
	}
	return nil
}

// Idle judges what was recorded so far, because nothing comes at the moment. It changes no
// answer.
func (j *Judge) Idle(ctx context.Context) error {
	if j.fresh == 0 {
		return nil
	}
	_, err := j.judge(ctx, j.open(), true)
	return err
}

// End gives what is known about the levels. If complete is set, nothing follows: what was read
// and never written came out of thin air.
func (j *Judge) End(ctx context.Context, complete bool) ([]Judgement, error) {
	live := j.open()
	if _, err := j.judge(ctx, live, false); err != nil {
		return nil, err
	}
	pending := ""
	for _, t := range j.effective(live) {
		for i := range t.ops {
			if t.ops[i].writes() || pending != "" {
				continue
			}
			if j.sourceOf(t, i).origin == fromPending {
				pending = fmt.Sprintf("transaction %d (%s) read a value of %s that was not written so far", t.seq, j.where(t), j.keys[t.ops[i].key].name)
			}
		}
	}
	if (pending != "" || j.unseen > 0 && len(j.following()) < len(j.levels)) && ctx.Err() == nil {
		if err := j.look(ctx, j.levels, complete); err != nil {
			return nil, err
		}
	}
	nowhere := ""
	if complete {
		nowhere = j.outOfThinAir()
		if !j.forgot && ctx.Err() == nil {
			if err := j.whole(ctx); err != nil {
				return nil, err
			}
		}
	}
	var out []Judgement
	for _, l := range j.levels {
		g := Judgement{Level: l.level}
		switch {
		case l.rejected:
			g.Verdict, g.Why = isolation.Reject, sentence(nowhere)
		case l.lost != "":
			g.Why = l.lost
		case ctx.Err() != nil:
			g.Why = judge.Ended(ctx)
		case pending != "":
			g.Why = sentence(pending)
		default:
			g.Verdict = isolation.Accept
		}
		out = append(out, g)
	}
	return out, nil
}

// whole decides what is open of a complete history that is remembered as a whole.
func (j *Judge) whole(ctx context.Context) error {
	open := slices.DeleteFunc(slices.Clone(j.levels), func(l *level) bool { return l.lost == "" || l.rejected })
	if len(open) == 0 {
		return nil
	}
	p, err := j.remembered(true, false)
	if err != nil {
		return fmt.Errorf("what is followed is no history: %w", err)
	}
	r, err := judge.Check(ctx, p.h, judge.Options{Levels: names(open)})
	if err != nil {
		return err
	}
	for _, l := range open {
		switch r.Judgement(l.level).Verdict {
		case isolation.Accept:
			l.lost = ""
		case isolation.Reject:
			l.rejected, l.lost = true, ""
		}
	}
	for _, a := range r.Anomalies {
		j.tell(p, a)
	}
	return nil
}

// judge looks whether the levels that are followed still hold, and gives an order of the open
// transactions for all that do. If peek is set, only violations count.
func (j *Judge) judge(ctx context.Context, live []*txn, peek bool) (order []*txn, err error) {
	levels := j.following()
	if len(levels) == 0 {
		return nil, nil
	}
	for i, l := range levels {
		order, ok := j.arrange(live, l.level)
		if !ok {
			continue
		}
		if i == 0 {
			return order, nil
		}
		stronger, err := j.ask(ctx, live, levels[:i], peek)
		if stronger != nil {
			order = stronger
		}
		return order, err
	}
	return j.ask(ctx, live, levels, peek)
}

// arrange looks for an order of the open transactions for a level.
func (j *Judge) arrange(live []*txn, l isolation.Level) ([]*txn, bool) {
	switch l {
	case isolation.SER, isolation.SI:
		return j.schedule(live, l == isolation.SI)
	}
	return j.weak(live, l)
}

// ask asks the checkers about levels for which no order was found by itself: first about what
// follows the closed past, and where that is no help about all that is remembered. It gives the
// order for the strongest level that holds.
func (j *Judge) ask(ctx context.Context, live []*txn, levels []*level, peek bool) (order []*txn, err error) {
	var open []*level
	p, ok, err := j.afterPast(live, slices.ContainsFunc(levels, func(l *level) bool { return l.level.Implies(isolation.SI) }))
	if err != nil {
		return nil, fmt.Errorf("what is followed is no history: %w", err)
	}
	accepted := false
	whys := map[*level]string{}
	if ok {
		r, err := judge.Check(ctx, p.h, judge.Options{Levels: names(levels)})
		if err != nil || ctx.Err() != nil {
			return nil, cmp.Or(err, ctx.Err())
		}
		for _, l := range levels {
			g := r.Judgement(l.level)
			switch {
			case accepted || g.Verdict == isolation.Accept && (len(g.Order) > 0 || len(live) == 0):
				if !accepted {
					order = p.ordered(g.Order)
				}
				accepted = true
			case g.Verdict == isolation.Accept:
				accepted = true // for now: nothing can be closed
			default:
				if g.Verdict == isolation.Unknown {
					whys[l] = g.Why
				}
				open = append(open, l)
			}
		}
	} else {
		open = levels
	}
	if len(open) == 0 {
		return order, nil
	}
	if err := j.look(ctx, open, false); err != nil || peek {
		return order, err
	}
	for _, l := range open {
		if !l.rejected && l.lost == "" {
			j.lose(l, cmp.Or(whys[l], "what the transactions read cannot be explained after the order in which older ones were put, and older ones are forgotten; a larger -window may decide"))
		}
	}
	return order, nil
}

func names(levels []*level) []isolation.Level {
	var out []isolation.Level
	for _, l := range levels {
		out = append(out, l.level)
	}
	return out
}

// ordered gives the transactions of an order.
func (p *part) ordered(order []history.Txn) []*txn {
	var out []*txn
	for _, t := range order {
		if p.txns[t] != nil {
			out = append(out, p.txns[t])
		}
	}
	return out
}

// where says where a transaction was recorded.
func (j *Judge) where(t *txn) string {
	if j.o.File.Binary {
		return fmt.Sprintf("byte %d", t.place-1)
	}
	return fmt.Sprintf("line %d", t.place)
}
