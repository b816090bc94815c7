// Package pipeline runs the jobs of package contract as pipelines of Apache Beam: on the runner
// inside the program, Prism, or on any other that the flags of Beam name.
//
// A job is two shuffles: shards are mapped to parts of keys, these to parts of transactions or
// to windows, and what is known of those is a file each in a folder that all workers share. Stages
// depend on their arguments alone and a file replaces an older one with the same
// content, so that a runner may execute anything again.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/txrobust/robust/beam/internal/contract"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/fault"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&mapFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&firstFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&secondFn{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// Runner runs jobs with the runner that the flags of Beam name.
type Runner struct{}

// failed is the file in which a stage tells why it failed: runners tell it with much else.
const failed = "failed"

// Run executes a job.
func (Runner) Run(ctx context.Context, j contract.Job) ([][]byte, error) {
	out, err := os.MkdirTemp(j.Scratch, "pass-"+string(j.Kind)+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	p, scope := beam.NewPipelineWithRoot()
	shards := make([]int, len(j.Shards))
	for i := range shards {
		shards[i] = i
	}
	c := Common{Job: j.Encode(), Out: out}
	input := beam.Reshuffle(scope, beam.CreateList(scope, shards))
	keys := beam.GroupByKey(scope, beam.ParDo(scope, &mapFn{Common: c}, input))
	parts := beam.GroupByKey(scope, beam.ParDo(scope, &firstFn{Common: c}, keys))
	beam.ParDo0(scope, &secondFn{Common: c}, parts)
	if err := beamx.Run(ctx, p); err != nil {
		if why, e := os.ReadFile(filepath.Join(out, failed)); e == nil {
			return nil, errors.New(string(why))
		}
		return nil, fmt.Errorf("the pass %q failed: %w", j.Kind, err)
	}
	files, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	var blobs [][]byte
	for _, f := range files {
		if _, err := strconv.Atoi(f.Name()); err != nil {
			continue // left by a worker that ended
		}
		blob, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, blob)
	}
	return blobs, nil
}

// Common is what all stages know.
type Common struct {
	Job []byte
	Out string
}

// do runs a stage. A panic is an error of it, and what was wrong is kept in a file.
func (c Common) do(stage func(contract.Stages) error) error {
	j, err := contract.Decode(c.Job)
	if err != nil {
		return err
	}
	if f := fault.Guard("a pass over the shards", func() { err = stage(j.Stages()) }); f != nil {
		return fmt.Errorf("%w\n%s", f, f.Stack)
	}
	if _, input := errors.AsType[*codec.Error](err); input || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return errors.Join(err, contract.ReplaceFile(filepath.Join(c.Out, failed), []byte(err.Error())))
	}
	return err
}

type mapFn struct{ Common Common }

func (f *mapFn) ProcessElement(ctx context.Context, shard int, emit func(int, []byte)) error {
	return f.Common.do(func(s contract.Stages) error { return s.Map(ctx, shard, emit) })
}

type firstFn struct{ Common Common }

func (f *firstFn) ProcessElement(ctx context.Context, part int, blobs func(*[]byte) bool, emit func(int, []byte)) error {
	return f.Common.do(func(s contract.Stages) error { return s.First(ctx, part, all(blobs), emit) })
}

type secondFn struct{ Common Common }

func (f *secondFn) ProcessElement(ctx context.Context, part int, blobs func(*[]byte) bool) error {
	return f.Common.do(func(s contract.Stages) error {
		blob, err := s.Second(ctx, part, all(blobs))
		if err == nil {
			err = contract.ReplaceFile(filepath.Join(f.Common.Out, strconv.Itoa(part)), blob)
		}
		return err
	})
}

func all(next func(*[]byte) bool) (out [][]byte) {
	var b []byte
	for next(&b) {
		out = append(out, b)
		b = nil
	}
	return out
}
