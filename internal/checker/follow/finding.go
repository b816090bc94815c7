package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Finding is a violation, with the part of the history that shows it.
type Finding struct {
	judge.Anomaly
	History *history.History
	// At is how many transactions were recorded when it was found.
	At int64
}

// look asks the checkers about all that is remembered. What violates a level there violates it
// in the whole history.
func (j *Judge) look(ctx context.Context, levels []*level, complete bool) error {
	j.unseen = 0
	n := 0
	for n < len(levels) && levels[n].level.Implies(isolation.SI) {
		n++
	}
	if !slices.ContainsFunc(j.keys, func(k key) bool { return k.kind == history.List }) {
		n = 0 // all levels at once
	}
	for i, some := range [][]*level{levels[:n], levels[n:]} {
		if len(some) == 0 {
			continue
		}
		if err := j.lookFor(ctx, some, complete, i == 1); err != nil {
			return err
		}
	}
	for i, l := range j.levels {
		if weaker := j.levels[i:]; !l.rejected && !l.revoked {
			at := slices.IndexFunc(weaker, func(w *level) bool { return w.rejected })
			if at >= 0 {
				l.rejected, l.lost, l.reads = true, "", weaker[at].reads
			}
		}
	}
	return nil
}

func (j *Judge) lookFor(ctx context.Context, levels []*level, complete, versions bool) error {
	p, err := j.remembered(complete, versions)
	if err != nil {
		return fmt.Errorf("what is followed is no history: %w", err)
	}
	r, err := judge.Check(ctx, p.h, judge.Options{Levels: names(levels)})
	if err != nil {
		return err
	}
	for _, l := range levels {
		if r.Judgement(l.level).Verdict != isolation.Reject || l.rejected || l.revoked {
			continue
		}
		l.rejected, l.lost, l.reads = true, "", p.reads
	}
	for _, a := range r.Anomalies {
		j.tell(p, a)
	}
	return nil
}

// tell tells of a violation unless it did before.
func (j *Judge) tell(p *part, a judge.Anomaly) {
	var who []int64
	for _, t := range a.Txns {
		if p.txns[t] != nil {
			who = append(who, p.txns[t].seq)
		}
	}
	slices.Sort(who)
	id := fmt.Sprint(who)
	if len(who) == 0 {
		return
	}
	if _, ok := j.told[id]; ok {
		return
	}
	for old, last := range j.told {
		if last < j.recent[0].seq {
			delete(j.told, old) // some of them are forgotten
		}
	}
	j.told[id] = who[0]
	j.violations[a.Kind]++
	if j.o.Found != nil {
		j.o.Found(Finding{a, p.h, j.seq})
	}
}

// Violations counts the violations by their kind.
func (j *Judge) Violations() map[isolation.Anomaly]int { return j.violations }

// lose makes a level unknown.
func (j *Judge) lose(l *level, why string) {
	if l.rejected || l.lost != "" {
		return
	}
	l.lost = sentence(why)
	if j.o.Lost != nil {
		j.o.Lost(l.level, l.lost)
	}
}

func (j *Judge) loseAll(format string, args ...any) {
	for _, l := range j.levels {
		j.lose(l, fmt.Sprintf(format, args...))
	}
}

// revoke makes a level unknown of which a violation was found, for it may be none.
func (j *Judge) revoke(l *level, why string) {
	l.rejected, l.reads, l.revoked = false, nil, true
	j.lose(l, why)
}

func (j *Judge) revokeAll(why string) {
	for _, l := range j.levels {
		j.revoke(l, why)
	}
}

// outOfThinAir rejects all levels if a version was read, long ago, that nobody wrote at all. It
// says what it was.
func (j *Judge) outOfThinAir() (why string) {
	first := int64(-1)
	for v, t := range j.late {
		if first < 0 || t.seq < first {
			first = t.seq
			why = fmt.Sprintf("transaction %d (%s) read the value %s of %s, which nobody wrote", t.seq, j.where(t), v.value, j.keys[v.key].name)
		}
	}
	for _, l := range j.levels {
		if why != "" && !l.revoked {
			l.rejected, l.lost = true, ""
		}
	}
	return why
}

// sentence makes a sentence of words.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
