package absint

import (
	"maps"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
)

// attempts is the work on a loop in which the transaction begins: a round of it may come after one in
// which a call failed. Those rounds are no part of what is written, where commands succeed. So the
// body is interpreted once more with calls that may fail, only for what it changes.
type attempts struct {
	// inside says that the transaction may begin in the loop, and failures are not looked at yet;
	// before that it has begun somewhere in front of the loop.
	inside, before bool
	failed         bool // failures were looked at
	// phase, levels and anyLevel are what was known before.
	phase    memory.Phase
	levels   []string
	anyLevel bool
	sent     map[*memory.Rows]bool
}

// newAttempts is called in front of a loop.
func (in *interp) newAttempts() *attempts {
	a := &attempts{inside: in.St.Phase == memory.Idle && !in.Failing, before: in.Begun}
	in.Begun = false
	return a
}

// next is called when a loop is known to change no more. It reports whether the loop is to
// be interpreted again: with failures, or without them when these were looked at.
func (a *attempts) next(in *interp, l *changes) bool {
	if !a.inside || !in.Begun || a.failed && !in.Failing {
		return false
	}
	if !a.failed {
		a.failed, in.Failing = true, true
		a.levels, a.anyLevel, a.phase, a.sent = in.Levels, in.AnyLevel, l.phase, maps.Clone(l.sent)
		return true
	}
	in.Failing = false
	in.Levels, in.AnyLevel, l.phase, l.sent = a.levels, a.anyLevel, a.phase, a.sent
	return true
}

// over says that the work on the loop is done.
func (a *attempts) over(in *interp) { in.Begun = in.Begun || a.before }

// vary says at the end of a loop, where control does not come, that its variables change: the
// transaction begins in any of its rounds.
func (a *attempts) vary(s *client.Loop, slots []*slot) {
	if !a.failed {
		return
	}
	for _, slot := range slots {
		for _, v := range []string{slot.v, slot.n} {
			if v != "" {
				s.Body = append(s.Body, &client.Havoc{At: s.At, Var: v})
			}
		}
	}
}
