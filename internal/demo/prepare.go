package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// Performance is a scene with all that was found out about it.
type Performance struct {
	Scene   *Scene
	found   *execution
	steps   []step
	changes []judged
	stores  []stored
}

// judged is a change with what was found out about it.
type judged struct {
	*Change
	report *report.Report
	// refused is the label of the transaction that cannot commit in the schedule of the
	// scene, and why the reason, "" where it waits for a table; repeats is another execution of the same calls that no
	// serial order explains, or nil. Both are unknown where the level is another one.
	refused, why string
	repeats      *witness.Witness
	// tried counts the executions of the calls, if all have the outcome of a serial order.
	tried int
}

// helps is the verdict on the changed scene. An execution of its calls refutes it, too.
func (j *judged) helps() report.Verdict {
	if j.repeats != nil {
		return report.NotRobust
	}
	return j.report.Verdict
}

// proofTime is how long the proof of a change may take.
const proofTime = 30 * time.Second

// Prepare finds the execution of a scene, and judges its changes.
func Prepare(ctx context.Context, s *Scene) (*Performance, error) {
	p, err := load(s.Name, s.Files)
	if err != nil {
		return nil, err
	}
	c, err := newCast(p, s.Level, s.Calls)
	if err != nil {
		return nil, err
	}
	out := &Performance{Scene: s}
	if out.found, _, err = c.find(ctx); err != nil {
		if errors.Is(err, errNone) {
			return nil, ir.Errorf(s.Calls[0].Pos, "the scene shows nothing: at %s %v", s.Level, err)
		}
		return nil, err
	}
	out.steps = steps(out.found.witness)
	for i := range s.Changes {
		j, err := out.judge(ctx, &s.Changes[i])
		if err != nil {
			return nil, err
		}
		out.changes = append(out.changes, *j)
	}
	for _, name := range s.Stores {
		r, err := c.stored(ctx, name)
		if err != nil {
			return nil, err
		}
		out.stores = append(out.stores, *r)
	}
	return out, nil
}

// isolations are the names of the levels in check.Options.
var isolations = map[levels.Level]string{levels.ReadCommitted: levels.AtReadCommitted, levels.RepeatableRead: levels.AtSnapshot, levels.Serializable: levels.AtSerializable}

// verdict judges a program for any rows and any number of sessions, as robust check does.
func verdict(ctx context.Context, p *ir.Program, level levels.Level) (*report.Report, error) {
	ctx, stop := context.WithTimeout(ctx, proofTime)
	defer stop()
	return check.Check(ctx, p, check.Options{Engine: engine.Postgres(), Isolation: isolations[level], First: true})
}

// judge judges a change.
func (p *Performance) judge(ctx context.Context, c *Change) (*judged, error) {
	prog, err := load(p.Scene.Name, c.Files)
	if err != nil {
		return nil, err
	}
	out := &judged{Change: c}
	if out.report, err = verdict(ctx, prog, c.Level); err != nil {
		return nil, err
	}
	if c.Level == levels.Serializable {
		return out, nil
	}
	k, err := newCast(prog, c.Level, p.Scene.Calls)
	if err != nil {
		return nil, fmt.Errorf("%w (with the change %s)", err, c.Name)
	}
	x, tried, err := k.find(ctx)
	switch {
	case err == nil:
		out.repeats = x.witness
	case errors.Is(err, errNone):
		if len(out.report.Dropped) == 0 { // no execution was left out that the database may refuse
			out.tried = tried
		}
	case ctx.Err() != nil:
		return nil, err
	}
	if c.Level == p.Scene.Level && c.Level == levels.RepeatableRead {
		out.refused, out.why = k.again(p.found)
	}
	return out, nil
}
