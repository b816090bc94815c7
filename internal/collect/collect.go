package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/record"
	"github.com/txrobust/robust/internal/checker/workload"
)

// Options direct Run.
type Options struct {
	Workload workload.Workload
	Params   workload.Params
	Sessions int
	Txns     int // that are begun, refused ones included
	Seed     uint64
	// Patience is how long a request may take. A longer one ends its connection.
	Patience time.Duration
	// Faults are what happens to the database, evenly among the transactions.
	Faults []Fault
	// Live, if not nil, gets the recording while it grows, as EDN.
	Live io.Writer
	// Progress hears how many transactions have ended.
	Progress func(done int)
}

// Fault is something that happens to a database while clients run.
type Fault struct {
	What string
	// Do returns when it is over.
	Do func(ctx context.Context) error
}

// Recording is what Run recorded.
type Recording struct {
	History *history.History
	// Of the transactions:
	Committed, Aborted, Unknown int
	Elapsed                     time.Duration
	// Errors counts what clients heard, by its text.
	Errors map[string]int
	// LiveErr is why Options.Live did not get all of it.
	LiveErr error
}

// reconnecting is how long clients look for a database that is gone, and the last one for what is there.
const reconnecting = time.Minute

// retries is how often a transaction that was refused is tried again.
const retries = 5

// Run records a history. The database must be prepared. If ctx ends, the history is what was
// recorded until then. An error says that the database did not come back after a fault, or that
// no transaction committed.
func Run(ctx context.Context, db Database, o Options) (*Recording, error) {
	r := &runner{Options: o, db: db, recorder: record.New(), used: map[int64]Op{}, errors: map[string]int{}}
	if o.Live != nil {
		r.recorder.Stream(o.Live)
	}
	start := time.Now()
	err := r.all(ctx)
	if err == nil && ctx.Err() == nil {
		err = r.look(ctx)
	}
	out := &Recording{Elapsed: time.Since(start), Errors: r.errors, Committed: int(r.ended[history.Committed].Load()),
		Aborted: int(r.ended[history.Aborted].Load()), Unknown: int(r.ended[history.Unknown].Load())}
	if err != nil {
		return nil, err
	}
	if out.Committed == 0 {
		return nil, fmt.Errorf("no transaction committed; most often the database said: %s", r.mostOften())
	}
	out.LiveErr = r.recorder.StreamErr()
	out.History, err = r.recorder.History()
	return out, err
}

type runner struct {
	Options
	db       Database
	recorder *record.Recorder
	begun    atomic.Int64
	value    atomic.Int64
	ended    [3]atomic.Int64 // by status

	mu     sync.Mutex
	used   map[int64]Op // how each key is read
	errors map[string]int
}

// all runs the clients and the faults.
func (r *runner) all(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var shared workload.Shared
	var clients, faults sync.WaitGroup
	fail := func(err error) {
		if err != nil {
			cancel(err)
		}
	}
	for i := range r.Sessions {
		s := &session{r: r, number: i, client: r.Workload.Client(r.Params, r.Seed, i, &shared)}
		clients.Go(func() { fail(s.run(ctx)) })
	}
	over := make(chan struct{})
	faults.Go(func() { fail(r.harm(ctx, over)) })
	clients.Wait()
	close(over)
	faults.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// harm makes the faults happen, when their share of the transactions has begun.
func (r *runner) harm(ctx context.Context, over <-chan struct{}) error {
	for i, f := range r.Faults {
		for r.begun.Load() < int64(r.Txns*(i+1)/(len(r.Faults)+1)) {
			select {
			case <-ctx.Done():
				return nil
			case <-over:
			case <-time.After(time.Millisecond):
				continue
			}
			break
		}
		if err := f.Do(ctx); err != nil {
			return fmt.Errorf("the fault %s: %w", f.What, err)
		}
	}
	return nil
}

// hear counts an error of a client.
func (r *runner) hear(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors[err.Error()]++
}

func (r *runner) mostOften() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	texts := slices.Collect(maps.Keys(r.errors))
	if len(texts) == 0 {
		return "nothing"
	}
	return slices.MaxFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.errors[a], r.errors[b]), cmp.Compare(b, a))
	})
}

// session is one client.
type session struct {
	r       *runner
	number  int
	again   int // how often it began again, as another session
	client  *workload.Client
	record  *record.Session
	conn    Conn
	unknown bool // the last outcome
}

// take counts one more transaction, if there shall be one.
func (s *session) take() bool { return s.r.begun.Add(1) <= int64(s.r.Txns) }

// run runs transactions until there were enough.
func (s *session) run(ctx context.Context) error {
	defer s.disconnect()
	for ctx.Err() == nil {
		txn := s.client.Next()
		for try := 0; try <= retries && ctx.Err() == nil; try++ {
			if !s.take() {
				return nil
			}
			status, err := s.once(ctx, txn)
			if err != nil {
				return err
			}
			if status != history.Aborted {
				break
			}
			time.Sleep(time.Duration(try) * time.Millisecond) // for whoever is in the way
		}
	}
	return nil
}

func (s *session) disconnect() {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// connect connects, and waits for a database that is gone.
func (s *session) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	end := time.Now().Add(reconnecting)
	for {
		short, cancel := context.WithTimeout(ctx, s.r.Patience)
		c, err := s.r.db.Connect(short)
		cancel()
		if err == nil {
			s.conn = c
			return nil
		}
		s.r.hear(err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(end) {
			return fmt.Errorf("the database was gone for %v: %w", reconnecting, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// once runs a transaction once. The error says that the run cannot go on.
func (s *session) once(ctx context.Context, txn workload.Txn) (history.Status, error) {
	if err := s.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return history.Aborted, nil
		}
		return 0, err
	}
	if s.record == nil || s.unknown {
		name := fmt.Sprint(s.number)
		if s.again > 0 {
			name += fmt.Sprintf(".%d", s.again)
		}
		s.record, s.unknown = s.r.recorder.Session(name), false
		s.again++
	}
	t := &tx{s: s, ctx: ctx, t: s.record.Begin(txn.Label)}
	status, err := s.attempt(t, txn)
	switch status {
	case history.Committed:
		t.t.Commit()
	case history.Aborted:
		t.t.Abort()
	case history.Unknown:
		t.t.Unknown()
		s.unknown = true
	}
	if err != nil {
		s.r.hear(err)
	}
	if wrong, ok := errors.AsType[*Misanswered](err); ok {
		return 0, wrong
	}
	n := s.r.ended[status].Add(1)
	if s.r.Progress != nil && n%50 == 0 {
		s.r.Progress(int(min(s.r.begun.Load(), int64(s.r.Txns))))
	}
	return status, nil
}

// attempt runs the requests of a transaction, and tells how it ended.
func (s *session) attempt(t *tx, txn workload.Txn) (history.Status, error) {
	err := t.request(s.conn.Begin)
	if err == nil {
		err = txn.Run(t)
	}
	if err != nil {
		if t.request(s.conn.Rollback) != nil {
			s.disconnect()
		}
		return history.Aborted, err
	}
	err = t.request(s.conn.Commit)
	if err == nil {
		return history.Committed, nil
	}
	if _, refused := errors.AsType[*Refused](err); refused {
		if t.request(s.conn.Rollback) != nil {
			s.disconnect()
		}
		return history.Aborted, err
	}
	s.disconnect()
	return history.Unknown, err
}

// look reads, in a session of its own, every key that was used: some of them in each
// transaction.
func (r *runner) look(ctx context.Context) error {
	const some = 20
	last := &session{r: r, number: r.Sessions}
	defer last.disconnect()
	for keys := range slices.Chunk(slices.Sorted(maps.Keys(r.used)), some) {
		txn := workload.Txn{Label: "last look", Run: func(t workload.Tx) error {
			for _, k := range keys {
				if _, err := t.(*tx).do(Request{Op: r.used[k], Key: k, High: k}); err != nil {
					return err
				}
			}
			return nil
		}}
		for end := time.Now().Add(reconnecting); ; {
			status, err := last.once(ctx, txn)
			if err != nil {
				return err
			}
			if status == history.Committed || ctx.Err() != nil {
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("the last look at the database failed for %v: %s", reconnecting, r.mostOften())
			}
			time.Sleep(50 * time.Millisecond) // for a transaction whose client has given up
		}
	}
	return nil
}
