package check

import (
	"context"
	"reflect"
	"sync"

	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/walk"
	"github.com/txrobust/robust/report"
)

// trials are the walks that were tried while the proof goes on.
type trials struct {
	c     *check
	mu    sync.Mutex // for all of these, and the report
	found map[*walk.Walk]*report.Finding
	tried map[string]bool
	// busy has the rings of walks that are being tried: a channel that is closed in the end.
	busy map[string]chan struct{}
	// unconfirmed is the error of a finding that is not confirmed.
	unconfirmed error
}

// run tries a walk as an execution, and reports whether it is one. A walk that is only likely
// may be tried again when it cannot be excluded.
func (t *trials) run(ctx context.Context, w *walk.Walk, facts []*ir.Invariant, likely bool) bool {
	t.mu.Lock()
	again := t.tried[w.String()]
	t.tried[w.String()] = !likely
	t.mu.Unlock()
	if again {
		return false
	}
	end := t.begin(ctx, w.Ring())
	if end == nil {
		return false
	}
	defer end()
	var a *schedules.Anomaly
	var stats schedules.Stats
	panicked := fault.Guard("the search of an execution", func() { a, stats = t.c.quick(ctx, w, facts, likely) })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.c.count(stats)
	if panicked != nil {
		t.c.fails(panicked)
	}
	if a == nil || t.unconfirmed != nil {
		return false
	}
	var f *report.Finding
	if !t.c.guarded("the confirmation of an execution", func() { f, t.unconfirmed = t.c.suspected(a) }) || f == nil {
		return false
	}
	t.found[w] = f
	return true
}

// begin waits until no other walk of a ring is being tried, since an execution along that one mostly ends the proof. end
// is nil where ctx has ended.
func (t *trials) begin(ctx context.Context, ring string) (end func()) {
	for {
		t.mu.Lock()
		other := t.busy[ring]
		if other == nil {
			done := make(chan struct{})
			if t.busy == nil {
				t.busy = map[string]chan struct{}{}
			}
			t.busy[ring] = done
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.busy, ring)
				close(done)
			}
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil
		}
	}
}

// Tried has what became of walks that were tried as executions. It is safe for concurrent use.
type Tried struct {
	mu    sync.Mutex
	walks map[triedWalk][]trial
}

// triedWalk names a walk and how it was tried.
type triedWalk struct {
	walk   string
	likely bool
}

// trial is what became of a walk with some facts: nil is no execution.
type trial struct {
	facts   []*ir.Invariant
	anomaly *schedules.Anomaly
}

// get gives what became of a walk.
func (t *Tried) get(w *walk.Walk, facts []*ir.Invariant, likely bool) (a *schedules.Anomaly, known bool) {
	if t == nil {
		return nil, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.walks[triedWalk{w.String(), likely}] {
		if reflect.DeepEqual(o.facts, facts) {
			return o.anomaly, true
		}
	}
	return nil, false
}

// put keeps what became of a walk.
func (t *Tried) put(w *walk.Walk, facts []*ir.Invariant, likely bool, a *schedules.Anomaly) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.walks == nil {
		t.walks = map[triedWalk][]trial{}
	}
	key := triedWalk{w.String(), likely}
	t.walks[key] = append(t.walks[key], trial{facts, a})
}
