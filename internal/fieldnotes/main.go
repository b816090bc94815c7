// Fieldnotes loads SQL and prints what became of it: how many tables, functions
// and templates there are, how long loading took and how much memory it needed,
// and what is not modelled, by kind. It makes the numbers of docs/field-notes.md.
//
// Usage:
//
//	go run ./internal/fieldnotes [-v] PATH…
//
// With -v, each place in a Go program that is not modelled is printed.
//
// Each PATH is a file or a directory of .sql files, an application by itself, or
// a pattern of Go packages that ends in "...".
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/sqlmodel"
)

// verbose prints each place that is not modelled.
var verbose = flag.Bool("v", false, "print each place that is not modelled")

func main() {
	flag.Parse()
	failed := flag.NArg() == 0
	for _, path := range flag.Args() {
		load := one
		if strings.HasSuffix(path, "...") {
			load = program
		}
		if err := load(path); err != nil {
			fmt.Printf("%s: %v\n", path, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// one loads an application and prints its numbers.
func one(path string) error {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	p, err := sqlmodel.Load(context.Background(), []string{path}, sqlmodel.Options{})
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d tables, %d templates, %d ms, %d MB allocated, %d MB taken from the system\n", path, len(p.Tables), len(p.Txns),
		took.Milliseconds(), (after.TotalAlloc-before.TotalAlloc)>>20, after.Sys>>20)
	counts := map[string]int{}
	whole := 0
	for _, t := range p.Txns {
		some := false
		ir.Walk(t.Body, func(s ir.Stmt) {
			if u, ok := s.(*ir.Unmodelled); ok {
				counts["statement: "+findings.KindOf(u.Reason)]++
				some = true
			}
		})
		if !some {
			whole++
		}
	}
	for _, n := range p.Notes {
		counts["note: "+findings.KindOf(n.Text)]++
	}
	fmt.Printf("  %d templates without an unmodelled statement\n", whole)
	var kinds []string
	for k := range counts {
		kinds = append(kinds, k)
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return counts[a] > counts[b] || counts[a] == counts[b] && a < b
	})
	for _, k := range kinds {
		fmt.Printf("  %5d  %s\n", counts[k], k)
	}
	return nil
}
