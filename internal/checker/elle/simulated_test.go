package elle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// database is a simulated database: how it isolates transactions.
type database int

const (
	serial    database = iota // one transaction after the other
	snapshots                 // snapshot isolation, first committer wins
	committed                 // every operation sees what is committed
	dirty                     // every operation sees everything, aborts undo nothing
	stale                     // every read returns any committed version
	numDatabases
)

func (d database) String() string {
	return [...]string{"serial", "snapshots", "committed", "dirty", "stale"}[d]
}

// workload says what the clients of a simulated database do.
type workload struct {
	sessions, txns, ops, keys int
	types                     []history.Type // of keys, in turn
	// stamped: with real time. aborts, unknown: of a hundred transactions.
	stamped         bool
	aborts, unknown int
}

// cell is a version of a key.
type cell struct {
	value history.Value
	list  []history.Value
	sum   int64
}

// client is a session of a simulated database.
type client struct {
	session  history.Session
	txn      history.Txn
	left     int
	ends     history.Status
	snapshot int // how many commits it sees
	writes   []write
	wrote    map[history.Key]bool
}

type write struct {
	kind  history.Kind
	key   history.Key
	value history.Value
}

// simulation is a run of a simulated database.
type simulation struct {
	b      *history.Builder
	rng    *rand.Rand
	db     database
	w      workload
	states [][]cell // after each commit
	dirty  []cell
	last   []int // the commit that wrote a key last
	next   int64 // value
	now    int64
}

// simulate runs a workload.
func simulate(t testing.TB, rng *rand.Rand, db database, w workload) *history.History {
	t.Helper()
	s := &simulation{b: history.NewBuilder(), rng: rng, db: db, w: w, last: make([]int, w.keys)}
	s.states = [][]cell{make([]cell, w.keys)}
	s.dirty = make([]cell, w.keys)
	for k := range w.keys {
		s.b.IntKey(int64(k))
	}
	clients := make([]*client, w.sessions)
	for i := range clients {
		clients[i] = &client{session: s.b.Session(history.Int(int64(i)))}
	}
	if w.stamped {
		s.b.SetOrder(history.RealTime)
	}
	var running *client
	for n := 0; n < w.txns || slices.ContainsFunc(clients, func(c *client) bool { return c.txn != 0 }); {
		c := clients[rng.IntN(len(clients))]
		if db == serial && running != nil {
			c = running
		}
		switch {
		case c.txn == 0 && n < w.txns:
			n++
			s.begin(c)
			running = c
		case c.txn == 0:
		case c.left > 0:
			c.left--
			s.b.Resume(c.txn)
			s.step(c)
		default:
			s.end(c)
			running = nil
		}
	}
	h, err := s.b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	return h
}

func (s *simulation) begin(c *client) {
	c.txn = s.b.Txn(c.session, history.Committed)
	c.left = 1 + s.rng.IntN(s.w.ops)
	c.ends = history.Committed
	switch p := s.rng.IntN(100); {
	case p < s.w.aborts:
		c.ends = history.Aborted
	case p < s.w.aborts+s.w.unknown:
		c.ends = history.Unknown
	}
	c.snapshot = len(s.states)
	c.writes, c.wrote = nil, map[history.Key]bool{}
	if s.w.stamped {
		s.now++
		s.b.SetBegin(c.txn, s.now)
	}
}

// sees gives the version of a key that an operation sees.
func (s *simulation) sees(c *client, k history.Key) cell {
	var v cell
	switch s.db {
	case serial, snapshots:
		v = s.states[c.snapshot-1][k]
	case committed:
		v = s.states[len(s.states)-1][k]
	case dirty:
		return s.dirty[k]
	case stale:
		v = s.states[s.rng.IntN(len(s.states))][k]
	}
	for _, w := range c.writes {
		if w.key == k {
			v = v.after(w)
		}
	}
	return v
}

func (v cell) after(w write) cell {
	switch w.kind {
	case history.Write:
		v.value = w.value
	case history.Append, history.Add:
		v.list = append(slices.Clip(v.list), w.value)
	case history.Increment:
		v.sum++
	}
	return v
}

func (s *simulation) step(c *client) {
	k := history.Key(s.rng.IntN(s.w.keys))
	typ := s.w.types[int(k)%len(s.w.types)]
	if s.rng.IntN(2) == 0 {
		v := s.sees(c, k)
		switch typ {
		case history.Register:
			s.b.Read(k, v.value)
		case history.List:
			s.b.List(history.ReadList, k, v.list)
		case history.Set:
			s.b.List(history.ReadSet, k, v.list)
		case history.Counter:
			s.b.Op(history.ReadCounter, k, s.b.IntValue(v.sum))
		}
		return
	}
	s.next++
	w := write{map[history.Type]history.Kind{history.Register: history.Write, history.List: history.Append, history.Set: history.Add, history.Counter: history.Increment}[typ], k, s.b.IntValue(s.next)}
	if w.kind == history.Increment {
		w.value = s.b.IntValue(1)
	}
	s.b.Op(w.kind, k, w.value)
	c.writes = append(c.writes, w)
	c.wrote[k] = true
	s.dirty[k] = s.dirty[k].after(w)
}

func (s *simulation) end(c *client) {
	happens := c.ends == history.Committed || c.ends == history.Unknown && s.rng.IntN(2) == 0
	if s.db == snapshots {
		for k := range c.wrote {
			if s.last[k] >= c.snapshot {
				happens = false
				if c.ends == history.Committed {
					c.ends = history.Aborted
				}
			}
		}
	}
	if happens {
		state := slices.Clone(s.states[len(s.states)-1])
		for _, w := range c.writes {
			state[w.key] = state[w.key].after(w)
			s.last[w.key] = len(s.states)
		}
		s.states = append(s.states, state)
	}
	s.b.SetStatus(c.txn, c.ends)
	if s.w.stamped {
		s.now++
		if c.ends != history.Unknown {
			s.b.SetEnd(c.txn, s.now)
		}
	}
	c.txn = 0
}

// keeps is the strongest level that a simulated database promises.
var promises = map[database]isolation.Level{
	serial: isolation.SSER, snapshots: isolation.StrongSI, committed: isolation.PL2, dirty: isolation.PL1,
}

var types = [][]history.Type{
	{history.List}, {history.Register}, {history.Set}, {history.Counter},
	{history.List, history.Register, history.Set, history.Counter},
}

// TestSimulated checks what simulated databases do: none shows an anomaly that its
// level excludes, and those of lists are seen to have their level; and the
// weaker ones do show the anomalies of their kind.
func TestSimulated(t *testing.T) {
	seen := map[database]map[isolation.Anomaly]int{}
	for db := range numDatabases {
		seen[db] = map[isolation.Anomaly]int{}
		for i, ts := range types {
			for seed := range uint64(60) {
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				w := workload{sessions: 3, txns: 40, ops: 5, keys: 4, types: ts, stamped: seed%2 == 0, aborts: 5, unknown: 5}
				h := simulate(t, rng, db, w)
				r, err := Check(t.Context(), h, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for a := range r.Counts {
					seen[db][a]++
				}
				for _, an := range r.Anomalies {
					seen[db][an.Form]++
				}
				level, ok := promises[db]
				if !ok {
					continue
				}
				if db == dirty && i > 0 {
					continue // overwritten registers have no order that shows
				}
				switch v := r.Verdict(level); {
				case v == checker.Violated && !(db == dirty && r.Counts[anomalies.G0] > 0):
					t.Errorf("%s, %v, seed %d: %s is violated: %s", db, ts, seed, level, r.Anomalies[0].Text)
				case v == checker.Unknown && db != dirty && i == 0:
					t.Errorf("%s, %v, seed %d: %s is unknown", db, ts, seed, level)
				}
			}
		}
	}
	for _, want := range []struct {
		db        database
		anomalies []isolation.Anomaly
	}{
		{snapshots, []isolation.Anomaly{anomalies.WriteSkew, anomalies.G2Item}},
		{committed, []isolation.Anomaly{anomalies.LostUpdate, anomalies.GSingleItem, anomalies.NonRepeatableRead}},
		{dirty, []isolation.Anomaly{anomalies.G0, anomalies.G1a, anomalies.G1b, anomalies.G1c, anomalies.DirtyUpdate}},
		{stale, []isolation.Anomaly{anomalies.NonRepeatableRead, anomalies.GSingleItem, anomalies.GSingleProcess, anomalies.GSingleRealtime, anomalies.COConflictAO, anomalies.FracturedReadAO, anomalies.NonMonoReadCO}},
	} {
		for _, a := range want.anomalies {
			if seen[want.db][a] == 0 {
				t.Errorf("no %s in a database of kind %s: %v", a, want.db, fmt.Sprint(seen[want.db]))
			}
		}
	}
}
