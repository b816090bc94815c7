package compare

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/sqlgen"
	"github.com/txrobust/robust/internal/witness"
)

// AppsTally counts what became of whole applications.
type AppsTally struct {
	// Verdicts counts the verdicts, Unknown the reasons of those that are unknown.
	Verdicts, Unknown map[string]int
	// Replays counts what the server did with findings, suspected ones apart, and NotRun
	// why it was not asked.
	Replays, NotRun map[string]int
	// Tried counts the executions that were compared, and Concurrent those in which
	// transactions overlapped and more than one committed.
	Tried, Concurrent int
	// Checks is the time of the checks without Replaying, that of the replays.
	Checks, Replaying, Executing time.Duration
}

// NewApps checks applications with the sessions of p, and replays findings on a server.
func NewApps(p *Pairs, findings *replay.Server) *Apps {
	return &Apps{Pairs: p, Limit: 10 * time.Second, Executions: 60, Findings: findings,
		AppsTally: AppsTally{Verdicts: map[string]int{}, Unknown: map[string]int{}, Replays: map[string]int{}, NotRun: map[string]int{}}}
}

func (t *AppsTally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "verdicts %v, replays %v, %d executions, of which %d concurrent; checks %.1fs, replays %.1fs, executions %.1fs",
		t.Verdicts, t.Replays, t.Tried, t.Concurrent, t.Checks.Seconds(), t.Replaying.Seconds(), t.Executing.Seconds())
	for _, list := range []struct {
		title string
		m     map[string]int
	}{{"unknown", t.Unknown}, {"not run", t.NotRun}} {
		for _, why := range slices.SortedFunc(maps.Keys(list.m), func(x, y string) int { return (list.m[y]-list.m[x])*1000 + strings.Compare(x, y) }) {
			fmt.Fprintf(&b, "\n%8d %s: %s", list.m[why], list.title, why)
		}
	}
	return b.String()
}

// verdict checks a program, with committed at READ COMMITTED, too, and replays what is
// found. A panic is an error.
func (p *Apps) verdict(ctx context.Context, prog *ir.Program, committed bool) (rep *robust.Report, err error) {
	start, replaying := time.Now(), p.Replaying
	defer func() {
		p.Checks += time.Since(start) - (p.Replaying - replaying)
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	opt := robust.Options{Question: robust.Question{Engine: p.Server.profile(), Init: robust.AnyRows, Beside: committed}}
	if p.Findings != nil {
		opt.Replay = p.replay
	}
	return robust.Check(ctx, prog, opt)
}

// replay runs a finding on the server, as long as that takes.
func (p *Apps) replay(ctx context.Context, w *witness.Witness) (*witness.Replay, error) {
	start := time.Now()
	defer func() { p.Replaying += time.Since(start) }()
	return p.Findings.Replay(context.WithoutCancel(ctx), w.Plan)
}

// replayed counts what the server did with the findings of a report, and tells of what it
// did not do.
func (p *Apps) replayed(a *sqlgen.App, rep *robust.Report) {
	findings := slices.Concat(rep.Findings, rep.Refused)
	if rep.ReadCommitted != nil {
		findings = slices.Concat(findings, rep.ReadCommitted.Findings)
	}
	for _, f := range findings {
		if f.Replay == nil {
			continue
		}
		kind := string(f.Class)
		if len(f.Doubts) > 0 {
			kind += ", suspected"
		}
		p.Replays[kind+": "+string(f.Replay.Outcome)]++
		switch {
		case f.Replay.Outcome == witness.NotRun:
			p.NotRun[reason(f.Replay.Difference)]++
		case !f.Replay.Stands() && len(f.Doubts) == 0:
			text := strings.Join(f.Cycle, " -> ") + "\n" + f.Replay.Difference + "\n" + strings.Join(f.Replay.Log, "\n")
			p.wrongApp(a, Finding{Result: Wrong, Class: "a finding that the server does not do: " + string(f.Class) + ", " + reason(f.Replay.Difference), Details: text})
		}
	}
}

// open counts why a verdict is unknown.
func (p *Apps) open(rep *robust.Report) {
	if rep.Verdict != robust.Unknown || rep.Open == nil {
		return
	}
	why := reason(rep.Open.Reason)
	for _, h := range rep.Havocs {
		why += " | " + reason(h.Reason)
		break
	}
	p.Unknown[why]++
}
