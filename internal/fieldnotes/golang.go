package main

import (
	"context"
	"fmt"
	"time"

	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/goprogram"
)

// program loads a Go program and prints its numbers.
func program(pattern string) error {
	ctx := context.Background()
	start := time.Now()
	found, err := analyzer.Load(ctx, []string{pattern}, analyzer.Options{})
	if err != nil {
		return err
	}
	loaded := time.Since(start)
	roots, err := goprogram.Roots(found.Modules)
	if err != nil {
		return err
	}
	source, err := goprogram.Open(ctx, found, goprogram.Options{Roots: roots})
	if err != nil {
		return err
	}
	p, err := source.Program(ctx)
	if err != nil {
		return err
	}
	rep := findings.New(p)
	c := findings.CoverageOf(found.Places(), rep.Havocs)
	single := 0
	for _, t := range found.Txns {
		if t.Auto {
			single++
		}
	}
	fmt.Printf("%s: %d tables, %d places where a transaction begins, %d transactions, %d single statements, %d ms to extract, %d ms in all\n", pattern,
		len(p.Tables), found.Begins, len(found.Txns)-single, single, loaded.Milliseconds(), time.Since(start).Milliseconds())
	fmt.Printf("  %d of %d places modelled\n", c.Modelled, c.Places)
	for _, r := range c.Reasons {
		fmt.Printf("  %5d  %s (%s:%d)\n", r.Places, r.Text, r.File, r.Line)
	}
	for _, h := range rep.Havocs {
		if *verbose {
			fmt.Printf("  %s:%d:%d: %s: %s\n", h.File, h.Line, h.Col, h.Transaction, h.Reason)
		}
	}
	return nil
}
