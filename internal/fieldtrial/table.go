package main

import (
	"fmt"
	"io"
	"strings"
)

// table prints results as a table in Markdown, with the sum of each group.
type table struct {
	out   io.Writer
	group string
	begun bool
	sum   result
	count int
}

func (t *table) add(e *entry, r *result) {
	if !t.begun || e.group != t.group {
		t.end()
		t.begun, t.group, t.sum, t.count = true, e.group, result{}, 0
		if e.group != "" {
			fmt.Fprintf(t.out, "**%s**\n\n", e.group)
		}
		fmt.Fprintln(t.out, "| program | commit | sites | transactions | settled | places modelled | verdict | findings | suspected | notes | load s | extract s | check s | MB |")
		fmt.Fprintln(t.out, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	}
	if r.fault != "" {
		fmt.Fprintf(t.out, "| %s | %s | 0 of %d |||| %s |||||||\n", e.name(), e.commit, r.sites, strings.ReplaceAll(r.fault, "|", " "))
	} else {
		t.row(e.name(), e.commit, r)
	}
	t.count++
	t.sum.sites += r.sites
	t.sum.found += min(r.found, r.sites)
	t.sum.transactions += r.transactions
	t.sum.settled += r.settled
	t.sum.places += r.places
	t.sum.modelled += r.modelled
	t.sum.findings += r.findings
	t.sum.suspected += r.suspected
	t.sum.apart += r.apart
	t.sum.loading += r.loading
	t.sum.extraction += r.extraction
	t.sum.checked += r.checked
	t.sum.memory = max(t.sum.memory, r.memory)
}

// end prints the sum of a group of several programs.
func (t *table) end() {
	if t.count > 1 {
		t.row("all", "", &t.sum)
	}
	if t.begun {
		fmt.Fprintln(t.out)
	}
}

func (t *table) row(name, commit string, r *result) {
	fmt.Fprintf(t.out, "| %s | %s | %d of %d | %d | %d | %d of %d | %s | %d | %d | %d | %.1f | %.1f | %.1f | %d |\n", name, commit, r.found, r.sites, r.transactions,
		r.settled, r.modelled, r.places, r.verdict, r.findings, r.suspected, r.apart, r.loading.Seconds(), r.extraction.Seconds(), r.checked.Seconds(), r.memory)
}
