package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
)

// Kind says what a job finds out.
type Kind string

const (
	scanning  Kind = "scan"      // what the shards are: Scan
	ordering  Kind = "order"     // a candidate order, into files
	serial    Kind = "serial"    // what no serial execution in the candidate order explains: facts
	snapshots Kind = "snapshots" // what snapshots of the transactions in the file of stale ones come after: facts
	linking   Kind = "links"     // who wrote and who read from whom in windows: linkFacts
	weighing  Kind = "weigh"     // which weak levels windows violate by their links: weakVerdict
	touching  Kind = "touch"     // the keys of windows
	judging   Kind = "judge"     // verdicts about windows: Verdict
)

// Job is one pass over the input. It travels to all workers as JSON.
type Job struct {
	Kind   Kind
	Shards []Shard
	// Parts is how many parts keys, and transactions, are divided into.
	Parts int
	// Scratch is a folder that all workers share. Ranked tells that the candidate
	// order is there.
	Scratch string
	Ranked  bool
	// Slice is which of so many Slices of the keys a pass looks at: one after the other
	// they take less memory.
	Slice, Slices int
	// Keys are those that windows touch; nil if all keys are looked at.
	Keys [][]byte `json:",omitempty"`
	// Before has, of each shard, the position of the last transaction of a session
	// in the shards before, by name of the session.
	Before []map[string]Pos `json:",omitempty"`
	// Windows are those to judge, Whole that the one there is has everything.
	Windows []Interval `json:",omitempty"`
	Whole   bool
	// Only are the transactions that windows have; nil if they have all of their intervals. Open
	// tells that windows are not asked about as closed parts.
	Only   []ID `json:",omitempty"`
	Open   bool `json:",omitempty"`
	Levels []string
	Limit  int // of anomalies of each kind that a window lists

	stale map[ID]bool
	keys  map[string]bool
	only  map[ID]bool
}

// Stages gives what a runner executes.
func (j *Job) Stages() Stages { return stages{j} }

// Encode makes a text of a job, Decode a job of the text.
func (j *Job) Encode() []byte {
	blob, err := json.Marshal(j)
	if err != nil {
		panic(fmt.Sprintf("contract: a job cannot be encoded: %v", err))
	}
	return blob
}

// Decode is the inverse of Encode.
func Decode(blob []byte) (*Job, error) {
	j := &Job{}
	return j, json.Unmarshal(blob, j)
}

// load reads what all stages of a job need.
func (j *Job) load() error {
	if j.Kind == snapshots && j.stale == nil {
		blob, err := os.ReadFile(staleFile(j.Scratch))
		if err != nil {
			return err
		}
		j.stale = map[ID]bool{}
		for r := reader(blob); len(r) > 0; {
			j.stale[r.id()] = true
		}
	}
	if j.Keys != nil && j.keys == nil {
		j.keys = map[string]bool{}
		for _, k := range j.Keys {
			j.keys[string(k)] = true
		}
	}
	if j.Only != nil && j.only == nil {
		j.only = map[ID]bool{}
		for _, id := range j.Only {
			j.only[id] = true
		}
	}
	return nil
}

// window gives the number of the window that has a transaction, or -1.
func (j *Job) window(p Pos) int {
	if j.only != nil && !j.only[p.Txn] {
		return -1
	}
	return find(j.Windows, p)
}

// wants tells whether a pass looks at a key.
func (j *Job) wants(key string) bool {
	if j.keys != nil && !j.keys[key] {
		return false
	}
	return j.Slices <= 1 || partOf(key, j.Parts*j.Slices)/j.Parts == j.Slice
}

type stages struct{ *Job }

func (s stages) Map(ctx context.Context, shard int, emit Emit) error {
	if s.Kind == scanning {
		blob, err := s.scan(ctx, shard)
		if err == nil {
			emit(shard, blob)
		}
		return err
	}
	if err := s.load(); err != nil {
		return err
	}
	h, err := s.open(ctx, shard)
	if err != nil {
		return err
	}
	out := newBatches(emit)
	switch s.Kind {
	case touching:
		s.mapTouched(h, out)
	case weighing:
		s.mapNodes(h, out)
	default:
		s.mapKeys(h, out)
	}
	if s.Kind == judging {
		s.mapBodies(h, out)
	}
	if s.Kind == ordering {
		s.mapOrder(h, out)
	}
	if s.Kind == linking && shard == 0 {
		for g := range s.groups() {
			emit(s.Parts+g, nil) // so that each has a file
		}
	}
	if s.Kind == snapshots {
		s.mapSessions(h, out)
	}
	out.flush()
	return nil
}

func (s stages) First(ctx context.Context, part int, blobs [][]byte, emit Emit) error {
	if s.Kind == scanning || part >= s.Parts {
		for _, b := range blobs {
			emit(part, b)
		}
		return nil
	}
	if err := s.load(); err != nil {
		return err
	}
	out := newBatches(emit)
	defer out.flush()
	return eachKey(blobs, func(k *keyed) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch s.Kind {
		case ordering:
			s.relate(k, out)
		case serial:
			s.explain(k, out)
		case snapshots:
			s.bound(k, out)
		case linking:
			s.links(k, out)
		case judging:
			s.states(k, out)
		}
		return nil
	})
}

func (s stages) Second(ctx context.Context, part int, blobs [][]byte) ([]byte, error) {
	switch s.Kind {
	case scanning:
		return blobs[0], nil
	case ordering:
		return nil, s.arrange(blobs)
	case serial, snapshots:
		return s.settle(blobs)
	case linking:
		return s.keepLinks(part, blobs)
	case weighing:
		return s.weigh(ctx, part-s.Parts, blobs)
	case touching:
		return gather(blobs), nil
	case judging:
		return s.judge(ctx, part-s.Parts, blobs)
	}
	return nil, fmt.Errorf("contract: unknown job %q", s.Kind)
}
