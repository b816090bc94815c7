package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/flags"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/replay"
	"github.com/txrobust/robust/internal/terminal"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// replayFlag is -replay or -replay=DSN.
type replayFlag struct {
	on  bool
	dsn string
}

func (r *replayFlag) String() string {
	switch {
	case r == nil || !r.on:
		return "false"
	case r.dsn == "":
		return "true"
	}
	return r.dsn
}

// IsBoolFlag lets the flag stand without a value.
func (r *replayFlag) IsBoolFlag() bool { return true }

func (r *replayFlag) Set(s string) error {
	*r = replayFlag{}
	switch s {
	case "false":
	case "true":
		r.on = true
	case "":
		return errors.New("the connection string is empty")
	default:
		r.on, r.dsn = true, s
	}
	return nil
}

// replayer runs witnesses on servers that are opened when they are needed, one for
// each dialect.
type replayer struct {
	dsn  string
	say  func(what string)
	lock sync.Mutex
	// servers are those that are open, by dialect.
	servers map[string]*replay.Server
}

// ready makes sure that a dialect can be replayed, before anything is searched for. A
// server that is named has to answer, and to let us have a database.
func (r *replayer) ready(ctx context.Context, dialect string) error {
	opt := replay.Options{Dialect: dialect, DSN: r.dsn}
	if err := replay.Available(opt); err != nil {
		return usagef("-replay: %v", err)
	}
	if r.dsn == "" {
		return nil
	}
	s, err := r.open(ctx, dialect)
	if err != nil {
		return err
	}
	return s.Check(ctx)
}

func (r *replayer) open(ctx context.Context, dialect string) (*replay.Server, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if s := r.servers[dialect]; s != nil {
		return s, nil
	}
	s, err := replay.Open(ctx, replay.Options{Dialect: dialect, DSN: r.dsn, Progress: r.say})
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if r.servers == nil {
		r.servers = map[string]*replay.Server{}
	}
	r.servers[dialect] = s
	return s, nil
}

// replay runs a plan.
func (r *replayer) replay(ctx context.Context, plan *witness.Plan) (*witness.Replay, error) {
	if plan.NotRun != "" { // needs no server
		return &witness.Replay{Outcome: witness.NotRun, Difference: plan.NotRun, Log: []string{}}, nil
	}
	s, err := r.open(ctx, plan.Dialect)
	if err != nil {
		return nil, err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	return s.Replay(ctx, plan)
}

// close stops the servers that were started.
func (r *replayer) close() error {
	if r == nil {
		return nil
	}
	var err error
	for _, s := range r.servers {
		err = errors.Join(err, s.Close())
	}
	r.servers = nil
	return err
}

// replayCommand is robust replay.
func replayCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	dsn := fs.String("dsn", "", "connection `string` of a server, in which a database of our own is made and dropped (default: a private server)")
	var format string
	flags.Choice(fs, &format, "format", "text", []string{"text", "json"}, "`format` of the result: text or json")
	path := fs.String("o", "", "write the result to `FILE` instead of standard output")
	verbose := fs.Bool("v", false, "also print what was sent and what came back")
	return func(ctx context.Context, std streams, dirs []string) (code int, err error) {
		if err := output.Check(*path); err != nil {
			return 0, err
		}
		plans := make([]*witness.Plan, len(dirs))
		for i, dir := range dirs {
			if plans[i], err = witness.ReadPlan(folderOfWitness(dir)); err != nil {
				return 0, err
			}
		}
		say, end := terminal.Working(std.err)
		r := &replayer{dsn: *dsn, say: say}
		var results []report.Replayed
		for i, plan := range plans {
			if err = r.ready(ctx, plan.Dialect); err != nil {
				break
			}
			var got *witness.Replay
			if got, err = r.replay(ctx, plan); err != nil {
				break
			}
			results = append(results, report.Replayed{Witness: dirs[i], Replay: got})
		}
		err = errors.Join(err, r.close())
		end()
		if err != nil {
			return 0, err
		}
		var out bytes.Buffer
		code = exitUnknown
		for _, x := range results {
			if x.Replay.Outcome == witness.AsShown {
				code = exitNotRobust
			}
		}
		if format == "json" {
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			err = enc.Encode(results)
		} else {
			err = report.ReplayedText(&out, results, *verbose)
		}
		if err != nil {
			return 0, err
		}
		return code, output.Write(std.out, std.err, *path, &out)
	}
}

// folderOfWitness takes a file of a witness folder for the folder.
func folderOfWitness(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && strings.HasSuffix(path, ".json") {
		return filepath.Dir(path)
	}
	return path
}
