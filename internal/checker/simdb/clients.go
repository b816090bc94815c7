package simdb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/isolation"
)

// Run simulates a database and clients that run a workload. Of the options, Level, Sessions,
// Txns, Lag, Aborts, Unknowns, Losses, Untimed and Seed count. anomaly, if it is not nil, happens once,
// to clients and keys of its own.
//
// At SER, SI and PC, unless Untimed is set, the transactions have stamps of their begin and end: a snapshot has what
// ended before the transaction began, so that the levels with real time hold as well.
func Run(ctx context.Context, o Options, w workload.Workload, p workload.Params, anomaly *Anomaly) (*history.History, error) {
	o.Keys, o.Faults = 0, 0
	c := &clients{sim: newSim(o), index: map[int64]int{}, data: map[int64]int64{}, dead: map[int64]bool{}}
	c.timed = !o.Untimed && slices.Contains([]isolation.Level{isolation.SER, isolation.SI, isolation.PC}, o.Level)
	if anomaly != nil && anomaly.needsTime && !c.timed {
		return nil, fmt.Errorf("the anomaly %s needs times, which this history does not have: they need the level SER, SI or PC, and a format that holds them", anomaly.Name)
	}
	if c.timed {
		c.b.SetOrder(history.RealTime)
	}
	var shared workload.Shared
	var all []*workload.Client
	for i := range o.Sessions {
		all = append(all, w.Client(p, o.Seed, i, &shared))
	}
	planted := -1
	if anomaly != nil {
		planted = c.r.IntN(o.Txns + 1)
	}
	for i := range o.Txns + 1 {
		if i == planted {
			c.plant(anomaly)
		}
		if i%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i < o.Txns {
			session := c.r.IntN(o.Sessions)
			if err := c.run(session, all[session].Next()); err != nil {
				return nil, err
			}
		}
	}
	return c.b.Build()
}

// clients simulates clients whose operations depend on what they read.
type clients struct {
	*sim
	timed bool
	index map[int64]int   // of versions, by key
	data  map[int64]int64 // by the value of the version
	dead  map[int64]bool  // values of tombstones
}

// at gives the place of the versions of a key.
func (c *clients) at(key int64) int {
	i, ok := c.index[key]
	if !ok {
		i = len(c.versions)
		c.index[key], c.versions = i, append(c.versions, nil)
	}
	return i
}

// attempt is a transaction that runs: it implements workload.Tx.
type attempt struct {
	c      *clients
	v      view
	own    map[int][]int64
	record []func(*history.Builder)
}

// errRefused is what a client hears whose snapshot is too old.
var errRefused = errors.New("could not serialize access")

// run runs a transaction of a session until the database does not refuse it.
func (c *clients) run(session int, txn workload.Txn) error {
	status, commits := c.outcome()
	a := &attempt{c: c, v: c.start(session)}
	for {
		a.own, a.record = map[int][]int64{}, nil
		err := txn.Run(a)
		if err == nil {
			break
		}
		if !errors.Is(err, errRefused) || a.v.prefix == len(c.commits) {
			return err
		}
		a.v.prefix = len(c.commits)
	}
	t := c.b.Txn(c.sessions[session], status)
	c.b.SetLabel(t, txn.Label)
	for _, record := range a.record {
		record(c.b)
	}
	c.stamp(t, a.v.prefix, len(c.commits), status)
	if !commits {
		a.own = nil // time goes on all the same
	}
	c.commit(session, a.v, a.own)
	return nil
}

// stamp gives a transaction its times: it sees so many commits, and is followed by the rest.
func (c *clients) stamp(t history.Txn, sees, number int, status history.Status) {
	if !c.timed {
		return
	}
	c.b.SetBegin(t, int64(2*sees))
	if status != history.Unknown {
		c.b.SetEnd(t, int64(2*number+1))
	}
}

// op records an operation with one value.
func (a *attempt) op(kind history.Kind, key, value int64) {
	a.record = append(a.record, func(b *history.Builder) { b.Op(kind, b.IntKey(key), b.IntValue(value)) })
}

// update makes a version of a key: that of a register, or one more of the elements.
func (a *attempt) update(kind history.Kind, key, value int64, more bool) error {
	a.c.advance(a.v)
	k := a.c.at(key)
	if a.c.refuses(a.v, k) {
		return errRefused
	}
	if !more {
		a.own[k] = nil
	}
	a.own[k] = append(a.own[k], value)
	a.op(kind, key, value)
	return nil
}

// fresh is a value that nobody has written.
func (a *attempt) fresh() int64 { a.c.value++; return a.c.value }

// latest gives the value of a register, 0 if there is none.
func (a *attempt) latest(key int64) int64 {
	k := a.c.at(key)
	values := a.own[k]
	if values == nil {
		values, _ = a.c.read(a.v, k)
	}
	if values == nil {
		return 0
	}
	return values[0]
}

func (a *attempt) Read(key int64) (int64, error) {
	a.c.advance(a.v)
	v := a.latest(key)
	a.record = append(a.record, func(b *history.Builder) {
		if k := b.IntKey(key); v == 0 {
			b.Read(k, history.Initial)
		} else {
			b.Read(k, b.IntValue(v))
		}
	})
	return a.c.data[v], nil
}

func (a *attempt) Write(key, data int64) error {
	v := a.fresh()
	a.c.data[v] = data
	return a.update(history.Write, key, v, false)
}

func (a *attempt) Append(key int64) error { return a.update(history.Append, key, a.fresh(), true) }

func (a *attempt) Add(key int64) error { return a.update(history.Add, key, a.fresh(), true) }

func (a *attempt) Increment(key, by int64) error { return a.update(history.Increment, key, by, true) }

func (a *attempt) ReadList(key int64) error {
	a.c.advance(a.v)
	a.elements(history.ReadList, key, a.all(key))
	return nil
}

func (a *attempt) ReadSet(key int64) error {
	a.c.advance(a.v)
	a.elements(history.ReadSet, key, a.all(key))
	return nil
}

func (a *attempt) elements(kind history.Kind, key int64, elements []int64) {
	a.record = append(a.record, func(b *history.Builder) {
		var list []history.Value
		for _, x := range elements {
			list = append(list, b.IntValue(x))
		}
		b.List(kind, b.IntKey(key), list)
	})
}

// all gives what was added to a key up to the last addition that is seen: a version of a
// list, set or counter has all before it.
func (a *attempt) all(key int64) []int64 {
	k := a.c.at(key)
	_, last := a.c.read(a.v, k)
	return append(a.c.list(k, last), a.own[k]...)
}

func (a *attempt) ReadCounter(key int64) error {
	a.c.advance(a.v)
	sum := int64(0)
	for _, by := range a.all(key) {
		sum += by
	}
	a.op(history.ReadCounter, key, sum)
	return nil
}

func (a *attempt) Put(key int64) error {
	kind := history.Write
	if a.latest(key) == 0 {
		kind = history.Insert
	}
	return a.update(kind, key, a.fresh(), false)
}

func (a *attempt) Bury(key int64) error {
	v := a.fresh()
	a.c.dead[v] = true
	return a.update(history.Delete, key, v, false)
}

func (a *attempt) Scan(low, high int64) error {
	a.c.advance(a.v)
	type row struct{ key, value int64 }
	var live, dead []row
	for k := low; k <= high; k++ {
		switch v := a.latest(k); {
		case v == 0:
		case a.c.dead[v]:
			dead = append(dead, row{k, v})
		default:
			live = append(live, row{k, v})
		}
	}
	a.record = append(a.record, func(b *history.Builder) {
		r := history.Range{Low: b.IntValue(low), High: b.IntValue(high)}
		for _, x := range live {
			r.LiveKeys, r.LiveValues = append(r.LiveKeys, b.IntKey(x.key)), append(r.LiveValues, b.IntValue(x.value))
		}
		for _, x := range dead {
			r.DeadKeys, r.DeadRows = append(r.DeadKeys, b.IntKey(x.key)), append(r.DeadRows, b.IntValue(x.value))
		}
		b.Range(r)
	})
	return nil
}
