// Package clock bounds the time of work whose beginning is not known when its context is made.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock is a context that ends some time after it was started, which is that of -timeout.
// It is started when the go command has loaded and compiled the packages: that takes
// minutes once, and seconds from then on.
type Clock struct {
	context.Context
	cancel context.CancelFunc
	done   chan struct{}
	Limit  time.Duration // 0 is none

	mu    sync.Mutex
	end   time.Time // zero before it is started
	timer *time.Timer
	over  bool
}

// New gives a clock that ends at a limit after it is started, or with ctx. A limit of 0 is none.
func New(ctx context.Context, limit time.Duration) *Clock {
	c := &Clock{Limit: limit, done: make(chan struct{})}
	c.Context, c.cancel = context.WithCancel(ctx)
	context.AfterFunc(c.Context, func() { close(c.done) })
	return c
}

// Done is that of a context. It is a channel of its own, so that contexts which are made
// of this one ask for its Err.
func (c *Clock) Done() <-chan struct{} { return c.done }

// Start starts the clock, or starts it anew.
func (c *Clock) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Limit == 0 || c.over {
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	c.end = time.Now().Add(c.Limit)
	c.timer = time.AfterFunc(c.Limit, c.ends)
}

// ends is called when the time is over.
func (c *Clock) ends() {
	c.mu.Lock()
	c.over = !time.Now().Before(c.end) // it may have been started anew
	over := c.over
	c.mu.Unlock()
	if over {
		c.cancel()
	}
}

// Deadline is that of a context.
func (c *Clock) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end.IsZero() {
		return c.Context.Deadline()
	}
	return c.end, true
}

// Err is that of a context.
func (c *Clock) Err() error {
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	if err := c.Context.Err(); err == nil || !over {
		return err
	}
	return context.DeadlineExceeded
}

// Stop ends the context.
func (c *Clock) Stop() {
	c.mu.Lock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	c.cancel()
}
