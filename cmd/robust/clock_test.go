package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestClock: a clock that was not started does not end, one that was started anew ends
// later, and who asks is told that it was the time.
func TestClock(t *testing.T) {
	c := newClock(t.Context(), time.Nanosecond)
	defer c.stop()
	if _, bounded := c.Deadline(); bounded || c.Err() != nil {
		t.Errorf("before it starts: %v", c.Err())
	}
	child, cancel := context.WithCancel(c)
	defer cancel()
	c.start()
	<-child.Done()
	if !errors.Is(c.Err(), context.DeadlineExceeded) || !errors.Is(child.Err(), context.DeadlineExceeded) {
		t.Errorf("after its time: %v, %v", c.Err(), child.Err())
	}
	if end, bounded := c.Deadline(); !bounded || end.After(time.Now()) {
		t.Errorf("its deadline is %v, %v", end, bounded)
	}

	again := newClock(t.Context(), time.Hour)
	again.start()
	first, _ := again.Deadline()
	again.start()
	second, _ := again.Deadline()
	again.ends() // by the timer of the first start
	if second.Before(first) || again.Err() != nil {
		t.Errorf("started anew: %v, then %v, %v", first, second, again.Err())
	}
	again.stop()
	if !errors.Is(again.Err(), context.Canceled) {
		t.Errorf("stopped: %v", again.Err())
	}

	parent, interrupt := context.WithCancel(t.Context())
	interrupted := newClock(parent, time.Hour)
	defer interrupted.stop()
	interrupted.start()
	interrupt()
	<-interrupted.Done()
	if !errors.Is(interrupted.Err(), context.Canceled) {
		t.Errorf("interrupted: %v", interrupted.Err())
	}

	unbounded := newClock(t.Context(), 0)
	defer unbounded.stop()
	unbounded.start()
	if _, bounded := unbounded.Deadline(); bounded || unbounded.Err() != nil {
		t.Errorf("without a limit: %v", unbounded.Err())
	}
}
