package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// Options say how programs are compared.
type Options struct {
	// Dir has the peers, Robust is our program.
	Dir, Robust string
	Levels      []isolation.Level
	Runs        int
	Timeout     time.Duration // of each run
	// Say is told what begins.
	Say func(string)
}

// Row is a history, a level and a format in which both programs got the history.
type Row struct {
	History, Level string
	Format         codec.Format
	Ours, Theirs   Measurement
	Peer           string
}

// Measurement is what a program needed in its runs, and answered.
type Measurement struct {
	Times   []time.Duration // of processors, sorted
	Verdict isolation.Verdict
	// Failed says why there is no verdict.
	Failed string
}

// Median is the median of the times, 0 if there are none.
func (m Measurement) Median() time.Duration {
	n := len(m.Times)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return m.Times[n/2]
	}
	return (m.Times[n/2-1] + m.Times[n/2]) / 2
}

// add keeps a run. Runs with different verdicts are an error of the program.
func (m *Measurement) add(took time.Duration, v isolation.Verdict, failed string) {
	if len(m.Times) > 0 && m.Verdict != v && m.Failed == "" {
		failed = fmt.Sprintf("it answers %v, and another time %v", m.Verdict, v)
	}
	m.Times = append(m.Times, took)
	slices.Sort(m.Times)
	m.Verdict = v
	if m.Failed == "" {
		m.Failed = failed
	}
}

// Compare runs the peers and robust in turn on a history.
func Compare(ctx context.Context, path string, all []Peer, o Options) (rows []Row, notes []string, err error) {
	h, _, err := codec.Read(ctx, []string{path}, codec.Options{})
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	for _, p := range all {
		if !p.judges(h) {
			notes = append(notes, fmt.Sprintf("%s does not judge the data types of %s", p.Name, path))
			continue
		}
		file, why, err := p.file(ctx, dir, h)
		if err != nil {
			return rows, notes, err
		}
		if why != "" {
			notes = append(notes, fmt.Sprintf("%s does not get %s: %s", p.Name, path, why))
			continue
		}
		for _, l := range o.Levels {
			if name, some := p.Levels[l]; some {
				o.Say(fmt.Sprintf("%s: %s and robust, %s", path, p.Name, l))
				rows = append(rows, o.alternate(ctx, p, path, file, l, name))
			}
		}
	}
	return rows, notes, ctx.Err()
}

// file writes a history for a peer, once for all peers of its format. why says what the format
// cannot hold.
func (p *Peer) file(ctx context.Context, dir string, h *history.History) (path, why string, err error) {
	path = filepath.Join(dir, string(p.Format))
	if _, err := os.Stat(path); err == nil {
		return path, "", nil
	}
	doubts, err := p.Format.Doubts(ctx, h)
	if err != nil {
		return "", err.Error(), nil
	}
	if len(doubts) > 0 {
		return "", doubts[0], nil
	}
	_, err = codec.Save(ctx, path, h, p.Format)
	return path, "", err
}

// alternate runs a peer and robust in turn.
func (o Options) alternate(ctx context.Context, p Peer, name, file string, l isolation.Level, theirs string) Row {
	r := Row{History: name, Level: l.String(), Format: p.Format, Peer: p.Name}
	given := filepath.Join(file, p.File)
	for range o.Runs {
		took, out, _, failed := o.run(ctx, p.dir(o.Dir), p.command(p.binary(o.Dir), theirs, given))
		v := p.Verdict(out)
		if failed == "" && v == isolation.Unknown {
			failed = "its answer is not understood: " + last([]byte(out), errors.New("it says nothing"))
		}
		r.Theirs.add(took, v, failed)
		took, _, code, failed := o.run(ctx, "", []string{o.Robust, "history", "check", "-level", r.Level, file})
		v, known := map[int]isolation.Verdict{0: isolation.Accept, 3: isolation.Reject, 4: isolation.Unknown}[code]
		if failed == "" && !known {
			failed = fmt.Sprintf("exit code %d", code)
		}
		r.Ours.add(took, v, failed)
	}
	return r
}

// run runs a program. failed says why it did not end by itself.
func (o Options) run(ctx context.Context, dir string, line []string) (took time.Duration, out string, code int, failed string) {
	ctx, stop := context.WithTimeout(ctx, o.Timeout)
	defer stop()
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir = dir
	c.WaitDelay = time.Second
	text, err := c.CombinedOutput()
	if c.ProcessState != nil {
		took, code = c.ProcessState.UserTime()+c.ProcessState.SystemTime(), c.ProcessState.ExitCode()
	}
	switch _, exited := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		failed = fmt.Sprintf("no answer within %v", o.Timeout)
	case err != nil && !exited:
		failed = err.Error()
	}
	return took, string(text), code, failed
}
