package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// Tx is a transaction that runs. Each method is one request to the database, and is
// recorded. A program gives back the first error: then the transaction ends without effect.
type Tx interface {
	// Read gives the data of a register: 0 if it was never written.
	Read(key int64) (data int64, err error)
	// Write sets a register to a new value, with this data.
	Write(key, data int64) error
	// Append adds a new element to a list, and ReadList reads it.
	Append(key int64) error
	ReadList(key int64) error
	// Add adds a new element to a set, and ReadSet reads it.
	Add(key int64) error
	ReadSet(key int64) error
	// Increment adds to a counter, and ReadCounter reads it.
	Increment(key, by int64) error
	ReadCounter(key int64) error
	// Put inserts a row or writes it, Bury makes it a tombstone with a value of its own, and
	// Scan reads the rows and tombstones of the keys from low to high.
	Put(key int64) error
	Bury(key int64) error
	Scan(low, high int64) error
}

// Txn is a transaction that a client chose. Run may be called again, when the database
// refused it, and then does the same.
type Txn struct {
	Label string
	Run   func(Tx) error
}

// Params are the parameters of a workload. All are at least 1.
type Params struct {
	Ops  int // operations of a transaction, where the workload leaves it open
	Keys int // keys, accounts, warehouses' stock, users or items
	// Reads is the share of reads: of operations or, where a transaction does one thing only, of
	// transactions. 0 to 1.
	Reads float64
	Dist  Distribution
}

// Distribution says how often each key is used.
type Distribution string

const (
	Uniform Distribution = "uniform"
	Zipf    Distribution = "zipf"    // with exponent 1.1
	Hotspot Distribution = "hotspot" // four of five uses are of the first fifth of the keys
)

// Distributions are the names of all of them.
func Distributions() []string { return []string{string(Uniform), string(Zipf), string(Hotspot)} }

// Workload is a kind of client.
type Workload struct {
	Name, Summary string
	// next chooses a transaction.
	next func(*Client) Txn
}

// All are the workloads, sorted by name.
func All() []Workload {
	all := slices.Concat(parametric(), applications())
	slices.SortFunc(all, func(a, b Workload) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}

// Names are the names of all workloads, sorted.
func Names() []string {
	var out []string
	for _, w := range All() {
		out = append(out, w.Name)
	}
	return out
}

// ByName gives the workload of a name.
func ByName(name string) (Workload, error) {
	for _, w := range All() {
		if w.Name == name {
			return w, nil
		}
	}
	return Workload{}, fmt.Errorf("there is no workload %q", name)
}

// Client is one session that runs a workload. It is not for several goroutines.
type Client struct {
	Params
	w    Workload
	r    *rand.Rand
	zipf *rand.Zipf
	// Of all clients of a run:
	shared *Shared
}

// Shared is what the clients of one run agree on.
type Shared struct{ fresh atomic.Int64 }

// Client gives a session. Clients of the same seed and number choose the same transactions,
// as long as they do so in the same order among each other.
func (w Workload) Client(p Params, seed uint64, number int, s *Shared) *Client {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	return &Client{Params: p, w: w, r: r, zipf: rand.NewZipf(r, 1.1, 1, uint64(p.Keys-1)), shared: s}
}

// Next chooses the next transaction.
func (c *Client) Next() Txn { return c.w.next(c) }

// key chooses one of n keys.
func (c *Client) key(n int) int64 {
	switch c.Dist {
	case Zipf:
		return int64(c.zipf.Uint64()) % int64(n)
	case Hotspot:
		if hot := (n + 4) / 5; c.r.IntN(5) > 0 {
			return c.r.Int64N(int64(hot))
		}
	case Uniform:
	}
	return c.r.Int64N(int64(n))
}

// keys chooses up to so many different keys of n, in ascending order: transactions that lock
// them meet no deadlock among themselves.
func (c *Client) keys(count, n int) []int64 {
	var out []int64
	for range count {
		if k := c.key(n); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// reads tells whether to read, by the share of reads.
func (c *Client) reads() bool { return c.r.Float64() < c.Reads }

// fresh is a number that no client of the run had before.
func (c *Client) fresh() int64 { return c.shared.fresh.Add(1) }

// step is one request.
type step func(Tx) error

// steps runs requests one after the other.
func steps(label string, all []step) Txn {
	return Txn{label, func(tx Tx) error {
		for _, s := range all {
			if err := s(tx); err != nil {
				return err
			}
		}
		return nil
	}}
}

func read(k int64) step {
	return func(tx Tx) error { _, err := tx.Read(k); return err }
}

func write(k int64) step { return func(tx Tx) error { return tx.Write(k, 0) } }

// change reads a register and writes what f makes of its data.
func change(tx Tx, k int64, f func(int64) int64) (old int64, err error) {
	if old, err = tx.Read(k); err != nil {
		return 0, err
	}
	return old, tx.Write(k, f(old))
}
