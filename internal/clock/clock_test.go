package clock

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestClock: a clock that was not started does not end, one that was started anew ends
// later, and who asks is told that it was the time.
func TestClock(t *testing.T) {
	c := New(t.Context(), time.Nanosecond)
	defer c.Stop()
	if _, bounded := c.Deadline(); bounded || c.Err() != nil {
		t.Errorf("before it starts: %v", c.Err())
	}
	child, cancel := context.WithCancel(c)
	defer cancel()
	c.Start()
	<-child.Done()
	if !errors.Is(c.Err(), context.DeadlineExceeded) || !errors.Is(child.Err(), context.DeadlineExceeded) {
		t.Errorf("after its time: %v, %v", c.Err(), child.Err())
	}
	if end, bounded := c.Deadline(); !bounded || end.After(time.Now()) {
		t.Errorf("its deadline is %v, %v", end, bounded)
	}

	again := New(t.Context(), time.Hour)
	again.Start()
	first, _ := again.Deadline()
	again.Start()
	second, _ := again.Deadline()
	again.ends() // by the timer of the first start
	if second.Before(first) || again.Err() != nil {
		t.Errorf("started anew: %v, then %v, %v", first, second, again.Err())
	}
	again.Stop()
	if !errors.Is(again.Err(), context.Canceled) {
		t.Errorf("stopped: %v", again.Err())
	}

	parent, interrupt := context.WithCancel(t.Context())
	interrupted := New(parent, time.Hour)
	defer interrupted.Stop()
	interrupted.Start()
	interrupt()
	<-interrupted.Done()
	if !errors.Is(interrupted.Err(), context.Canceled) {
		t.Errorf("interrupted: %v", interrupted.Err())
	}

	unbounded := New(t.Context(), 0)
	defer unbounded.Stop()
	unbounded.Start()
	if _, bounded := unbounded.Deadline(); bounded || unbounded.Err() != nil {
		t.Errorf("without a limit: %v", unbounded.Err())
	}
}
