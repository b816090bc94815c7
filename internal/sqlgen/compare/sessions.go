package compare

import (
	"context"
	"fmt"
	"time"
)

// session is a connection with at most one command under way.
type session struct {
	conn Link
	done chan reply // has the reply of the command under way, once
	busy bool
	// failed says that the transaction was refused.
	failed error
}

// reply is what came of a command.
type reply struct {
	rows []record
	err  error
}

// command is one command of a session.
type command struct {
	sql  string
	args []*string // $1, $2, …, if params is true
	// params says that the command is sent with its parameters apart, whose types
	// the server tells.
	params bool
}

// pool is a number of sessions, with a connection that looks whether they wait.
type pool struct {
	ctx      context.Context
	monitor  Link
	sessions []*session
}

// send starts a command.
func (s *session) send(ctx context.Context, c command) {
	s.busy = true
	done := make(chan reply, 1)
	s.done = done
	go func() {
		rows, err := s.conn.do(ctx, c)
		done <- reply{rows, err}
	}()
}

// take gives the reply of the command under way if there is one already.
func (s *session) take(wait time.Duration) (reply, bool) {
	select {
	case r := <-s.done:
		s.busy = false
		return r, true
	case <-time.After(wait):
		return reply{}, false
	}
}

// settle waits until each session that is busy has its reply or waits for a lock, and
// gives the replies.
func (p *pool) settle() (map[*session]reply, error) {
	out := map[*session]reply{}
	wait := 400 * time.Microsecond
	for start := time.Now(); ; wait = min(2*wait, 5*time.Millisecond) {
		var left []*session
		for _, s := range p.sessions {
			if !s.busy {
				continue
			}
			if r, ok := s.take(wait); ok {
				out[s] = r
			} else {
				left = append(left, s)
			}
		}
		if len(left) == 0 {
			return out, nil
		}
		if waits, err := p.allWait(left); err != nil || waits {
			return out, err
		}
		if time.Since(start) > 20*time.Second {
			return nil, fmt.Errorf("a command neither ends nor waits for a lock")
		}
	}
}

// allWait reports whether all of some sessions wait for a lock that another session has.
func (p *pool) allWait(list []*session) (bool, error) {
	var ids []string
	for _, s := range list {
		ids = append(ids, s.conn.id())
	}
	return p.monitor.allWait(p.ctx, ids)
}

// await waits for a reply of any session that is busy.
func (p *pool) await() (map[*session]reply, error) {
	for start := time.Now(); time.Since(start) < 10*time.Second; {
		out, err := p.settle()
		if err != nil || len(out) > 0 {
			return out, err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil, fmt.Errorf("all sessions wait for ever")
}

// end makes all sessions idle, whatever they do.
func (p *pool) end() error {
	for _, s := range p.sessions {
		for s.busy {
			s.conn.cancel(p.ctx)
			s.take(50 * time.Millisecond)
		}
		if _, err := s.conn.run(p.ctx, "ROLLBACK"); err != nil {
			return err
		}
		s.failed = nil
	}
	return nil
}
