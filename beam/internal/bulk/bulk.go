// Package bulk writes recorded histories of any length without holding them in memory: those of a
// serializable database with stamps, a slice of time after the other, with anomalies where they
// are asked for, or of replicas that are just causally consistent.
package bulk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
)

// Options say what is written.
type Options struct {
	Seed                  uint64
	Ops, Shards           int // of the whole history
	Sessions, Keys, Width int // Width is the operations of a transaction
	Reads                 float64
	// Skews is how many write skews there are: two transactions, one after the other, of
	// which each reads what the other one overwrites.
	Skews int
	// Replicas, if not 0, is how many there are: each session has one, which sees its own transactions at
	// once, and others after Delay transactions. The last write of those that a replica sees wins.
	Replicas, Delay int
}

// Write writes shards into a new folder.
func Write(ctx context.Context, dir string, o Options) error {
	if o.Shards < 1 || o.Sessions < 2 || o.Keys < 2*o.Width || o.Width < 2 {
		return fmt.Errorf("bulk: shards must be 1 at least, sessions and operations of a transaction 2, and keys twice these operations; they are %d, %d, %d and %d",
			o.Shards, o.Sessions, o.Width, o.Keys)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	d := &database{Options: o, r: rand.New(rand.NewPCG(o.Seed, 0)), values: make([]int64, o.Keys)}
	for range o.Replicas {
		d.recent = append(d.recent, map[int]int64{})
	}
	txns := o.Ops / o.Width / o.Shards
	for i := range o.Shards {
		d.b, d.sessions = history.NewBuilder(), nil
		d.b.SetOrder(history.Database)
		for s := range o.Sessions {
			d.sessions = append(d.sessions, d.b.Session(history.Int(int64(s))))
		}
		skews := o.Skews*(i+1)/o.Shards - o.Skews*i/o.Shards
		for t := 0; t < txns; t++ {
			if skews > 0 && t%max(1, txns/skews) == 0 && t/max(1, txns/skews) < skews {
				d.skew()
			} else {
				d.txn()
			}
		}
		h, err := d.b.Build()
		if err != nil {
			return err
		}
		if _, err := codec.Save(ctx, filepath.Join(dir, fmt.Sprintf("shard-%05d", i)), h, codec.Compact); err != nil {
			return err
		}
	}
	return nil
}

// database is what transactions are executed on.
type database struct {
	Options
	r        *rand.Rand
	values   []int64
	clock    int64
	last     int64 // value that was written
	b        *history.Builder
	sessions []history.Session
	// recent has, by replica, its writes that others do not see yet, young all of them, in order.
	recent  []map[int]int64
	young   []update
	replica int
}

type update struct {
	at         int64
	replica, k int
	value      int64
}

func (d *database) begin(session int) {
	d.clock++
	if d.Replicas > 0 {
		d.replica = session % d.Replicas
	}
	for len(d.young) > 0 && d.young[0].at+int64(d.Delay) <= d.clock {
		u := d.young[0]
		d.young = d.young[1:]
		d.values[u.k] = u.value
		if d.recent[u.replica][u.k] == u.value {
			delete(d.recent[u.replica], u.k)
		}
	}
	t := d.b.Txn(d.sessions[session], history.Committed)
	d.b.SetBegin(t, d.clock)
	d.b.SetEnd(t, d.clock)
}

func (d *database) read(k int, v int64) {
	value := history.Initial
	if v != 0 {
		value = d.b.IntValue(v)
	}
	d.b.Read(d.b.IntKey(int64(k)), value)
}

func (d *database) write(k int) {
	d.last++
	if d.Replicas == 0 {
		d.values[k] = d.last
	} else {
		d.recent[d.replica][k] = d.last
		d.young = append(d.young, update{d.clock, d.replica, k, d.last})
	}
	d.b.Write(d.b.IntKey(int64(k)), d.b.IntValue(d.last))
}

// value is what a key has for who reads it now.
func (d *database) value(k int) int64 {
	if d.Replicas > 0 {
		if v, some := d.recent[d.replica][k]; some {
			return v
		}
	}
	return d.values[k]
}

func (d *database) txn() {
	d.begin(d.r.IntN(d.Sessions))
	for range d.Width {
		if k := d.r.IntN(d.Keys); d.r.Float64() < d.Reads {
			d.read(k, d.value(k))
		} else {
			d.write(k)
		}
	}
}

func (d *database) skew() {
	x := d.r.IntN(d.Keys - 1)
	y := x + 1
	oldX := d.values[x]
	s := d.r.IntN(d.Sessions - 1)
	d.begin(s)
	d.read(y, d.values[y])
	d.write(x)
	d.begin(s + 1)
	d.read(x, oldX)
	d.write(y)
}
