package contract

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Emit hands a blob to the part of a number.
type Emit func(part int, blob []byte)

// Stages are what a runner executes: Map for each shard, First for each part that it gave blobs
// to, and Second for each part that First gave blobs to. A runner may execute them on any
// machines, in any order and again after a failure: they depend on their arguments alone.
type Stages interface {
	Map(ctx context.Context, shard int, emit Emit) error
	First(ctx context.Context, part int, blobs [][]byte, emit Emit) error
	// Second gives what is kept of a part.
	Second(ctx context.Context, part int, blobs [][]byte) ([]byte, error)
}

// Runner executes a job, and gives the outputs of its parts in no particular order.
type Runner interface {
	Run(ctx context.Context, j Job) ([][]byte, error)
}

// Local is the runner without a cluster: one stage after the other, in memory.
type Local struct{}

// Run executes a job.
func (Local) Run(ctx context.Context, j Job) ([][]byte, error) {
	first, second := map[int][][]byte{}, map[int][][]byte{}
	into := func(m map[int][][]byte) Emit {
		return func(part int, blob []byte) { m[part] = append(m[part], blob) }
	}
	s := j.Stages()
	for i := range j.Shards {
		if err := s.Map(ctx, i, into(first)); err != nil {
			return nil, err
		}
	}
	for _, part := range sortedKeys(first) {
		if err := s.First(ctx, part, first[part], into(second)); err != nil {
			return nil, err
		}
		delete(first, part)
	}
	var out [][]byte
	for _, part := range sortedKeys(second) {
		blob, err := s.Second(ctx, part, second[part])
		if err != nil {
			return nil, err
		}
		out = append(out, blob)
	}
	return out, nil
}

func sortedKeys[K int | string, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// chunk is the size of a blob, in bytes, at which it is handed on.
const chunk = 1 << 20

// batches collect records for parts, so that a shuffle moves few large blobs.
type batches struct {
	emit  Emit
	parts map[int]*writer
}

func newBatches(emit Emit) *batches { return &batches{emit: emit, parts: map[int]*writer{}} }

// to gives the blob of a part to append a record to.
func (b *batches) to(part int) *writer {
	w := b.parts[part]
	if w == nil {
		w = &writer{}
		b.parts[part] = w
	}
	if len(*w) >= chunk {
		b.emit(part, *w)
		*w = nil
	}
	return w
}

// flush hands on what is left.
func (b *batches) flush() {
	for _, part := range sortedKeys(b.parts) {
		if w := *b.parts[part]; len(w) > 0 {
			b.emit(part, w)
		}
	}
	clear(b.parts)
}

// partOf is the part of a key, the same on all machines.
func partOf(key string, parts int) int {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return int(h % uint64(parts))
}

// ranksFile is where the candidate order of a shard is kept, if it was computed.
func ranksFile(scratch string, shard int) string {
	return filepath.Join(scratch, fmt.Sprintf("order-%d", shard))
}

// staleFile has the transactions that read older versions, in the candidate order.
func staleFile(scratch string) string { return filepath.Join(scratch, "stale") }

// ReplaceFile writes a file so that nobody sees half of it.
func ReplaceFile(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
