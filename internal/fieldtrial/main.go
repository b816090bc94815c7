// Fieldtrial checks Go programs that others wrote, with the command robust, and prints a
// table of what became of each: how many of the places were found at which a transaction
// begins, how many places of statements are modelled, how many transactions are settled, the
// findings, time and memory. Whoever runs it fetches the programs.
//
// Usage:
//
//	go run ./internal/fieldtrial [-robust PROGRAM] [-timeout DURATION] [-reports DIR] LIST
//
// A line of LIST is a program: the folder of its module, the path of the module, the commit,
// and the packages (./... where there are none):
//
//	shop/server example.com/shop/server 1a2b3c4 ./store/...
//
// Folders are relative to that of LIST. A line [TITLE] begins a group, which has a sum of its
// own, such as the programs that nobody looked at. Lines that begin with # are left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	program := flag.String("robust", "", "the `PROGRAM` robust (default: built from this module)")
	limit := flag.Duration("timeout", time.Minute, "the -timeout of each check")
	reports := flag.String("reports", "", "keep the reports, in JSON, in the folder `DIR`")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := trial(context.Background(), flag.Arg(0), *program, *limit, *reports); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// trial runs the programs of a list, and prints the table.
func trial(ctx context.Context, list, program string, limit time.Duration, reports string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	entries, err := parse(list, string(text))
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "fieldtrial")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if program == "" {
		program = filepath.Join(tmp, "robust")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/txrobust/robust/cmd/robust").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if reports == "" {
		reports = tmp
	} else if err := os.MkdirAll(reports, 0o755); err != nil {
		return err
	}
	t := &table{out: os.Stdout}
	for _, e := range entries {
		t.add(e, run(ctx, program, e, limit, reports))
	}
	t.end()
	return nil
}
