package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	killed, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(2)
	}
	if !killed {
		os.Exit(1)
	}
}

// run reports whether every fault is killed that should be.
func run(ctx context.Context) (bool, error) {
	folder := flag.String("dir", filepath.Join(os.TempDir(), "robust-mutation"), "the scratch `folder`, which keeps answers for later runs")
	names := flag.String("run", "", "run only faults whose name or file matches the `pattern`")
	again := flag.Bool("again", false, "run faults that are killed already, too")
	rounds := flag.Int("rounds", stages, "how `many` rounds of tests to run: 1 is the quickest, 2 all that are quick, 3 whole packages, too")
	jobs := flag.Int("jobs", 2, "how `many` faults to run at a time")
	flag.Parse()
	pattern, err := regexp.Compile(*names)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	r, err := newRunner(*folder, max(1, min(*rounds, stages)))
	if err != nil {
		return false, err
	}
	all := faults()
	if err := r.prepare(ctx, all); err != nil {
		return false, err
	}
	var todo []Fault
	for _, f := range all {
		if (pattern.MatchString(f.Name) || pattern.MatchString(f.File)) && (*again || !r.done(&f)) {
			todo = append(todo, f)
		}
	}
	if err := r.runAll(ctx, todo, *jobs); err != nil {
		return false, err
	}
	return r.summary(os.Stdout, all), nil
}
