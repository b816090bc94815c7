package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
)

// Shard is a part of a recorded history: a file or folder, or a range of the lines of a file.
type Shard struct {
	Path   string
	Format codec.Format
	// From and To are offsets in bytes; To is 0 for the whole file.
	From, To int64
	// Lines are those of the file before From.
	Lines int
}

// read reads the transactions of a shard. several tells whether it is one of several: then
// values that it does not write may be written elsewhere.
func (s Shard) read(ctx context.Context, several bool) (*history.History, error) {
	o := codec.Options{Format: s.Format, Strict: several}
	if s.To == 0 {
		h, _, err := codec.Read(ctx, []string{s.Path}, o)
		return h, err
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, _, err := codec.Decode(ctx, io.NewSectionReader(f, s.From, s.To-s.From), s.Path, o)
	if wrong, ok := errors.AsType[*codec.Error](err); ok && wrong.Line > 0 {
		wrong.Line += s.Lines
	}
	return h, err
}

// place is where a transaction was recorded, as file:line.
func (s Shard) place(h *history.History, t history.Txn) string {
	at := h.Locate(h.Place(t))
	if s.Lines == 0 {
		return at
	}
	if i := strings.LastIndexByte(at, ':'); i >= 0 {
		if line, err := strconv.Atoi(at[i+1:]); err == nil {
			return fmt.Sprintf("%s:%d", at[:i], line+s.Lines)
		}
	}
	return at
}

// shardHistory is a shard that was read, with the candidate positions of its transactions.
type shardHistory struct {
	Shard
	*history.History
	number int
	names  []string // of keys
	wanted []bool   // by key: see Job.wants
	ranks  []int64  // by transaction; nil where stamps decide
}

func (j *Job) open(ctx context.Context, number int) (*shardHistory, error) {
	s := j.Shards[number]
	h, err := s.read(ctx, len(j.Shards) > 1)
	if err != nil {
		return nil, err
	}
	out := &shardHistory{Shard: s, History: h, number: number, names: make([]string, h.NumKeys()), wanted: make([]bool, h.NumKeys())}
	for k := range out.names {
		out.names[k] = encodeName(h.KeyName(history.Key(k)))
		out.wanted[k] = j.wants(out.names[k])
	}
	if j.Ranked {
		blob, err := os.ReadFile(ranksFile(j.Scratch, number))
		if err != nil {
			return nil, err
		}
		out.ranks = make([]int64, h.NumTxns())
		for r, t := reader(blob), 1; t < len(out.ranks); t++ {
			out.ranks[t] = r.int()
		}
	}
	return out, nil
}

// pos is the candidate position of a transaction.
func (s *shardHistory) pos(t history.Txn) Pos {
	p := Pos{Txn: makeID(s.number, t)}
	switch {
	case s.ranks != nil:
		p.Stamp = s.ranks[t]
	case s.Order() == history.NoOrder:
		p.Stamp = 0
	case s.End(t) != history.NoEnd:
		p.Stamp = s.End(t)
	default: // of unknown outcome, mostly: it may have taken effect once it had begun
		p.Stamp = s.Begin(t)
	}
	return p
}

// sessionName is the same in all shards for a session with a name.
func (s *shardHistory) sessionName(x history.Session) string {
	n := s.SessionName(x)
	if n.Kind == history.NilName {
		var w writer
		w.uint(uint64(s.number))
		w.uint(uint64(x))
		return "\x00" + string(w)
	}
	return encodeName(n)
}

// access is what a transaction does to a key, as others see it.
type access struct {
	key   history.Key
	write bool
	list  bool
	op    int // its number in the transaction
	// values are those that are written, in order, or the one or the elements that
	// are read of others.
	values []string
}

// accesses gives those of a transaction to the keys that are wanted. odd tells that it does not see its own writes.
func (s *shardHistory) accesses(t history.Txn) (out []access, odd bool) {
	first, end := s.Ops(t)
	var own map[history.Key]int // index in out of the writes
	for o := first; o < end; o++ {
		k, kind := s.Key(o), s.Kind(o)
		if !s.wanted[k] {
			continue
		}
		at, written := own[k]
		switch {
		case kind.Writes():
			v := encodeName(s.ValueName(s.Value(o)))
			if written {
				out[at].values = append(out[at].values, v)
				continue
			}
			if own == nil {
				own = map[history.Key]int{}
			}
			own[k] = len(out)
			out = append(out, access{k, true, kind == history.Append, int(o - first), []string{v}})
		case !s.Known(o):
		case kind == history.ReadList:
			elements := make([]string, len(s.List(o)))
			for i, e := range s.List(o) {
				elements[i] = encodeName(s.ValueName(e))
			}
			if written {
				rest, ok := withoutSuffix(elements, out[at].values)
				odd = odd || !ok
				elements = rest
			}
			out = append(out, access{k, false, true, int(o - first), elements})
		default:
			v := encodeName(s.ValueName(s.Value(o)))
			if written {
				odd = odd || out[at].values[len(out[at].values)-1] != v
				continue
			}
			out = append(out, access{k, false, false, int(o - first), []string{v}})
		}
	}
	return out, odd
}

// withoutSuffix gives a list without what it has to end with.
func withoutSuffix(list, suffix []string) ([]string, bool) {
	n := len(list) - len(suffix)
	if n < 0 {
		return list, false
	}
	for i, v := range suffix {
		if list[n+i] != v {
			return list, false
		}
	}
	return list[:n], true
}

// beyond says what of a history is more than registers and lists whose versions have values
// alone; empty if nothing is.
func beyond(h *history.History) string {
	if h.UnknownInitials() {
		return "initial values are not known"
	}
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		switch h.Kind(o) {
		case history.Read, history.Write, history.Append, history.ReadList:
		default:
			return fmt.Sprintf("there are operations of the kind %s", h.Kind(o))
		}
		if h.Version(o) != history.NoValue {
			return "versions have an identity beside their values"
		}
	}
	return ""
}
