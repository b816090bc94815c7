package contract

import (
	"context"
	"encoding/json"
	"fmt"
)

// Kind says what a job finds out.
type Kind string

const (
	scanning  Kind = "scan"      // what the shards are: Scan
	ordering  Kind = "order"     // a candidate order, into files
	serial    Kind = "serial"    // intervals that no serial execution in the candidate order explains
	snapshots Kind = "snapshots" // intervals that no execution on snapshots explains
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
	// Before has, of each shard, the position of the last transaction of a session
	// in the shards before, by name of the session.
	Before []map[string]Pos `json:",omitempty"`
	// Windows are those to judge, Whole that the one there is has everything.
	Windows []Interval `json:",omitempty"`
	Whole   bool
	Levels  []string
	Limit   int // of anomalies of each kind that a window lists
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

type stages struct{ *Job }

func (s stages) Map(ctx context.Context, shard int, emit Emit) error {
	if s.Kind == scanning {
		blob, err := s.scan(ctx, shard)
		if err == nil {
			emit(shard, blob)
		}
		return err
	}
	h, err := s.open(ctx, shard)
	if err != nil {
		return err
	}
	out := newBatches(emit)
	s.mapKeys(h, out)
	if s.Kind == judging {
		s.mapBodies(h, out)
	}
	if s.Kind == ordering {
		s.mapOrder(h, out)
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
	out := newBatches(emit)
	defer out.flush()
	return eachKey(blobs, func(k *keyed) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch s.Kind {
		case ordering:
			s.relate(k, out)
		case serial, snapshots:
			s.explain(k, out)
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
	case judging:
		return s.judge(ctx, part-s.Parts, blobs)
	}
	return nil, fmt.Errorf("contract: unknown job %q", s.Kind)
}
