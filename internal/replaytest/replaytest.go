// Package replaytest replays the findings of tests on private servers, and counts what
// came of it.
//
// The package is meant for tests only.
package replaytest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// shared are the servers of this test binary, by dialect, which end with it.
var shared = map[string]func() (*replay.Server, error){
	witness.Postgres: sync.OnceValues(func() (*replay.Server, error) { return start(witness.Postgres) }),
	witness.MySQL:    sync.OnceValues(func() (*replay.Server, error) { return start(witness.MySQL) }),
}

func start(dialect string) (*replay.Server, error) {
	return replay.Open(context.Background(), replay.Options{Dialect: dialect})
}

// lock lets one replay run at a time on each server.
var lock sync.Mutex

// Open gives the server of this test binary for a dialect. Where its programs are not
// installed, the test is skipped, or fails if ROBUST_CI is 1.
func Open(t testing.TB, dialect string) *replay.Server {
	t.Helper()
	if err := replay.Available(replay.Options{Dialect: dialect}); err != nil {
		pgtest.SkipMissing(t, err)
	}
	s, err := shared[dialect]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Tally counts replays by their outcome. It is safe for concurrent use.
type Tally struct {
	mu       sync.Mutex
	outcomes map[witness.Outcome]int
	orders   int
	commits  int // at SERIALIZABLE
	why      map[string]int
}

// Replay runs a witness and counts it. What a server does not do is an error, and so is
// what was not run, unless that is for the reason that notRun says.
func (c *Tally) Replay(t testing.TB, name string, w *witness.Witness, notRun string) *witness.Replay {
	t.Helper()
	s := Open(t, w.Plan.DialectOr(witness.Postgres))
	lock.Lock()
	defer lock.Unlock()
	r, err := s.Replay(t.Context(), w.Plan)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c.count(r)
	excused := r.Outcome == witness.NotRun && notRun != "" && strings.Contains(r.Difference, notRun)
	if r.Outcome != witness.AsShown && !excused {
		t.Errorf("%s: %s\n%s", name, r, strings.Join(r.Log, "\n"))
	}
	return r
}

func (c *Tally) count(r *witness.Replay) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outcomes == nil {
		c.outcomes, c.why = map[witness.Outcome]int{}, map[string]int{}
	}
	c.outcomes[r.Outcome]++
	c.orders += r.OrdersTried
	if strings.Contains(r.Serializable, "all commit") {
		c.commits++
	}
	if r.Outcome != witness.AsShown {
		why, _, _ := strings.Cut(r.Difference, "(")
		c.why[strings.TrimSpace(why)]++
	}
}

// Report replays all findings of a report.
func (c *Tally) Report(t testing.TB, rep *report.Report, notRun string) {
	t.Helper()
	findings := rep.Findings
	if rep.ReadCommitted != nil {
		findings = slices.Concat(findings, rep.ReadCommitted.Findings)
	}
	for _, f := range findings {
		c.Replay(t, fmt.Sprintf("%s: %s of %s", rep.Program, f.Kind, strings.Join(f.Cycle, ", ")), f.Witness, notRun)
	}
}

// AsShown is how many witnesses a server did as they say.
func (c *Tally) AsShown() int { return c.outcomes[witness.AsShown] }

func (c *Tally) String() string {
	var parts []string
	for _, o := range []witness.Outcome{witness.AsShown, witness.NotRun, witness.Refused, witness.OtherOutcome} {
		if n := c.outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	s := strings.Join(parts, ", ") + fmt.Sprintf("; %d serial orders; %d of them commit at SERIALIZABLE, too", c.orders, c.commits)
	for _, why := range slices.Sorted(maps.Keys(c.why)) {
		s += fmt.Sprintf("\n%5d %s", c.why[why], why)
	}
	return s
}
