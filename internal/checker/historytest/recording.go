package historytest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/txrobust/robust/isolation"
)

// Workload is one of the weak levels: as AWDIT and Plume are measured with, half of
// the operations reads, and keys chosen uniformly.
type Workload struct {
	Seed uint64
	// Level is that of the database: SER executes one transaction after the other,
	// CC has replicas that get what others write later.
	Level                     isolation.Level
	Sessions, Txns, Ops, Keys int // Ops are those of each transaction
}

// Plume writes a recording of a workload in the text format of Plume.
func (w Workload) Plume(out io.Writer) error {
	db := database(&serial{state: make([]int64, w.Keys)})
	switch w.Level {
	case isolation.SER:
	case isolation.CC:
		db = newReplicas(rand.New(rand.NewPCG(w.Seed, 1)), w.Keys)
	default:
		return fmt.Errorf("there is no workload of %s", w.Level)
	}
	r := rand.New(rand.NewPCG(w.Seed, 0))
	buf := bufio.NewWriterSize(out, 1<<16)
	value := int64(0)
	for t := range w.Txns {
		s := r.IntN(w.Sessions)
		db.begin(s)
		for range w.Ops {
			k, v, kind := r.IntN(w.Keys), int64(0), byte('r')
			if r.IntN(2) == 0 {
				v = db.read(k)
			} else {
				value++
				v, kind = value, 'w'
				db.write(k, v)
			}
			b := append(buf.AvailableBuffer(), kind, '(')
			for i, n := range []int64{int64(k), v, int64(s), int64(t)} {
				if i > 0 {
					b = append(b, ',')
				}
				b = strconv.AppendInt(b, n, 10)
			}
			if _, err := buf.Write(append(b, ")\n"...)); err != nil {
				return err
			}
		}
		db.commit()
	}
	return buf.Flush()
}

// database executes one transaction after the other.
type database interface {
	begin(session int)
	read(key int) int64
	write(key int, value int64)
	commit()
}

// serial is a database with one copy.
type serial struct{ state []int64 }

func (s *serial) begin(int)            {}
func (s *serial) read(k int) int64     { return s.state[k] }
func (s *serial) write(k int, v int64) { s.state[k] = v }
func (s *serial) commit()              {}

// replicas are copies of a database. Sessions stay with one; transactions get to
// the others in causal order, and the write with the latest Lamport time wins.
type replicas struct {
	r    *rand.Rand
	all  [numReplicas]replica
	log  [numReplicas][]commit // by where they executed
	at   int                   // the replica of the running transaction
	open []assignment
}

const numReplicas = 5

type replica struct {
	state []version
	seen  [numReplicas]int // how many of each log
	clock int64
}

type version struct{ stamp, value int64 }

type assignment struct {
	key   int
	value int64
}

type commit struct {
	past   [numReplicas]int
	stamp  int64
	writes []assignment
}

func newReplicas(r *rand.Rand, keys int) *replicas {
	d := &replicas{r: r}
	for i := range d.all {
		d.all[i].state = make([]version, keys)
	}
	return d
}

// begin brings some of what other replicas committed.
func (d *replicas) begin(session int) {
	const lag = 50 // how many transactions of another replica may be missing
	d.at, d.open = session%numReplicas, nil
	for from := range d.log {
		if from != d.at {
			d.deliver(from, len(d.log[from])-d.r.IntN(lag))
		}
	}
}

// deliver makes the replica see the first n transactions of a log, and what they
// have seen.
func (d *replicas) deliver(from, n int) {
	me := &d.all[d.at]
	for me.seen[from] < n {
		c := d.log[from][me.seen[from]]
		me.seen[from]++
		for other, n := range c.past {
			d.deliver(other, n)
		}
		me.clock = max(me.clock, c.stamp)
		for _, w := range c.writes {
			me.assign(w, c.stamp)
		}
	}
}

func (m *replica) assign(w assignment, stamp int64) {
	if v := &m.state[w.key]; stamp >= v.stamp {
		*v = version{stamp, w.value}
	}
}

func (d *replicas) read(k int) int64 {
	for i := len(d.open) - 1; i >= 0; i-- {
		if d.open[i].key == k {
			return d.open[i].value
		}
	}
	return d.all[d.at].state[k].value
}

func (d *replicas) write(k int, v int64) { d.open = append(d.open, assignment{k, v}) }

func (d *replicas) commit() {
	me := &d.all[d.at]
	// Stamps of different replicas differ.
	me.clock = (me.clock/numReplicas+1)*numReplicas + int64(d.at)
	c := commit{past: me.seen, stamp: me.clock, writes: d.open}
	for _, w := range c.writes {
		me.assign(w, c.stamp)
	}
	d.log[d.at] = append(d.log[d.at], c)
	me.seen[d.at]++
}

// ListAppend writes what Jepsen would of a serializable database with lists, as in
// section 6.1 of the paper: transactions of one to five operations on 100 lists, of
// which each is appended to 100 times, and replaced with a new one then. ops
// bounds the number of operations.
func ListAppend(w io.Writer, ops, sessions int) error {
	out := bufio.NewWriterSize(w, 1<<16)
	rng := rand.New(rand.NewPCG(1, 2))
	const active, appends = 100, 100
	keys := make([]int, active)
	lists := make([][]byte, active) // as text
	count := make([]int, active)
	for i := range keys {
		keys[i] = i
	}
	next := active
	var invoke, ok []byte
	type open struct{ ok []byte }
	running := make([]open, sessions)
	for done := 0; done < ops; {
		p := rng.IntN(sessions)
		if r := &running[p]; r.ok != nil {
			out.Write(r.ok)
			r.ok = nil
		}
		invoke = append(append(invoke[:0], "{:type :invoke, :f :txn, :process "...), strconv.Itoa(p)...)
		ok = append(append(ok[:0], "{:type :ok, :f :txn, :process "...), strconv.Itoa(p)...)
		invoke, ok = append(invoke, ", :value ["...), append(ok, ", :value ["...)
		for range 1 + rng.IntN(5) {
			done++
			i := rng.IntN(active)
			if rng.IntN(2) == 0 {
				op := fmt.Sprintf("[:r %d ", keys[i])
				invoke = append(append(invoke, op...), "nil] "...)
				ok = append(append(append(append(ok, op...), '['), lists[i]...), "]] "...)
				continue
			}
			count[i]++
			op := fmt.Sprintf("[:append %d %d] ", keys[i], count[i])
			invoke, ok = append(invoke, op...), append(ok, op...)
			lists[i] = strconv.AppendInt(append(lists[i], ' '), int64(count[i]), 10)
			if count[i] == appends {
				keys[i], lists[i], count[i] = next, nil, 0
				next++
			}
		}
		out.Write(append(invoke, "]}\n"...))
		running[p].ok = append([]byte(nil), append(ok, "]}\n"...)...)
	}
	for _, r := range running {
		out.Write(r.ok)
	}
	return out.Flush()
}
