// Package simdb simulates databases of known isolation levels and records what
// their clients see, as test data for the checkers. Every history is one of its
// level by construction: the simulation is that of an implementation, and shares
// nothing with the definitions that the checkers use.
//
// All simulations commit one transaction after the other, and differ in what a
// transaction reads:
//
//	SER  all that was committed before; nothing is concurrent.
//	SI   a snapshot that may be old, but contains the past of the session; who would
//	     overwrite what was committed since takes a new one.
//	PC   such a snapshot, without that check.
//	CC   its replica: transactions arrive there in causal order, and the latest
//	     commit wins. Sessions stay at one replica.
//	RA   any transactions that it happens to see, and those of the session before,
//	     each entirely or not at all.
//	RC   the same, but it may see more from one operation to the next.
//
// In all cases a transaction sees its own writes.
package simdb

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Options say what the clients do.
type Options struct {
	Seed                     uint64
	Level                    isolation.Level
	Sessions, Txns, Ops      int // of the history; operations are per transaction, at most
	Keys                     int
	Reads                    float64 // share of the operations
	Lists                    bool    // the keys are lists
	Lag                      int     // how many commits a snapshot or replica may be behind; 0 is 10
	Aborts, Unknowns, Losses float64 // share of transactions; Losses are Unknown and did not commit
	Duplicates               bool    // few different values are written
	Untimed                  bool    // Run gives no times
	Faults                   float64 // share of reads that return any version of the key: then the level does not hold
}

// Small gives options that brute force can follow: the i-th of a series, all levels in
// turn, with faults in some.
func Small(seed uint64, i int, r *rand.Rand) Options {
	return Options{
		Seed: seed + uint64(i), Level: Levels()[i%len(Levels())], Sessions: 2 + r.IntN(4), Txns: 4 + r.IntN(5), Ops: 2 + r.IntN(3),
		Keys: 1 + r.IntN(3), Reads: 0.3 + 0.5*r.Float64(), Lag: 3 + r.IntN(6), Duplicates: r.IntN(4) == 0,
		Aborts: 0.1 * float64(i%2), Unknowns: 0.1 * float64(i/2%2), Losses: 0.1 * float64(i/2%2), Faults: 0.1 * float64(r.IntN(3)),
	}
}

// Large gives options for so many transactions of a level, without faults.
func Large(seed uint64, l isolation.Level, txns int, r *rand.Rand) Options {
	return Options{
		Seed: seed, Level: l, Sessions: 8, Txns: txns, Ops: 6, Keys: 20 + txns/10, Reads: 0.5 + 0.2*r.Float64(), Lag: 20,
		Aborts: 0.05, Unknowns: 0.02, Losses: 0.02,
	}
}

// Levels are those that can be simulated, weaker ones first.
func Levels() []isolation.Level {
	return []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SI, isolation.SER}
}

// Generate simulates a database and its clients.
func Generate(o Options) *history.History {
	s := newSim(o)
	for k := range o.Keys {
		s.b.IntKey(int64(k))
	}
	for range o.Txns {
		s.txn()
	}
	h, err := s.b.Build()
	if err != nil {
		panic(fmt.Sprintf("simdb: %v", err))
	}
	return h
}

func newSim(o Options) *sim {
	if o.Lag == 0 {
		o.Lag = 10
	}
	s := &sim{
		Options: o, r: rand.New(rand.NewPCG(o.Seed, 0)), b: history.NewBuilder(),
		last: make([]int, o.Sessions), ofSession: make([][]int, o.Sessions), versions: make([][]version, o.Keys),
	}
	for i := range o.Sessions {
		s.sessions = append(s.sessions, s.b.Session(history.Int(int64(i))))
	}
	return s
}

type sim struct {
	Options
	r        *rand.Rand
	b        *history.Builder
	sessions []history.Session
	commits  []commit
	last     []int // of sessions: 1 + their last commit
	// ofSession are the commits of each session that not everybody sees yet.
	ofSession [][]int
	versions  [][]version // of keys, in the order of commits
	value     int64
}

// commit is a committed transaction.
type commit struct {
	past map[int]bool // for CC: what was visible to it
}

type version struct {
	commit int // from 0
	values []int64
}

// view says what a transaction sees of the commits.
type view struct {
	prefix int
	more   map[int]bool
}

func (v view) sees(commit int) bool { return commit < v.prefix || v.more[commit] }

// start chooses what a transaction of a session sees.
func (s *sim) start(session int) view {
	n := len(s.commits)
	recent := max(0, n-s.r.IntN(s.Lag+1))
	v := view{prefix: max(recent, s.last[session])}
	switch s.Level {
	case isolation.SER:
		v.prefix = n
	case isolation.SI, isolation.PC:
	case isolation.CC, isolation.RA, isolation.RC:
		// Nobody lags more than that, which keeps the views small.
		v = view{prefix: max(0, n-2*s.Lag), more: map[int]bool{}}
		for _, c := range s.ofSession[session] {
			s.see(v, c)
		}
		for c := v.prefix; c < n; c++ {
			if s.r.IntN(3) == 0 {
				s.see(v, c)
			}
		}
	default:
		panic(fmt.Sprintf("simdb: %s cannot be simulated", s.Level))
	}
	return v
}

// see adds a commit to a view, with its causal past if it has one.
func (s *sim) see(v view, c int) {
	if c < v.prefix || v.more[c] {
		return
	}
	v.more[c] = true
	for p := range s.commits[c].past {
		s.see(v, p)
	}
}

// read gives the version of a key that a view has: that of the latest commit.
func (s *sim) read(v view, k int) (values []int64, commit int) {
	for i := len(s.versions[k]) - 1; i >= 0; i-- {
		if x := s.versions[k][i]; v.sees(x.commit) {
			return x.values, x.commit
		}
	}
	return nil, -1
}

// list gives the elements of a list up to a commit: its version contains all that
// was appended before.
func (s *sim) list(k, commit int) []int64 {
	var out []int64
	for _, x := range s.versions[k] {
		if x.commit <= commit {
			out = append(out, x.values...)
		}
	}
	return out
}

// op is what a transaction is going to do: a write of a value, or a read if it is 0.
type op struct {
	key   int
	value int64
}

// ops picks the operations of a transaction, and gives the keys that they write.
func (s *sim) ops() (ops []op, keys map[int]bool) {
	ops, keys = make([]op, 1+s.r.IntN(s.Ops)), map[int]bool{}
	for i := range ops {
		ops[i].key = s.r.IntN(s.Keys)
		if s.r.Float64() >= s.Reads {
			if s.value++; s.Duplicates && !s.Lists {
				ops[i].value = 1 + s.r.Int64N(5)
			} else {
				ops[i].value = s.value
			}
			keys[ops[i].key] = true
		}
	}
	return ops, keys
}

// readList reads a list, to which the transaction itself has appended own.
func (s *sim) readList(v view, key int, own []int64) {
	_, c := s.read(v, key)
	if n := len(s.versions[key]); n > 0 && s.r.Float64() < s.Faults {
		c = s.versions[key][s.r.IntN(n)].commit
	}
	var list []history.Value
	for _, x := range append(s.list(key, c), own...) {
		list = append(list, s.b.IntValue(x))
	}
	s.b.List(history.ReadList, s.b.IntKey(int64(key)), list)
}

// readRegister reads a register, to which the transaction itself has written own, if
// it is not nil.
func (s *sim) readRegister(v view, key int, own []int64) {
	values := own
	if values == nil {
		values, _ = s.read(v, key)
		if n := len(s.versions[key]); n > 0 && s.r.Float64() < s.Faults {
			values = s.versions[key][s.r.IntN(n)].values
		}
	}
	k := s.b.IntKey(int64(key))
	if values == nil {
		s.b.Read(k, history.Initial)
	} else {
		s.b.Read(k, s.b.IntValue(values[0]))
	}
}

// outcome draws how a transaction ends for its client, and whether it commits.
func (s *sim) outcome() (status history.Status, commits bool) {
	switch x := s.r.Float64(); {
	case x < s.Aborts:
		return history.Aborted, false
	case x < s.Aborts+s.Unknowns:
		return history.Unknown, true
	case x < s.Aborts+s.Unknowns+s.Losses:
		return history.Unknown, false
	}
	return history.Committed, true
}

// refuses tells whether snapshot isolation refuses a write of a key.
func (s *sim) refuses(v view, k int) bool {
	n := len(s.versions[k])
	return s.Level == isolation.SI && n > 0 && s.versions[k][n-1].commit >= v.prefix
}

// advance shows more to a transaction at READ COMMITTED between two operations.
func (s *sim) advance(v view) {
	if s.Level == isolation.RC && s.r.IntN(2) == 0 && len(s.commits) > 0 {
		s.see(v, len(s.commits)-1-s.r.IntN(min(len(s.commits), s.Lag)))
	}
}

// commit makes the writes of a transaction of a session visible.
func (s *sim) commit(session int, v view, own map[int][]int64) {
	n := len(s.commits)
	c := commit{}
	if s.Level == isolation.CC {
		c.past = v.more
	}
	s.commits = append(s.commits, c)
	for k, values := range own {
		s.versions[k] = append(s.versions[k], version{n, values})
	}
	s.last[session] = n + 1
	s.ofSession[session] = slices.DeleteFunc(append(s.ofSession[session], n), func(c int) bool { return c < v.prefix })
}

func (s *sim) txn() {
	session := s.r.IntN(s.Sessions)
	status, commits := s.outcome()
	s.b.Txn(s.sessions[session], status)
	ops, keys := s.ops()
	v := s.start(session)
	for k := range keys {
		if s.refuses(v, k) {
			v.prefix = len(s.commits) // it would fail: the client tries again
		}
	}
	own := map[int][]int64{}
	for _, o := range ops {
		s.advance(v)
		k := s.b.IntKey(int64(o.key))
		switch {
		case o.value != 0 && s.Lists:
			s.b.Op(history.Append, k, s.b.IntValue(o.value))
			own[o.key] = append(own[o.key], o.value)
		case o.value != 0:
			s.b.Write(k, s.b.IntValue(o.value))
			own[o.key] = []int64{o.value}
		case s.Lists:
			s.readList(v, o.key, own[o.key])
		default:
			s.readRegister(v, o.key, own[o.key])
		}
	}
	if commits {
		s.commit(session, v, own)
	}
}
