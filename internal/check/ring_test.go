package check

import (
	"context"
	"sync"
	"testing"
)

// TestRingsTakeTurns: of walks with one ring one is tried at a time, and others do not wait for them.
func TestRingsTakeTurns(t *testing.T) {
	x := &trials{}
	var mu sync.Mutex
	running, most, ran := 0, 0, 0
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			end := x.begin(t.Context(), "a -> b")
			mu.Lock()
			running++
			ran++
			most = max(most, running)
			mu.Unlock()
			mu.Lock()
			running--
			mu.Unlock()
			end()
		})
	}
	group.Wait()
	if most != 1 || ran != 8 {
		t.Errorf("%d walks at a time, %d in all", most, ran)
	}
	end := x.begin(t.Context(), "a -> b")
	if other := x.begin(t.Context(), "b -> c"); other == nil {
		t.Error("another ring waits")
	} else {
		other()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if x.begin(ctx, "a -> b") != nil {
		t.Error("a walk is tried after the end of the context")
	}
	end()
	if len(x.busy) != 0 {
		t.Errorf("still busy: %v", x.busy)
	}
}
