package main

import (
	"bytes"
	"context"
	"errors"
	"flag"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/view"
	"github.com/txrobust/robust/internal/output"
	"github.com/txrobust/robust/internal/recording"
	"github.com/txrobust/robust/internal/terminal"
)

var (
	generated = "The clients run a workload on a simulated database of an isolation level. The\nhistory is one of that level, and the same for the same flags. At SER, SI and PC\nit has times where the format holds them: the real-time levels hold, too.\n\nThe workloads:" +
		recording.WorkloadList() + "\n\nThe anomalies that can be planted:" + recording.AnomalyList()
	collected = "The clients run a workload on a database, and what they asked and heard is\n" +
		"recorded. Without -dsn and -program a private server is started, and removed at\nthe end; it keeps what it acknowledges unless -setting says otherwise. In a\n" +
		"database of -dsn the tables robust_… are made and dropped. Notes say what the\nformat of the recording cannot hold.\n\nA -program speaks lines of JSON, one process a connection: docs/recording.md.\n\nThe workloads:" + recording.WorkloadList()
	tested = collected + "\n\nThe exit code is 0 if every level that was asked for is satisfied, 3 if one is\nviolated, 4 if one is unknown and none is violated. The levels:" + view.LevelList()
)

func generateCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	g, to := &recording.Generator{}, &target{}
	g.Declare(fs)
	to.declare(fs, "o", string(codec.EDN))
	return func(ctx context.Context, std streams, _ []string) (int, error) {
		if err := errors.Join(g.Check(), to.check()); err != nil {
			return 0, err
		}
		h, err := g.Run(ctx, true)
		if err == nil && !to.lossy && keepsVerdicts(ctx, h, to.format) != nil {
			h, err = g.Run(ctx, false) // most formats have no times
		}
		if err != nil {
			return 0, err
		}
		return exitOK, to.save(ctx, std, h)
	}
}

func collectCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f, to := &recording.Collector{}, &target{}
	f.Declare(fs)
	to.declare(fs, "o", string(codec.EDN))
	return func(ctx context.Context, std streams, _ []string) (int, error) {
		if err := errors.Join(f.Check(), to.check()); err != nil {
			return 0, err
		}
		to.lossy = !to.lossless // a recording is not thrown away
		_, r, err := f.Record(ctx, to.format, std.err)
		if err != nil {
			return 0, err
		}
		return exitOK, to.save(context.WithoutCancel(ctx), std, r.History)
	}
}

func testCommand(fs *flag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f, to, j := &recording.Collector{}, &target{}, &judgeFlags{}
	f.Declare(fs)
	to.declare(fs, "keep", string(codec.EDN))
	j.declareJudging(fs)
	return func(ctx context.Context, std streams, _ []string) (int, error) {
		levels, err := parseLevels(j.level)
		if err == nil {
			err = errors.Join(f.Check(), to.check(), j.check(nil))
		}
		if err != nil {
			return 0, err
		}
		to.lossy = !to.lossless // a recording is not thrown away
		if to.path == "" {
			to.format = ""
		}
		name, r, err := f.Record(ctx, to.format, std.err)
		if err != nil {
			return 0, err
		}
		ctx = context.WithoutCancel(ctx)
		if to.path != "" {
			if err := to.save(ctx, std, r.History); err != nil {
				return 0, err
			}
		}
		if j.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, j.timeout)
			defer cancel()
		}
		say, end := terminal.Working(std.err)
		rep, err := j.judge(ctx, say, name, r.History, "recording", r.Elapsed, levels)
		end()
		if err != nil {
			return 0, err
		}
		var out bytes.Buffer
		if err := j.print(&out, rep); err != nil {
			return 0, err
		}
		return exitOfReport(std, name, rep), output.Write(std.out, std.err, j.output, &out)
	}
}
