// Command run compares the checkers of other projects with robust: make peers.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/txrobust/robust/internal/peers"
	"github.com/txrobust/robust/isolation"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx))
}

// run gives the exit code: 0, 1 if a verdict differs or something failed, 2 for wrong usage.
func run(ctx context.Context) int {
	o := peers.Options{Say: func(s string) { fmt.Fprintln(os.Stderr, s) }}
	levels := flag.String("level", "RC,RA,CC,PL-SI,SI,SER", "`levels` to compare, with commas between them")
	fetch := flag.Bool("fetch", false, "fetch peers that are not in the folder, with git")
	flag.StringVar(&o.Dir, "dir", "", "`folder` for the peers, one folder each, in small letters")
	flag.StringVar(&o.Robust, "robust", "bin/robust", "our `program`")
	flag.IntVar(&o.Runs, "runs", 5, "`number` of runs of each program")
	flag.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "`time` for each run")
	flag.Parse()
	if o.Dir == "" || flag.NArg() == 0 || o.Runs < 1 {
		fmt.Fprintln(os.Stderr, "peers: name a folder with -dir, one run at least, and a recorded history: run -dir FOLDER HISTORY…")
		return 2
	}
	var err error
	for _, path := range []*string{&o.Dir, &o.Robust} {
		if *path, err = filepath.Abs(*path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if _, err := os.Stat(o.Robust); err != nil {
		fmt.Fprintf(os.Stderr, "peers: %v; make build builds it\n", err)
		return 2
	}
	for _, name := range strings.Split(*levels, ",") {
		l, err := isolation.ParseLevel(strings.TrimSpace(name))
		if err != nil {
			fmt.Fprintf(os.Stderr, "peers: -level: %v\n", err)
			return 2
		}
		o.Levels = append(o.Levels, l)
	}
	return compare(ctx, o, *fetch, flag.Args())
}

func compare(ctx context.Context, o peers.Options, fetch bool, paths []string) (code int) {
	ready, missing := peers.Ready(ctx, o.Dir, peers.All(), fetch, o.Say)
	for _, m := range missing {
		fmt.Println(m)
	}
	var rows []peers.Row
	for _, path := range paths {
		some, notes, err := peers.Compare(ctx, path, ready, o)
		for _, n := range notes {
			fmt.Println("note: " + n)
		}
		rows = append(rows, some...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
			break
		}
	}
	if err := peers.Table(os.Stdout, rows); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, r := range rows {
		if r.Differs() {
			code = 1
		}
	}
	return code
}
